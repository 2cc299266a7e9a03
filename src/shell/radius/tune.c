/* tune: the commands `tune`, `curve` and `sweep`, which relate ε to the selectivity S. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell/commands/commands.h"
#include "shell/conclude/words.h"
#include "shell/radius/radius.h"

static void warn_of_doubt(const eb_curve *curve, eb_report *report)
{
    double low, high;
    if (eb_curve_doubtful(curve, &low, &high))
        eb_report_warn(
            report,
            "the 95 %% band may be too narrow from S = %.3g to %.3g: few queries carry most neighbours there; "
            "queries=%zu tells more",
            low, high, 4 * curve->queries < curve->n ? 4 * curve->queries : curve->n);
}

static void log_curve(eb_session *session, const eb_setup *setup)
{
    const eb_curve *curve = &session->curve;
    eb_session_log_sweep(session, setup->spec, curve->points, curve->eps, curve->s, curve->s_error, NULL);
}

/* ---- tune ---- */

static void show_targets(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(targets), "ε for each selectivity", EB_F(wanted), EB_F(eps),
                               EB_F(selectivity_brief), EB_F(pairs), EB_F(ties), EB_F(sampled_eps), EB_F(bracket_low),
                               EB_F(bracket_high), EB_F(passes), EB_HIDDEN(sampled_low), EB_HIDDEN(sampled_high));
    for (size_t k = 0; k < count; k++) {
        const eb_target *t = &targets[k];
        double low, high;
        eb_curve_eps_band(curve, t->wanted, &low, &high);
        EB_ROW(table, eb_real(t->wanted), eb_real(t->eps), eb_real(t->selectivity), eb_uint(t->pairs), eb_uint(t->ties),
               eb_real(t->sampled_eps), eb_real(t->bracket_low), eb_real(t->bracket_high), eb_uint(t->passes),
               eb_real(low), eb_real(high));
    }
}

/* The targets' ε by the sampled curve, shown while the exact passes run. */
static void show_sampled_targets(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(targets), "ε for each selectivity, sampled", EB_F(wanted),
                               EB_F(sampled_eps), EB_F(sampled_low), EB_F(sampled_high));
    for (size_t k = 0; k < count; k++) {
        double low, high;
        eb_curve_eps_band(curve, targets[k].wanted, &low, &high);
        EB_ROW(table, eb_real(targets[k].wanted), eb_real(eb_curve_eps(curve, targets[k].wanted)), eb_real(low),
               eb_real(high));
    }
}

static void show_sampled(const eb_curve *curve, const eb_target *targets, size_t count, eb_report *report)
{
    eb_report_field(report, EB_F(sampled_queries), eb_uint(curve->queries));
    if (count > 0)
        show_sampled_targets(curve, targets, count, report);
    eb_report_curve(curve, report);
}

/* Context of the live report: the curve and the targets' sampled ε, shown before the exact passes. */
typedef struct watch {
    eb_live *live; /* NULL: no live report */
    const char *command;
    const eb_target *targets;
    size_t count;
} watch;

static void take_curve(void *context, const eb_curve *curve)
{
    const watch *w = context;
    eb_report *report = eb_report_new(w->command);
    show_sampled(curve, w->targets, w->count, report);
    eb_live_show(w->live, report);
}

static eb_code ask_watched(eb_session *session, const eb_call *call, const eb_setup *setup, eb_target *targets,
                           size_t count, unsigned *passes, eb_job *job, eb_status *status)
{
    watch w = {session->live, call->command->name, targets, count};
    const eb_curve_watcher watcher = {&w, take_curve};
    const eb_tune_request request = {.setup = setup,
                                     .dataset = session->dataset,
                                     .queries = (size_t)eb_call_integer(call, "queries", 0),
                                     .seed = session->settings.seed,
                                     .targets = targets,
                                     .count = count,
                                     .watcher = session->live ? &watcher : NULL};
    return eb_tune_ask(&request, &session->curve, passes, job, status);
}

