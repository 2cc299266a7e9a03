#include "core/experiment/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/join/join.h"

/* How a table is made within its memory limit, best first. */
typedef enum table_way {
    WHOLE,   /* in one piece */
    BATCHES, /* row ranges, collected in a table allocated beforehand */
    COUNTED, /* no table, pairs are counted only */
} table_way;

/* Batches use what the finished table leaves of the limit. Below an eighth of the table's size some twenty batches
 * would be needed, each walking all columns again; then the run only counts. */
#define LEAST_SHARE_FOR_BATCHES 8u

typedef struct measurement {
    const eb_measure_request *request;
    const eb_run_observer *observer;
    eb_job *job;
    eb_forecast *forecast;
    eb_run *run;
    table_way way;
    bool described; /* the run's note has the engine's description */
    bool lost;      /* and says which device of a team was lost first */
    eb_uncertainty uncertainty;
    double warmed_part; /* share of a pass done as warm-up; 0: a whole pass, or none */
    double eps;         /* of the current execution: the request's, or the warm-up's larger ε */
    bool pairs_known;   /* |R| at this ε is known */
    uint64_t pairs;     /* |R| of the last execution; after a warm-up at a larger ε an upper bound */
} measurement;

/* The result of one execution, warm-up or trial. */
typedef struct outcome {
    eb_figures figures;
    eb_join_result join; /* counting sets only .pairs */
    eb_neighbours *table;
    eb_team_work team; /* of a trial */
} outcome;

double eb_selectivity(uint64_t pairs, size_t n) { return ((double)pairs - (double)n) / (double)n; }

double eb_derived_flops(size_t n, size_t others, size_t d, double seconds)
{
    return seconds > 0 ? 2.0 * (double)n * (double)others * (double)d / seconds : NAN;
}

void eb_run_free(eb_run *run)
{
    free(run->trials);
    eb_neighbours_free(run->table);
    eb_team_work_free(&run->team);
    run->trials = NULL;
    run->table = NULL;
}

double *eb_run_samples(const eb_run *run, const char *key)
{
    double *samples = run->trials_done ? malloc(run->trials_done * sizeof *samples) : NULL;
    for (unsigned k = 0; samples && k < run->trials_done; k++)
        samples[k] = eb_figures_value(&run->trials[k], key);
    return samples;
}

eb_summary eb_run_summary(const eb_run *run, const char *key)
{
    double *samples = eb_run_samples(run, key);
    eb_summary summary = eb_summarise(samples, samples ? run->trials_done : 0);
    free(samples);
    return summary;
}

eb_judgement eb_judge_runs(const eb_run *baseline, const eb_run *run, const char *key)
{
    double *base = eb_run_samples(baseline, key), *own = eb_run_samples(run, key);
    eb_judgement j = eb_judge_samples(base, base ? baseline->trials_done : 0, own, own ? run->trials_done : 0);
    free(base);
    free(own);
    return j;
}

static bool came_before(const eb_run *run, unsigned trial, const char *key)
{
    for (unsigned k = 0; k < trial; k++)
        if (eb_figures_find(&run->trials[k], key))
            return true;
    return false;
}

bool eb_run_figure_at(const eb_run *run, size_t index, eb_figure *out)
{
    for (unsigned t = 0; t < run->trials_done; t++)
        for (size_t k = 0; k < run->trials[t].count; k++) {
            const eb_figure *figure = &run->trials[t].figure[k];
            if (came_before(run, t, figure->key) || index-- > 0)
                continue;
            *out = *figure;
            return true;
        }
    return false;
}

const char *eb_run_state_name(eb_run_state state)
{
    static const char *const names[] = {
        [EB_RUN_RUNNING] = "running", [EB_RUN_DONE] = "done", [EB_RUN_PARTIAL] = "partial", [EB_RUN_FAILED] = "failed"};
    return names[state];
}

static void add_note(eb_run *run, const char *text)
{
    size_t used = strlen(run->note);
    if (text[0] != '\0')
        (void)snprintf(run->note + used, sizeof run->note - used, "%s%s", used ? "; " : "", text);
}

/* Every execution must find the same |R|, whether it counts pairs or stores them. */
static eb_code agree_on_pairs(measurement *m, uint64_t pairs, eb_status *status)
{
    if ((m->pairs_known && m->pairs != pairs) || (m->uncertainty.known && pairs > m->uncertainty.wide))
        return eb_fail(status, EB_INTERNAL, "%s found %llu pairs this time and %llu before",
                       m->request->setup->engine->name, (unsigned long long)pairs, (unsigned long long)m->pairs);
    m->pairs_known = true;
    m->pairs = pairs;
    return EB_OK;
}

