/* tune: the commands `tune`, `curve` and `sweep`, which relate ε to the selectivity S. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell/background/behind.h"
#include "shell/commands/commands.h"
#include "shell/conclude/words.h"
#include "shell/radius/radius.h"
#include "shell/radius/tune_report.h"

static void log_curve(eb_session *session, const eb_setup *setup)
{
    const eb_curve *curve = &session->curve;
    eb_session_log_sweep(session, setup->spec, curve->points, curve->eps, curve->s, curve->s_error, NULL);
}

/* ---- asking ---- */

/* Context of what a person sees before the exact passes: the curve, and the targets' sampled ε. */
typedef struct watch {
    eb_session *session;
    const char *command;
    const eb_target *targets;
    size_t count;
    eb_job *job;
} watch;

static void take_curve(void *context, const eb_curve *curve)
{
    const watch *w = context;
    eb_report *report = eb_report_new(w->command);
    eb_report_sampled(curve, w->targets, w->count, report);
    eb_live_show(w->session->live, report);
}

/* At a terminal: says the last target's ε before a pass that takes a while. */
static void say_sampled(void *context, const eb_target *targets, size_t count)
{
    const watch *w = context;
    char words[256], remark[400];
    const eb_target *last = &targets[count - 1];
    if (!last->sampled)
        return;
    (void)snprintf(remark, sizeof remark, "%s; the exact pass follows, and Ctrl-C keeps this ε",
                   eb_sampled_words(last, w->session->curve.queries, words, sizeof words));
    eb_job_remark(w->job, remark);
}

static eb_code ask_watched(eb_session *session, const eb_call *call, const eb_setup *setup, eb_target *targets,
                           size_t count, unsigned *passes, eb_job *job, eb_status *status)
{
    const double a_moment_s = 0.1;
    const bool tunes = count > 0;
    watch w = {session, call->command->name, targets, count, job};
    const eb_curve_watcher watcher = {&w, take_curve};
    const eb_tune_request request = {.setup = setup,
                                     .dataset = session->dataset,
                                     .queries = (size_t)eb_call_integer(call, "queries", 0),
                                     .seed = session->settings.seed,
                                     .targets = targets,
                                     .count = count,
                                     .watcher = session->live ? &watcher : NULL,
                                     .within = tunes ? eb_call_number(call, "within", 0) : 0,
                                     .patience_s =
                                         tunes && eb_call_flag(call, "background") ? a_moment_s : session->patience_s,
                                     .sampled = session->live ? NULL : say_sampled,
                                     .context = &w};
    return eb_tune_ask(&request, &session->curve, passes, job, status);
}

/* ---- tune ---- */

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

/* The command that counts all pairs of these targets. */
static void write_line(const eb_call *call, char line[EB_LINE_TEXT])
{
    const char *kind = eb_call_has(call, "pairs") ? "pairs" : "S", *engine = eb_call_text(call, "engine");
    const double *wanted;
    size_t count = eb_call_numbers(call, kind, &wanted), used = 0;
    used += (size_t)snprintf(line, EB_LINE_TEXT, "tune %s=", kind);
    for (size_t k = 0; k < count && used < EB_LINE_TEXT; k++)
        used += (size_t)snprintf(line + used, EB_LINE_TEXT - used, "%s%.17g", k ? "," : "", wanted[k]);
    if (engine && used < EB_LINE_TEXT)
        (void)snprintf(line + used, EB_LINE_TEXT - used, " engine=%s", engine);
}

static bool all_sampled(const eb_target *targets, size_t count)
{
    bool all = true;
    for (size_t k = 0; k < count; k++)
        all = all && targets[k].sampled;
    return all;
}

static bool all_narrow(const eb_target *targets, size_t count, double within)
{
    bool all = true;
    for (size_t k = 0; k < count; k++)
        all = all && eb_target_is_narrow(&targets[k], within);
    return all;
}

static void note_within(const eb_session *session, const eb_target *targets, size_t count, double within,
                        eb_report *report)
{
    if (within > 0 && all_narrow(targets, count, within))
        eb_report_note(report, "the 95 %% band of S is within ± %.4g %% after %zu queries", 100 * within,
                       session->curve.queries);
    else if (within > 0)
        eb_report_note(report,
                       "a 95 %% band of S within ± %.4g %% needs more than an eighth of the points as queries, "
                       "so all pairs are counted instead",
                       100 * within);
}