static void note_targets(const eb_target *targets, size_t count, eb_report *report)
{
    for (size_t k = 0; k < count; k++) {
        const eb_target *t = &targets[k];
        if (t->reached_at_zero)
            eb_report_note(report, "S = %.10g is reached at ε = 0: duplicates alone give S = %.10g", t->wanted,
                           t->selectivity);
        else if (t->ties > 1)
            eb_report_note(report, "%llu pairs lie at exactly ε = %.17g: any smaller ε gives less than S = %.10g",
                           (unsigned long long)t->ties, t->eps, t->wanted);
        eb_note_gap(report, t->eps, t->near, t->beyond);
    }
}

static void show_tuning(eb_session *session, const eb_target *targets, size_t count, unsigned passes, eb_report *report)
{
    EB_FIELDS(report, {EB_F(sampled_queries), eb_uint(session->curve.queries)}, {EB_F(passes), eb_uint(passes)},
              {EB_F(eps_set), eb_real(session->eps)});
    show_targets(&session->curve, targets, count, report);
    eb_report_curve(&session->curve, report);
    warn_of_doubt(&session->curve, report);
    note_targets(targets, count, report);
    eb_report_note(report, "ε is shown to 6 digits; later commands use the full value");
}

/* Warns how much an engine that rounds can err at the smallest ε found. */
static eb_code warn_of_rounding(const eb_session *session, const eb_setup *setup, const eb_target *targets,
                                size_t count, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_problem problem = eb_self_join(session->dataset);
    char warning[EB_UNCERTAINTY_TEXT];
    double least = targets[0].eps;
    eb_uncertainty uncertainty;
    for (size_t k = 1; k < count; k++)
        least = fmin(least, targets[k].eps);
    EB_TRY(eb_uncertainty_find(setup, &problem, least, job, &uncertainty, status));
    eb_uncertainty_warning(&uncertainty, warning, sizeof warning);
    if (warning[0] != '\0')
        eb_report_warn(report, "%s: %s", setup->spec, warning);
    return EB_OK;
}

static eb_code tune_targets(eb_session *session, const eb_call *call, eb_target *targets, size_t count,
                            eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    unsigned passes = 0;
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    size_t queries = (size_t)eb_call_integer(call, "queries", 0);
    bool had_curve = session->curve.points > 0;
    eb_code failed = ask_watched(session, call, &setup, targets, count, &passes, job, status);
    bool has_curve = session->curve.points > 0;
    if (has_curve && (!had_curve || (queries > 0 && !failed)))
        log_curve(session, &setup);
    if (failed) {
        if (failed == EB_CANCELLED && has_curve)
            show_sampled(&session->curve, targets, count, report); /* the curve is complete, the passes are not */
        return failed;
    }
    session->eps = targets[count - 1].eps;
    for (size_t k = 0; k < count; k++)
        eb_session_log_target(session, setup.spec, &targets[k]);
    show_tuning(session, targets, count, passes, report);
    if (eb_setup_exactness(&setup) == EB_APPROXIMATE)
        eb_report_note(report, "distances are %s's, not the truth's", setup.spec);
    return setup.engine->rounding ? warn_of_rounding(session, &setup, targets, count, report, job, status) : EB_OK;
}

