/* number_effects: what each number type of tensor cores does to the loaded points, for `numbers`. */
#include <math.h>
#include <stdio.h>

#include "core/data/number_effect.h"
#include "shell/conclude/held.h"
#include "shell/conclude/words.h"
#include "shell/defaults.h"
#include "shell/lab/number_effects.h"

#define MOST_VALUES ((size_t)1 << 22) /* coordinates that each type rounds, so that the command takes a second */

static const eb_number_try tries[] = {
    {EB_TF32, false, EB_FIT_NONE},        {EB_BF16, false, EB_FIT_NONE},        {EB_BF16, true, EB_FIT_NONE},
    {EB_F16_NUMBER, false, EB_FIT_NONE},  {EB_F16_NUMBER, true, EB_FIT_POWER},  {EB_E4M3_NUMBER, false, EB_FIT_NONE},
    {EB_E4M3_NUMBER, true, EB_FIT_POWER}, {EB_E5M2_NUMBER, false, EB_FIT_NONE}, {EB_E5M2_NUMBER, true, EB_FIT_POWER},
    {EB_S8, false, EB_FIT_NONE},          {EB_S8, true, EB_FIT_STEP},           {EB_S8, true, EB_FIT_POINT_STEPS},
};
enum { TRIES = sizeof tries / sizeof tries[0] };

/* "as stored", "centred", "centred, times 2^3", "centred, point steps". */
static void name_preparation(char *buffer, size_t size, const eb_number_try *try, const eb_number_effect *effect)
{
    const char *centred = try->centred ? "centred, " : "";
    if (try->fit == EB_FIT_POWER)
        (void)snprintf(buffer, size, "%stimes 2^%d", centred, effect->power);
    else if (try->fit == EB_FIT_STEP)
        (void)snprintf(buffer, size, "%sone step", centred);
    else if (try->fit == EB_FIT_POINT_STEPS)
        (void)snprintf(buffer, size, "%spoint steps", centred);
    else
        (void)snprintf(buffer, size, "%s", try->centred ? "centred" : "as stored");
}

/* To three digits. */
static double brief(double x)
{
    const double unit = x > 0 && isfinite(x) ? pow(10, floor(log10(x)) - 2) : 1;
    return x > 0 && isfinite(x) ? round(x / unit) * unit : x;
}

static void add_row(eb_table *table, const eb_number_try *try, const eb_number_effect *effect, double values,
                    double eps)
{
    char preparation[48];
    name_preparation(preparation, sizeof preparation, try, effect);
    EB_ROW(table, eb_text(eb_number_type_of(try->number)->title), eb_text(preparation),
           eb_real((double)effect->changed / values), eb_real(brief(effect->moved_mean)),
           eb_real(brief(effect->moved_most)), eb_real(brief(effect->moved_mean / eps)),
           eb_real(brief(effect->moved_most / eps)), eb_real((double)effect->beyond / values),
           eb_real((double)effect->vanished / values));
}

/* The try of `bytes` bytes that moves points least. */
static size_t best_of(const eb_number_effect *effect, unsigned bytes)
{
    size_t best = TRIES;
    for (size_t k = 0; k < TRIES; k++)
        if (eb_number_type_of(tries[k].number)->bytes == bytes &&
            (best == TRIES || effect[k].moved_mean < effect[best].moved_mean))
            best = k;
    return best;
}

/* "INT8 (centred, point steps) moves points least, by 0.8 % of ε on average", "BF16 changes nothing". */
static void praise(const eb_number_effect *effect, unsigned bytes, double eps, char *buffer, size_t size)
{
    const size_t best = best_of(effect, bytes);
    const double moved = effect[best].moved_mean;
    const char *type = eb_number_type_of(tries[best].number)->title;
    char how[48];
    name_preparation(how, sizeof how, &tries[best], &effect[best]);
    if (effect[best].changed == 0)
        (void)snprintf(buffer, size, "%s (%s) changes nothing", type, how);
    else
        (void)snprintf(buffer, size, "%s (%s) moves points least, by %s%s on average", type, how,
                       eps > 0 ? EB_SHARE(moved / eps) : EB_NUMBER(moved), eps > 0 ? " of ε" : "");
}

static void conclude(const eb_number_effect *effect, double eps, eb_report *report)
{
    char one[160], two[160];
    praise(effect, 1, eps, one, sizeof one);
    praise(effect, 2, eps, two, sizeof two);
    eb_report_conclude(report, "In one byte %s; in two bytes %s", one, two);
}

static eb_code note_held(const eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    char sentence[EB_HELD_BYTES];
    eb_held held[EB_NUMBERS];
    EB_TRY(eb_numbers_held(session->dataset, session->settings.threads, job, held, status));
    if (eb_held_sentence(held, session->dataset->dtype, sentence)[0])
        eb_report_note(report, "exact: %s", sentence);
    return EB_OK;
}

eb_code eb_report_number_effects(const eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    const size_t most = MOST_VALUES / ds->d > 0 ? MOST_VALUES / ds->d : 1, points = ds->n < most ? ds->n : most;
    const double eps = session->eps;
    const bool shares = eps > 0;
    eb_number_effect effect[TRIES];
    EB_TRY(eb_number_effects(ds, points, tries, TRIES, session->settings.threads, job, effect, status));
    eb_table *table = EB_TABLE(report, EB_F(effects), "What each does to the loaded points", EB_F(format),
                               EB_F(preparation), EB_F(changed_share), EB_F_IF(!shares, moved_mean),
                               EB_F_IF(!shares, moved_most), EB_F_IF(shares, moved_mean_of_eps),
                               EB_F_IF(shares, moved_most_of_eps), EB_F(beyond_share), EB_F(vanished_share));
    for (size_t k = 0; k < TRIES; k++)
        add_row(table, &tries[k], &effect[k], (double)points * (double)ds->d, shares ? eps : NAN);
    EB_TRY(note_held(session, report, job, status));
    if (points < ds->n)
        eb_report_note(report, "%s, evenly spaced, are rounded", EB_COUNT(points, "point", "points"));
    eb_report_note(report, "`precision` says what that costs a join: the share of neighbours that each type keeps");
    conclude(effect, eps, report);
    return EB_OK;
}
