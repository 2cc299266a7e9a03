#include "shell/radius/targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell/conclude/words.h"
#include "shell/radius/tune_report.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static eb_code take_numbers(const eb_call *call, const char *argument, eb_targets *out, eb_status *status)
{
    const double *given;
    double number[EB_MOST_TARGETS];
    const size_t count = eb_call_numbers(call, argument, &given);
    if (count > EB_MOST_TARGETS)
        return eb_fail(status, EB_USAGE, "%s takes at most %d numbers; found %zu", argument, EB_MOST_TARGETS, count);
    memcpy(number, given, count * sizeof *number);
    qsort(number, count, sizeof *number, ascending);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || number[k] > number[k - 1])
            out->target[out->count++] =
                (eb_target){.wanted = out->tuned ? number[k] : NAN, .eps = out->tuned ? NAN : number[k]};
    return EB_OK;
}

/* Of several, the command's table has each S and ε. */
static void note_targets(const eb_session *session, const eb_setup *setup, const eb_targets *targets, eb_report *report)
{
    const eb_target *first = targets->target, *last = &targets->target[targets->count - 1];
    char words[EB_LINE_TEXT];
    if (last->sampled)
        eb_report_note(report, "%s; `tune S=%.10g` counts all pairs",
                       eb_sampled_words(last, session->curve.queries, words, sizeof words), last->wanted);
    else if (targets->count > 1)
        eb_report_note(report, "ε for %zu S from %.10g to %.10g, tuned exactly by %s on %s", targets->count,
                       first->wanted, last->wanted, setup->engine->name, setup->device.name);
    else
        eb_report_note(report, "ε = %.17g gives S = %.10g (wanted %.10g), tuned exactly by %s on %s", last->eps,
                       last->selectivity, last->wanted, setup->engine->name, setup->device.name);
}

/* All in one pass (core/tune/tune.h). */
static eb_code tune(eb_session *session, double patience_s, eb_report *report, eb_targets *targets, eb_job *job,
                    eb_status *status)
{
    eb_setup setup;
    unsigned passes = 0;
    EB_TRY(eb_session_truth(session, &setup, status));
    const eb_tune_request request = {.setup = &setup,
                                     .dataset = session->dataset,
                                     .seed = session->settings.seed,
                                     .targets = targets->target,
                                     .count = targets->count,
                                     .patience_s = patience_s};
    EB_TRY(eb_tune_ask(&request, &session->curve, &passes, job, status));
    note_targets(session, &setup, targets, report);
    for (size_t k = 0; k < targets->count; k++)
        if (!targets->target[k].sampled)
            eb_session_log_target(session, setup.spec, &targets->target[k]);
    return EB_OK;
}

/* Points that have fewer than twice so many others get an S of a quarter of these. */
static double usual_selectivity(const eb_session *session, double usual)
{
    const double others = (double)session->dataset->n - 1;
    return 2 * usual <= others ? usual : fmax(1, floor(others / 4));
}

eb_code eb_resolve_targets(eb_session *session, const eb_call *call, double usual, double patience_s, eb_report *report,
                           eb_targets *out, eb_job *job, eb_status *status)
{
    const bool given = eb_call_has(call, "eps");
    *out = (eb_targets){.tuned = eb_call_has(call, "S")};
    if (given && out->tuned)
        return eb_fail(status, EB_USAGE, "eps and S are both given; S would tune ε, so give one of them");
    const bool neither = !given && !out->tuned && isnan(session->eps);
    if (neither && isnan(usual))
        return eb_fail(status, EB_USAGE, "no ε yet; give eps=X, or S=X to tune it, or use `tune` first");
    if (given || out->tuned)
        EB_TRY(take_numbers(call, given ? "eps" : "S", out, status));
    else
        out->target[out->count++] =
            (eb_target){.wanted = neither ? usual_selectivity(session, usual) : NAN, .eps = session->eps};
    out->tuned = out->tuned || neither;
    if (out->tuned)
        EB_TRY(tune(session, patience_s, report, out, job, status));
    session->eps = out->target[out->count - 1].eps;
    return EB_OK;
}