/* The report of a cancelled command, if a target has a sampled ε. */
static eb_code keep_sampled(eb_session *session, const eb_target *targets, size_t count, unsigned passes,
                            const char *line, eb_report *report, eb_status *status)
{
    char words[256];
    const eb_target *last = &targets[count - 1];
    if (isnan(last->eps))
        return EB_CANCELLED;
    session->eps = last->eps;
    eb_report_tuning(session, &session->curve, targets, count, passes, EB_PASS_STOPPED, line, report);
    if (!last->sampled)
        return EB_CANCELLED;
    return eb_fail(status, EB_CANCELLED, "stopped before all pairs were counted. %s. `%s` counts them",
                   eb_sampled_words(last, session->curve.queries, words, sizeof words), line);
}

/* Sets ε, and leaves the exact pass to the background if it is still to be made. */
static eb_code take_targets(eb_session *session, const eb_call *call, const eb_setup *setup, const eb_target *targets,
                            size_t count, unsigned passes, const char *line, eb_report *report, eb_status *status)
{
    const double within = eb_call_number(call, "within", 0);
    const bool sampled = all_sampled(targets, count);
    const bool behind = sampled && !(within > 0 && all_narrow(targets, count, within));
    session->eps = targets[count - 1].eps;
    for (size_t k = 0; k < count && !sampled; k++)
        eb_session_log_target(session, setup->spec, &targets[k]);
    if (behind)
        EB_TRY(eb_behind_start(session, setup, targets, count, line, status));
    eb_report_tuning(session, &session->curve, targets, count, passes,
                     behind    ? EB_PASS_BEHIND
                     : sampled ? EB_PASS_NOT_NEEDED
                               : EB_PASS_MADE,
                     line, report);
    note_within(session, targets, count, within, report);
    return EB_OK;
}