/* ---- tables ---- */

static eb_code keep_whole(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    eb_neighbours **table = context;
    *table = batch;
    return EB_OK;
}

static eb_code join_table(const measurement *m, eb_opened *opened, const char *phase, outcome *out, eb_status *status)
{
    const eb_measure_request *q = m->request;
    eb_join_plan plan = {.question.eps = m->eps,
                         .distances = q->distances,
                         .whole = m->way == WHOLE,
                         .memory_limit = q->memory.tables,
                         .expected_pairs = m->pairs,
                         .phase = phase};
    if (m->way == WHOLE)
        return eb_join_run(opened, &plan, keep_whole, &out->table, &out->join, status);
    if (plan.memory_limit)
        plan.memory_limit -= eb_neighbours_bytes(q->problem.left->n, m->pairs, q->distances);
    return eb_join_collect(opened, &plan, m->pairs, &out->table, &out->join, status);
}

/* ---- one execution ---- */

static void describe(eb_run *run, const eb_opened *opened)
{
    const eb_implementation *engine = opened->run;
    char scaled[80];
    if (engine->describe)
        add_note(run, engine->describe(opened->state));
    if (opened->scaling.exponent == 0)
        return;
    (void)snprintf(scaled, sizeof scaled, "computed with the points times 2^%d, which FP64 can square",
                   opened->scaling.exponent);
    add_note(run, scaled);
}

static eb_code answer(const measurement *m, eb_opened *opened, const char *phase, outcome *out, eb_status *status)
{
    const eb_question question = {.eps = m->eps};
    const eb_share whole = eb_share_whole(&opened->problem);
    if (m->way == COUNTED)
        return eb_ask_count(opened, &question, &whole, &out->join.pairs, status);
    return join_table(m, opened, phase, out, status);
}

/* Changed points explain any failure, so EB_CHANGED replaces the engine's error. */
static eb_code check_points(const eb_problem *problem, eb_code failed, eb_status *status)
{
    if (failed == EB_CANCELLED)
        return failed;
    EB_TRY(eb_dataset_check(problem->left, status));
    EB_TRY(eb_dataset_check(problem->right, status));
    return failed;
}

static void forget(outcome *out)
{
    eb_neighbours_free(out->table);
    out->table = NULL;
    eb_team_work_free(&out->team);
}

static eb_code execute(measurement *m, const char *phase, outcome *out, eb_status *status)
{
    const eb_measure_request *q = m->request;
    eb_opened opened;
    *out = (outcome){.table = NULL};
    double start = eb_now_s();
    eb_job_phase(m->job, phase, q->problem.left->n);
    EB_TRY(eb_job_check(m->job, status));
    eb_code failed = eb_problem_open(q->setup, &q->problem, m->job, &opened, status);
    if (failed)
        return check_points(&q->problem, failed, status);
    failed = answer(m, &opened, phase, out, status);
    const char *losses = eb_team_losses(opened.run, opened.state);
    if (!m->described)
        describe(m->run, &opened);
    else if (losses[0] && !m->lost)
        add_note(m->run, losses);
    m->described = true;
    m->lost |= losses[0] != '\0';
    if (!failed && strcmp(phase, "trial") == 0)
        out->team = eb_team_work_of(opened.run, opened.state);
    eb_problem_close(&opened);
    failed = check_points(&q->problem, failed, status);
    out->figures = opened.figures;
    eb_figures_set(&out->figures, &eb_figure_total, eb_now_s() - start);
    if (failed)
        forget(out);
    return failed;
}

/* Counts |R| to decide how to go on after a table did not fit. This pass is not a trial. */
static eb_code count_pairs(measurement *m, eb_status *status)
{
    table_way way = m->way;
    outcome counted;
    m->way = COUNTED;
    eb_code failed = execute(m, "counting", &counted, status);
    m->way = way;
    return !failed ? agree_on_pairs(m, counted.join.pairs, status) : failed;
}

/* True if the limit has room for such a table and for the batches that make it. */
static bool has_room(const eb_measure_request *q, uint64_t table)
{
    uint64_t limit = q->memory.tables;
    return limit == 0 || (table <= limit && limit - table >= table / LEAST_SHARE_FOR_BATCHES);
}