/* Tunes for values of S, or for numbers of pairs |R|, which n converts to S. */
static eb_code tune_for_numbers(eb_session *session, const eb_call *call, eb_report *report, eb_job *job,
                                eb_status *status)
{
    const double *wanted, n = (double)session->dataset->n;
    const bool pairs = eb_call_has(call, "pairs");
    size_t count = eb_call_numbers(call, pairs ? "pairs" : "S", &wanted);
    eb_target *targets = calloc(count, sizeof *targets);
    eb_code failed = EB_OK;
    if (!targets)
        return eb_fail_memory(status, "the targets", count * sizeof *targets);
    for (size_t k = 0; k < count && !failed; k++) {
        targets[k].wanted = pairs ? (wanted[k] - n) / n : wanted[k];
        if (pairs && !(wanted[k] > n))
            failed = eb_fail(status, EB_USAGE,
                             "pairs=%.17g is reached at any ε: |R| counts ordered pairs, the %zu self pairs among them",
                             wanted[k], session->dataset->n);
    }
    if (!failed)
        failed = tune_targets(session, call, targets, count, report, job, status);
    free(targets);
    return failed;
}

eb_code eb_cmd_tune(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const bool elbow = eb_call_flag(call, "elbow"), noise = eb_call_has(call, "noise");
    const int kinds = eb_call_has(call, "S") + eb_call_has(call, "pairs") + elbow + noise;
    if (kinds != 1)
        return eb_fail(status, EB_USAGE, "%s; give one of S=64,128, pairs=1e6, elbow, noise=5%%",
                       kinds ? "these are targets of several kinds" : "what to tune for is missing");
    if (eb_call_has(call, "minpts") && !elbow && !noise)
        return eb_fail(status, EB_USAGE, "minpts goes with elbow or noise; S and pairs do not depend on it");
    return elbow || noise ? eb_tune_for_density(session, call, report, job, status)
                          : tune_for_numbers(session, call, report, job, status);
}

/* ---- curve ---- */

eb_code eb_cmd_curve(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    unsigned passes = 0;
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    size_t queries = (size_t)eb_call_integer(call, "queries", 0);
    if (session->curve.points == 0 || queries > 0) {
        /* Without targets the curve is sampled and no exact pass runs. */
        EB_TRY(ask_watched(session, call, &setup, NULL, 0, &passes, job, status));
        log_curve(session, &setup);
    }
    eb_report_field(report, EB_F(sampled_queries), eb_uint(session->curve.queries));
    eb_report_curve(&session->curve, report);
    warn_of_doubt(&session->curve, report);
    if (session->curve.queries == session->dataset->n)
        eb_report_note(report, "every point was a query: the curve is exact at its points");
    return EB_OK;
}

/* ---- sweep ---- */

typedef struct sweep {
    eb_setup setup;
    eb_opened opened;
    size_t points;
    double *eps, *selectivity; /* [points] */
    uint64_t *pairs;           /* [points] */
} sweep;

/* Samples the session's curve, which converts a range of S to a range of ε, unless it exists. */
static eb_code ready_curve(eb_session *session, sweep *s, eb_status *status)
{
    if (session->curve.points > 0)
        return EB_OK;
    eb_code failed = eb_curve_sample(&s->opened, 0, session->settings.seed, &session->curve, status);
    if (!failed)
        log_curve(session, &s->setup);
    return failed;
}

/* Ends of the range in ε. An end beyond the sampled curve becomes the curve's own end. */
static eb_code range_of_eps(eb_session *session, const eb_call *call, sweep *s, double *low, double *high,
                            eb_status *status)
{
    const double *ends;
    if (eb_call_numbers(call, "eps", &ends) == 2) {
        *low = ends[0];
        *high = ends[1];
        return EB_OK;
    }
    (void)eb_call_numbers(call, "S", &ends);
    double most = (double)session->dataset->n - 1;
    if (ends[1] > most)
        return eb_fail(status, EB_UNREACHABLE,
                       "S = %.10g is beyond n - 1 = %.0f, the most neighbours that a point can have", ends[1], most);
    EB_TRY(ready_curve(session, s, status));
    const eb_curve *curve = &session->curve;
    *low = eb_curve_eps(curve, ends[0]);
    *high = eb_curve_eps(curve, ends[1]);
    if (isnan(*low) && curve->points > 0)
        *low = curve->eps[0];
    if (isnan(*high) && curve->points > 0)
        *high = curve->eps[curve->points - 1];
    if (!(*low < *high))
        return eb_fail(status, EB_UNREACHABLE,
                       "the sampled curve rises from S = %.10g to S = %.10g at one ε, %.17g: "
                       "give a range of eps",
                       ends[0], ends[1], *low);
    return EB_OK;
}