static eb_code tune_targets(eb_session *session, const eb_call *call, eb_target *targets, size_t count,
                            eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    unsigned passes = 0;
    char line[EB_LINE_TEXT];
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    write_line(call, line);
    size_t queries = session->curve.queries;
    eb_code failed = ask_watched(session, call, &setup, targets, count, &passes, job, status);
    if (session->curve.queries != queries || (eb_call_has(call, "queries") && !failed))
        log_curve(session, &setup);
    if (failed == EB_CANCELLED)
        return keep_sampled(session, targets, count, passes, line, report, status);
    if (failed)
        return failed;
    EB_TRY(take_targets(session, call, &setup, targets, count, passes, line, report, status));
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

/* ---- the pass in the background ---- */

static eb_code leave(eb_session *session, eb_report *report)
{
    eb_report_note(report, "the exact pass is left; the session keeps ε = %.17g. `%s` counts exactly", session->eps,
                   eb_behind_line(session->behind));
    eb_behind_leave(session->behind);
    session->behind = NULL;
    return EB_OK;
}

/* Waits with the progress of the pass. Ctrl-C ends only the waiting. */
static eb_code wait_for_pass(eb_session *session, eb_report *report, eb_job *job, eb_status *status)
{
    const struct timespec a_moment = {.tv_nsec = 20000000};
    uint64_t done = 0, total = 0;
    eb_behind_pause(session->behind, false);
    while (!eb_behind_ended(session->behind)) {
        const eb_progress now = eb_behind_progress(session->behind);
        if (now.total != total || now.done < done)
            eb_job_phase(job, now.phase, total = now.total);
        eb_job_advance(job, now.done - (now.done < done ? 0 : done));
        done = now.done;
        if (eb_job_cancelled(job))
            return eb_fail(status, EB_CANCELLED, "the exact pass goes on; `tune stop` leaves it");
        (void)nanosleep(&a_moment, NULL);
    }
    return eb_behind_finish(session, report, status);
}

static eb_code attend_behind(eb_session *session, bool stops, eb_report *report, eb_job *job, eb_status *status)
{
    if (!session->behind) {
        eb_report_note(report, "no exact pass is under way; `tune S=64 background` begins one");
        return EB_OK;
    }
    return stops ? leave(session, report) : wait_for_pass(session, report, job, status);
}

/* Refuses options that go with S and pairs alone. */
static eb_code check_kind(const eb_call *call, bool by_density, eb_status *status)
{
    if (eb_call_has(call, "minpts") && !by_density)
        return eb_fail(status, EB_USAGE, "minpts goes with elbow or noise; S and pairs do not depend on it");
    for (int k = 0; k < 2 && by_density; k++)
        if (eb_call_has(call, k ? "background" : "within"))
            return eb_fail(status, EB_USAGE, "%s goes with S or pairs; elbow and noise have no band of S",
                           k ? "background" : "within");
    return EB_OK;
}

eb_code eb_cmd_tune(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const bool elbow = eb_call_flag(call, "elbow"), noise = eb_call_has(call, "noise");
    const bool stops = eb_call_flag(call, "stop"), waits = eb_call_flag(call, "wait");
    const int kinds = eb_call_has(call, "S") + eb_call_has(call, "pairs") + elbow + noise + stops + waits;
    if (kinds != 1)
        return eb_fail(status, EB_USAGE, "%s; give one of S=64,128, pairs=1e6, elbow, noise=5%%",
                       kinds ? "these are targets of several kinds" : "what to tune for is missing");
    EB_TRY(check_kind(call, elbow || noise, status));
    if (stops || waits)
        return attend_behind(session, stops, report, job, status);
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
    eb_warn_of_doubt(&session->curve, report);
    if (session->curve.queries == session->dataset->n)
        eb_report_note(report, "every point was a query: the curve is exact at its points");
    return EB_OK;
}

/* ---- sweep ---- */

typedef struct sweep {
    eb_setup setup;
    size_t points;
    double *eps, *selectivity; /* [points] */
    uint64_t *pairs;           /* [points] */
} sweep;

/* Samples the session's curve, which converts a range of S to a range of ε, unless it exists. */
static eb_code ready_curve(eb_session *session, const sweep *s, eb_job *job, eb_status *status)
{
    const eb_tune_request request = {.setup = &s->setup, .dataset = session->dataset, .seed = session->settings.seed};
    unsigned passes;
    if (session->curve.points > 0)
        return EB_OK;
    const eb_code failed = eb_tune_ask(&request, &session->curve, &passes, job, status);
    if (!failed)
        log_curve(session, &s->setup);
    return failed;
}

/* Ends of the range in ε. An end beyond the sampled curve becomes the curve's own end. */
static eb_code range_of_eps(eb_session *session, const eb_call *call, const sweep *s, double *low, double *high,
                            eb_job *job, eb_status *status)
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
    EB_TRY(ready_curve(session, s, job, status));
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

static eb_code count_pairs(const eb_session *session, sweep *s, eb_job *job, eb_status *status)
{
    eb_opened opened;
    EB_TRY(eb_sweep_open(&s->setup, session->dataset, job, &opened, status));
    const eb_code failed = eb_sweep(&opened, s->eps, s->points, s->pairs, status);
    eb_problem_close(&opened);
    return failed;
}

static eb_code run_sweep(eb_session *session, const eb_call *call, sweep *s, eb_report *report, eb_job *job,
                         eb_status *status)
{
    double low = NAN, high = NAN;
    size_t n = session->dataset->n;
    EB_TRY(eb_pass_engine(session, call, &s->setup, report, status));
    EB_TRY(range_of_eps(session, call, s, &low, &high, job, status));
    space_points(s, low, high);
    EB_TRY(count_pairs(session, s, job, status));
    for (size_t k = 0; k < s->points; k++)
        s->selectivity[k] = eb_selectivity(s->pairs[k], n);
    eb_report_field(report, EB_F(passes), eb_uint(1));
    show_sweep(s, low > 0, report);
    eb_session_log_sweep(session, s->setup.spec, s->points, s->eps, s->selectivity, NULL, s->pairs);
    if (eb_call_has(call, "S"))
        eb_report_note(report, "the ends are where the sampled curve has the wanted S; the counts are exact");
    return EB_OK;
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
                         ? run_sweep(session, call, &s, report, job, status)
                         : eb_fail_memory(status, "the curve's points", s.points * 3 * sizeof *s.eps);
    free(s.eps);
    free(s.selectivity);
    free(s.pairs);
    return failed;
}