/* Chooses the next way after one that ran out of memory; `failure` is that error. */
static eb_code step_down(measurement *m, const eb_status *failure, eb_status *status)
{
    const eb_measure_request *q = m->request;
    if (!m->pairs_known)
        EB_TRY(count_pairs(m, status));
    uint64_t table = eb_neighbours_bytes(q->problem.left->n, m->pairs, q->distances);
    uint64_t bare = eb_neighbours_bytes(q->problem.left->n, m->pairs, EB_DISTANCES_NONE);
    if (m->way == WHOLE && has_room(q, table)) {
        m->way = BATCHES;
        return EB_OK;
    }
    char why[400], budget[120];
    if (q->memory.tables && !has_room(q, table))
        (void)snprintf(why, sizeof why, "counted only: the neighbour table takes %llu bytes, building it more; %s%s",
                       (unsigned long long)table, eb_budget_words(&q->memory, budget, sizeof budget),
                       q->distances && has_room(q, bare) ? "; one without distances would fit" : "");
    else
        (void)snprintf(why, sizeof why, "counted only: no memory for the neighbour table of %llu bytes: %.280s",
                       (unsigned long long)table, failure->message);
    add_note(m->run, why);
    m->way = COUNTED;
    m->run->mode = EB_RUN_COUNT;
    return EB_OK;
}

/* Frees the earlier trial's table if both do not fit. Otherwise it stays until the new one is finished, so that a
 * cancelled run still has a table. */
static void make_way_for_table(const measurement *m)
{
    uint64_t limit = m->request->memory.tables;
    const eb_neighbours *table = m->run->table;
    if (!table || limit == 0)
        return;
    uint64_t kept = eb_neighbours_bytes(table->rows, m->pairs, table->kept);
    uint64_t building = eb_neighbours_build_bytes(table->rows, m->pairs, table->kept);
    if (building <= limit && kept <= limit - building)
        return;
    eb_neighbours_free(m->run->table);
    m->run->table = NULL;
}

/* Runs a warm-up or trial, stepping down from one way to the next while memory runs out. */
static eb_code execute_somehow(measurement *m, const char *phase, outcome *out, eb_status *status)
{
    for (;;) {
        make_way_for_table(m);
        eb_status failure = {.code = EB_OK, .message = ""};
        eb_code failed = execute(m, phase, out, &failure);
        if (failed == EB_NO_MEMORY && m->way != COUNTED) {
            if (m->run->table) {
                eb_neighbours_free(m->run->table);
                m->run->table = NULL;
                continue;
            }
            const eb_status full = failure;
            failed = step_down(m, &full, &failure);
            if (!failed)
                continue;
        }
        if (!failed)
            failed = agree_on_pairs(m, out->join.pairs, &failure);
        if (!failed)
            return EB_OK;
        forget(out);
        return eb_fail(status, failed, "%s", failure.message);
    }
}

/* ---- the run ---- */

static eb_code run_trial(measurement *m, unsigned trial, eb_status *status)
{
    eb_run *run = m->run;
    outcome out;
    eb_forecast_trial(m->forecast, trial);
    EB_TRY(execute_somehow(m, "trial", &out, status));
    eb_forecast_trial_ended(m->forecast, eb_figures_value(&out.figures, eb_figure_total.key));
    eb_neighbours_free(run->table);
    eb_team_work_free(&run->team);
    run->team = out.team;
    run->table = out.table;
    run->batches = out.join.batches;
    run->pairs = out.join.pairs;
    eb_uncertainty_figures(&m->uncertainty, out.join.pairs, &out.figures);
    run->trials[run->trials_done++] = out.figures;
    if (m->observer && m->observer->trial)
        m->observer->trial(m->observer->context, run, trial);
    return EB_OK;
}

/* |R| at the warm-up's larger ε is an upper bound for the trials. */
static eb_code warm_up_whole(measurement *m, eb_status *status)
{
    outcome out;
    m->run->warm_up = EB_WARM_UP_FULL;
    bool telling = m->way != COUNTED && m->request->distances;
    m->eps = telling ? eb_uncertainty_wide_eps(&m->uncertainty) : m->eps;
    EB_TRY(execute_somehow(m, "warm-up", &out, status));
    eb_forecast_trial_ended(m->forecast, eb_figures_value(&out.figures, eb_figure_total.key));
    const unsigned threads = m->request->setup->resources.threads;
    eb_code failed = eb_uncertainty_count(&m->uncertainty, out.table, threads, m->job, status);
    eb_neighbours_free(out.table);
    m->pairs_known = m->eps <= m->request->eps;
    m->eps = m->request->eps;
    return failed;
}

static void note_part(measurement *m)
{
    bool untold = m->way != COUNTED && eb_uncertainty_wide_eps(&m->uncertainty) > m->eps;
    char part[40] = "the whole pass, counted only", text[160];
    if (m->warmed_part == 0)
        return;
    if (m->warmed_part < 1)
        (void)snprintf(part, sizeof part, "%.2g %% of a pass", 100 * m->warmed_part);
    (void)snprintf(text, sizeof text, "warmed up with %s%s", part,
                   untold ? ", so pairs that FP64 cannot decide were not counted; warmup=full counts them" : "");
    add_note(m->run, text);
}