/* Spaces the points evenly in log ε, or in ε if low is 0. They are strictly ascending and include both ends. */
static void space_points(sweep *s, double low, double high)
{
    size_t wanted = s->points;
    s->points = 0;
    for (size_t k = 0; k < wanted; k++) {
        double share = (double)k / (double)(wanted - 1);
        double eps = k == 0            ? low
                     : k == wanted - 1 ? high
                     : low > 0         ? exp(log(low) + (log(high) - log(low)) * share)
                                       : low + (high - low) * share;
        if (s->points == 0 || eps > s->eps[s->points - 1])
            s->eps[s->points++] = eps;
    }
}

static void show_sweep(const sweep *s, bool log_axis, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(points), "Exact S(ε)", EB_F(eps), EB_F(selectivity_brief), EB_F(pairs));
    for (size_t k = 0; k < s->points; k++)
        EB_ROW(table, eb_real(s->eps[k]), eb_real(s->selectivity[k]), eb_uint(s->pairs[k]));
    eb_series *series =
        eb_report_series(report, EB_F(curve), "", EB_LINE, s->points, s->eps, s->selectivity, NULL, NULL);
    eb_series_axes(series, EB_F(eps), log_axis, EB_F(selectivity), log_axis);
}

static eb_code run_sweep(eb_session *session, const eb_call *call, sweep *s, eb_report *report, eb_status *status)
{
    double low = NAN, high = NAN;
    size_t n = session->dataset->n;
    EB_TRY(range_of_eps(session, call, s, &low, &high, status));
    space_points(s, low, high);
    EB_TRY(eb_sweep(&s->opened, s->eps, s->points, s->pairs, status));
    for (size_t k = 0; k < s->points; k++)
        s->selectivity[k] = eb_selectivity(s->pairs[k], n);
    eb_report_field(report, EB_F(passes), eb_uint(1));
    show_sweep(s, low > 0, report);
    eb_session_log_sweep(session, s->setup.spec, s->points, s->eps, s->selectivity, NULL, s->pairs);
    if (eb_call_has(call, "S"))
        eb_report_note(report, "the ends are where the sampled curve has the wanted S; the counts are exact");
    return EB_OK;
}

static eb_code open_and_sweep(eb_session *session, const eb_call *call, sweep *s, eb_report *report, eb_job *job,
                              eb_status *status)
{
    const eb_problem problem = eb_self_join(session->dataset);
    EB_TRY(eb_pass_engine(session, call, &s->setup, report, status));
    EB_TRY(eb_problem_open(&s->setup, &problem, job, &s->opened, status));
    eb_code failed = run_sweep(session, call, s, report, status);
    eb_problem_close(&s->opened);
    return failed;
}

eb_code eb_cmd_sweep(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    if (eb_call_has(call, "eps") == eb_call_has(call, "S"))
        return eb_fail(status, EB_USAGE, "give a range of either eps or S, as eps=0.1..0.5 or S=16..128");
    sweep s = {.points = (size_t)eb_call_integer(call, "points", 17)};
    s.eps = calloc(s.points, sizeof *s.eps);
    s.selectivity = calloc(s.points, sizeof *s.selectivity);
    s.pairs = calloc(s.points, sizeof *s.pairs);
    eb_code failed = s.eps && s.selectivity && s.pairs
                         ? open_and_sweep(session, call, &s, report, job, status)
                         : eb_fail_memory(status, "the curve's points", s.points * 3 * sizeof *s.eps);
    free(s.eps);
    free(s.selectivity);
    free(s.pairs);
    return failed;
}
