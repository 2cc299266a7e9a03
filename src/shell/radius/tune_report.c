#include "shell/radius/tune_report.h"

#include <math.h>

#include "shell/conclude/words.h"
#include "shell/radius/radius.h"

void eb_warn_of_doubt(const eb_curve *curve, eb_report *report)
{
    double low, high;
    if (eb_curve_doubtful(curve, &low, &high))
        eb_report_warn(
            report,
            "the 95 %% band may be too narrow from S = %.3g to %.3g: few queries carry most neighbours there; "
            "queries=%zu tells more",
            low, high, 4 * curve->queries < curve->n ? 4 * curve->queries : curve->n);
}

/* ---- targets ---- */

static const char *basis_of(const eb_target *t) { return t->sampled ? "sampled" : "exact"; }

/* The columns after the shown ones are the same in both tables, so that scripts need not tell them apart. */
static void show_counted(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(targets), "ε for each selectivity", EB_F(wanted), EB_F(eps),
                               EB_F(selectivity_brief), EB_F(pairs), EB_F(ties), EB_F(sampled_eps), EB_F(bracket_low),
                               EB_F(bracket_high), EB_F(passes), EB_HIDDEN(sampled_low), EB_HIDDEN(sampled_high),
                               EB_HIDDEN(eps_middle), EB_HIDDEN(basis), EB_HIDDEN(band_low), EB_HIDDEN(band_high));
    for (size_t k = 0; k < count; k++) {
        const eb_target *t = &targets[k];
        double low, high;
        eb_curve_eps_band(curve, t->wanted, &low, &high);
        EB_ROW(table, eb_real(t->wanted), eb_real(t->eps), eb_real(t->selectivity),
               t->sampled ? eb_na() : eb_uint(t->pairs), t->sampled ? eb_na() : eb_uint(t->ties),
               eb_real(t->sampled_eps), eb_real(t->bracket_low), eb_real(t->bracket_high), eb_uint(t->passes),
               eb_real(low), eb_real(high), eb_real(t->middle), eb_text(basis_of(t)), eb_real(t->low),
               eb_real(t->high));
    }
}

static void show_estimated(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(targets), "ε for each selectivity, sampled", EB_F(wanted), EB_F(eps), EB_F(sampled_low),
                 EB_F(sampled_high), EB_F(selectivity_brief), EB_F(band_low), EB_F(band_high), EB_HIDDEN(pairs),
                 EB_HIDDEN(ties), EB_HIDDEN(sampled_eps), EB_HIDDEN(bracket_low), EB_HIDDEN(bracket_high),
                 EB_HIDDEN(passes), EB_HIDDEN(eps_middle), EB_HIDDEN(basis));
    for (size_t k = 0; k < count; k++) {
        const eb_target *t = &targets[k];
        double low, high;
        eb_curve_eps_band(curve, t->wanted, &low, &high);
        EB_ROW(table, eb_real(t->wanted), eb_real(t->eps), eb_real(low), eb_real(high), eb_real(t->selectivity),
               eb_real(t->low), eb_real(t->high), eb_na(), eb_na(), eb_real(t->sampled_eps), eb_na(), eb_na(),
               eb_uint(t->passes), eb_na(), eb_text(basis_of(t)));
    }
}

void eb_report_sampled(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_report_field(report, EB_F(sampled_queries), eb_uint(curve->queries));
    if (count > 0) {
        eb_table *table = EB_TABLE(report, EB_F(targets), "ε for each selectivity, sampled", EB_F(wanted),
                                   EB_F(sampled_eps), EB_F(sampled_low), EB_F(sampled_high));
        for (size_t k = 0; k < count; k++) {
            double low, high;
            eb_curve_eps_band(curve, targets[k].wanted, &low, &high);
            EB_ROW(table, eb_real(targets[k].wanted), eb_real(eb_curve_eps(curve, targets[k].wanted)), eb_real(low),
                   eb_real(high));
        }
    }
    eb_report_curve(curve, report);
}

/* ---- notes ---- */

static void note_targets(const eb_target *targets, size_t count, eb_report *report)
{
    for (size_t k = 0; k < count; k++) {
        const eb_target *t = &targets[k];
        if (t->sampled)
            continue;
        if (t->reached_at_zero)
            eb_report_note(report, "S = %.10g is reached at ε = 0: duplicates alone give S = %.10g", t->wanted,
                           t->selectivity);
        else if (t->ties > 1)
            eb_report_note(report, "%llu pairs lie at exactly ε = %.17g: any smaller ε gives less than S = %.10g",
                           (unsigned long long)t->ties, t->eps, t->wanted);
        eb_note_gap(report, t->eps, t->near, t->beyond);
    }
}

char *eb_sampled_words(const eb_target *t, size_t queries, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "ε ≈ %s gives about %s %s a point (95 %%: %s to %s), by a sample of %s",
                   EB_NUMBER(t->eps), EB_NUMBER(t->selectivity), eb_neighbour_word(t->selectivity), EB_NUMBER(t->low),
                   EB_NUMBER(t->high), EB_COUNT(queries, "point", "points"));
    return buffer;
}

static void note_pass(const eb_session *session, eb_pass_state pass, const char *line, eb_report *report)
{
    if (pass == EB_PASS_NOT_NEEDED)
        eb_report_note(report, "no exact pass was needed; `%s` counts all pairs", line);
    else if (pass == EB_PASS_BEHIND)
        eb_report_note(report, "the exact pass goes on while you work, and waits while other commands run. Its ε "
                               "replaces this one unless you set another; `tune wait` waits for it, `tune stop` "
                               "leaves it");
    else if (pass == EB_PASS_STOPPED)
        eb_report_note(report, "stopped before all pairs were counted%s; `%s` counts them",
                       isnan(session->eps) ? "" : ": ε rests on a sample", line);
}

/* ---- the report ---- */

static const char *const pass_words[] = {[EB_PASS_MADE] = "made",
                                         [EB_PASS_NOT_NEEDED] = "not needed",
                                         [EB_PASS_STOPPED] = "stopped",
                                         [EB_PASS_BEHIND] = "goes on in the background"};

void eb_report_tuning(const eb_session *session, const eb_curve *curve, const eb_target *targets, size_t count,
                      unsigned passes, eb_pass_state pass, const char *line, eb_report *report)
{
    const eb_target *last = &targets[count - 1];
    bool counted = false;
    for (size_t k = 0; k < count; k++)
        counted = counted || !targets[k].sampled;
    EB_FIELDS(report, {EB_F(sampled_queries), eb_uint(curve->queries)}, {EB_F(passes), eb_uint(passes)},
              {EB_F(basis), eb_text(basis_of(last))}, {EB_F_IF(last->sampled, exact_pass), eb_text(pass_words[pass])},
              {EB_F(eps_set), eb_real(session->eps)}, {EB_F_IF(!last->sampled, eps_middle), eb_real(last->middle)},
              {EB_HIDDEN(ties), last->sampled ? eb_na() : eb_uint(last->ties)},
              {EB_HIDDEN(band_low), eb_real(last->low)}, {EB_HIDDEN(band_high), eb_real(last->high)});
    (counted ? show_counted : show_estimated)(curve, targets, count, report);
    eb_report_curve(curve, report);
    eb_warn_of_doubt(curve, report);
    note_targets(targets, count, report);
    note_pass(session, pass, line, report);
    eb_report_note(report, "ε is shown to 6 digits; later commands use the full value");
}