/* *is_short: a short pass is known to take little time, and the caller asked for a whole one in that case. */
static eb_code warm_up_in_part(measurement *m, bool *is_short, eb_status *status)
{
    const eb_measure_request *q = m->request;
    bool stop_if_short = q->warm_up == EB_WARM_UP_AUTO;
    double share = 0;
    eb_code failed = eb_warm_up_part(q->setup, &q->problem, m->eps, stop_if_short, m->job, &share, is_short, status);
    EB_TRY(check_points(&q->problem, failed, status));
    m->run->warm_up = EB_WARM_UP_PART;
    *is_short &= stop_if_short;
    m->warmed_part = *is_short ? 0 : share;
    return EB_OK;
}

static eb_code warm_up(measurement *m, eb_status *status)
{
    eb_warm_up asked = m->request->warm_up;
    bool whole = asked == EB_WARM_UP_FULL || (asked == EB_WARM_UP_AUTO && eb_warm_up_is_small(&m->request->problem));
    double start_s = eb_now_s();
    if (asked == EB_WARM_UP_NONE) {
        eb_warm_up_wake(m->request->setup, &m->request->problem, m->job);
        return EB_OK;
    }
    eb_code failed = whole ? EB_OK : warm_up_in_part(m, &whole, status);
    if (!failed && whole)
        failed = warm_up_whole(m, status);
    m->run->warm_up_s = eb_now_s() - start_s;
    return failed;
}

static eb_code run_all(measurement *m, eb_status *status)
{
    const eb_measure_request *q = m->request;
    eb_code failed = eb_uncertainty_find(q->setup, &q->problem, q->eps, m->job, &m->uncertainty, status);
    eb_uncertainty_warning(&m->uncertainty, m->run->warning, sizeof m->run->warning);
    if (!failed)
        failed = warm_up(m, status);
    for (unsigned trial = 0; !failed && trial < q->trials; trial++)
        failed = run_trial(m, trial, status);
    note_part(m);
    return failed;
}

eb_code eb_measure(const eb_measure_request *request, const eb_run_observer *observer, eb_job *job, eb_run *run,
                   eb_status *status)
{
    *run = (eb_run){.setup = *request->setup,
                    .eps = request->eps,
                    .mode = request->mode,
                    .distances = request->distances,
                    .state = EB_RUN_FAILED,
                    .n = request->problem.left->n,
                    .others = eb_is_self_join(&request->problem) ? 0 : request->problem.right->n,
                    .d = request->problem.left->d,
                    .trials_wanted = request->trials};
    if (request->trials < 1 || request->trials > EB_MAX_TRIALS)
        return eb_fail(status, EB_USAGE, "trials must be from 1 to %u; found %u", EB_MAX_TRIALS, request->trials);
    if (!(request->eps >= 0)) /* NAN too */
        return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", request->eps);
    EB_TRY(eb_distances_check(request->distances, request->setup->engine, status));
    add_note(run, request->setup->note);
    run->trials = malloc(request->trials * sizeof *run->trials);
    if (!run->trials)
        return eb_fail_memory(status, "the trials", request->trials * sizeof *run->trials);

    EB_TRY(eb_setups_prepare(&request->setup, 1, job, status));
    eb_forecast alone;
    eb_forecast *forecast = request->forecast;
    if (!forecast) {
        forecast = &alone;
        eb_forecast_begin(forecast, job, "run", 1, request->trials);
        if (request->warm_up != EB_WARM_UP_NONE)
            eb_forecast_look(forecast, 0, request->setup, &request->problem, request->eps);
        eb_forecast_announce(forecast);
        eb_forecast_run(forecast, 0);
    }
    run->state = EB_RUN_RUNNING;
    if (observer && observer->started)
        observer->started(observer->context, run);
    measurement m = {.request = request,
                     .observer = observer,
                     .job = job,
                     .forecast = forecast,
                     .run = run,
                     .eps = request->eps,
                     .way = request->mode == EB_RUN_TABLE ? WHOLE : COUNTED};
    const eb_code failed = run_all(&m, status);
    run->state = !failed ? EB_RUN_DONE : failed == EB_CANCELLED ? EB_RUN_PARTIAL : EB_RUN_FAILED;
    if (observer && observer->ended)
        observer->ended(observer->context, run);
    if (forecast == &alone)
        eb_forecast_end(forecast);
    return failed;
}
