#include "core/study/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

/* How a table is made within its limit, from the best to the last resort. */
typedef enum table_way {
    WHOLE,   /* in one piece */
    BATCHES, /* row ranges, collected in a table allocated beforehand */
    COUNTED, /* not at all */
} table_way;

/* Batches get what the table leaves of the limit. Below an eighth of the table's size there would be some twenty of
 * them, each walking the columns anew: then counting is the honest answer. */
#define LEAST_SHARE_FOR_BATCHES 8u

typedef struct measurement {
    const eb_measure_request *request;
    const eb_run_observer *observer;
    eb_job *job;
    eb_run *run;
    table_way way;
    bool pairs_known;
    uint64_t pairs;
} measurement;

/* The result of one execution, warm-up or trial. */
typedef struct outcome {
    eb_timing timing;
    uint64_t pairs;
    eb_neighbours *table;
    size_t batches;
} outcome;

double eb_selectivity(uint64_t pairs, size_t n) { return ((double)pairs - (double)n) / (double)n; }

double eb_derived_flops(size_t n, size_t d, double seconds)
{
    return seconds > 0 ? 2.0 * (double)n * (double)n * (double)d / seconds : NAN;
}

void eb_run_free(eb_run *run)
{
    free(run->trials);
    eb_neighbours_free(run->table);
    run->trials = NULL;
    run->table = NULL;
}

/* Static text, as a job's phase must be. */
static const char *phase_of_trial(unsigned trial)
{
    static const char *const names[] = {"trial 1", "trial 2", "trial 3", "trial 4", "trial 5",
                                        "trial 6", "trial 7", "trial 8", "trial 9", "trial 10"};
    return trial < sizeof names / sizeof names[0] ? names[trial] : "trial";
}

static void add_note(eb_run *run, const char *text)
{
    size_t used = strlen(run->note);
    (void)snprintf(run->note + used, sizeof run->note - used, "%s%s", used ? "; " : "", text);
}

/* Every execution must find the same |R|, the counted and the stored ones too. */
static eb_code agree_on_pairs(measurement *m, uint64_t pairs, eb_status *status)
{
    if (m->pairs_known && m->pairs != pairs)
        return eb_fail(status, EB_INTERNAL, "%s found %llu pairs this time and %llu before", m->request->engine->name,
                       (unsigned long long)pairs, (unsigned long long)m->pairs);
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

typedef struct collector {
    eb_neighbours *table;
    uint64_t capacity; /* entries */
    size_t rows;       /* filled */
} collector;

static eb_code copy_batch(collector *c, const eb_neighbours *batch, eb_status *status)
{
    uint64_t before = c->table->offsets[c->rows], more = batch->offsets[batch->rows], entries = before + more;
    if (more > c->capacity - before || batch->rows > c->table->rows - c->rows)
        return eb_fail(status, EB_INTERNAL, "row %zu brings the table to %llu entries; %llu were counted",
                       batch->first_row + batch->rows, (unsigned long long)entries, (unsigned long long)c->capacity);
    for (size_t r = 0; r < batch->rows; r++)
        c->table->offsets[c->rows + r + 1] = before + batch->offsets[r + 1];
    memcpy(c->table->columns + before, batch->columns, (size_t)more * sizeof *batch->columns);
    memcpy(c->table->distances + before, batch->distances, (size_t)more * sizeof *batch->distances);
    c->rows += batch->rows;
    return EB_OK;
}

static eb_code collect(void *context, eb_neighbours *batch, eb_status *status)
{
    eb_code code = copy_batch(context, batch, status);
    eb_neighbours_free(batch);
    return code;
}

static eb_code join_in_batches(const measurement *m, void *state, const eb_join_plan *plan, outcome *out,
                               eb_join_result *result, eb_status *status)
{
    const eb_measure_request *q = m->request;
    collector c = {.capacity = m->pairs};
    eb_code code = eb_neighbours_new(q->dataset->n, 0, q->dataset->n, m->pairs, true, &c.table, status);
    if (code == EB_OK)
        code = eb_join_run(q->engine, state, q->dataset->n, &q->options, plan, collect, &c, m->job, &out->timing,
                           result, status);
    if (code == EB_OK)
        out->table = c.table;
    else
        eb_neighbours_free(c.table);
    return code;
}

static eb_code join_table(const measurement *m, void *state, const char *phase, outcome *out, eb_status *status)
{
    const eb_measure_request *q = m->request;
    eb_join_plan plan = {.eps = q->eps,
                         .distances = true,
                         .whole = m->way == WHOLE,
                         .memory_limit = q->table_limit,
                         .expected_pairs = m->pairs,
                         .phase = phase};
    eb_join_result result = {.pairs = 0};
    eb_code code;
    if (m->way == WHOLE) {
        code = eb_join_run(q->engine, state, q->dataset->n, &q->options, &plan, keep_whole, &out->table, m->job,
                           &out->timing, &result, status);
    } else {
        if (plan.memory_limit)
            plan.memory_limit -= eb_neighbours_bytes(q->dataset->n, m->pairs, true);
        code = join_in_batches(m, state, &plan, out, &result, status);
    }
    out->pairs = result.pairs;
    out->batches = result.batches;
    return code;
}

/* ---- one execution ---- */

static eb_code execute(const measurement *m, const char *phase, outcome *out, eb_status *status)
{
    const eb_measure_request *q = m->request;
    *out = (outcome){.timing = eb_timing_none()};
    void *state = NULL;
    double start = eb_now_s();
    eb_job_phase(m->job, phase, q->dataset->n);
    eb_code code = eb_job_check(m->job, status);
    if (code == EB_OK)
        code = q->engine->open(q->device, q->dataset, &q->options, m->job, &out->timing, &state, status);
    if (code == EB_OK && m->way == COUNTED)
        code = q->engine->count(state, q->eps, m->job, &out->timing, &out->pairs, status);
    else if (code == EB_OK)
        code = join_table(m, state, phase, out, status);
    if (code == EB_OK && m->run->note[0] == '\0' && q->engine->describe) {
        const char *how = q->engine->describe(state);
        add_note(m->run, how ? how : "");
    }
    q->engine->close(state);
    out->timing.total_s = eb_now_s() - start;
    if (code != EB_OK) {
        eb_neighbours_free(out->table);
        out->table = NULL;
    }
    return code;
}

/* |R| by counting, to decide what can be done about a table that did not fit. Not a trial. */
static eb_code count_pairs(measurement *m, eb_status *status)
{
    table_way way = m->way;
    outcome counted;
    m->way = COUNTED;
    eb_code code = execute(m, "counting", &counted, status);
    m->way = way;
    return code == EB_OK ? agree_on_pairs(m, counted.pairs, status) : code;
}

/* The next way after one that ran out of memory. */
static eb_code step_down(measurement *m, eb_status *status)
{
    const eb_measure_request *q = m->request;
    if (!m->pairs_known) {
        eb_code code = count_pairs(m, status);
        if (code != EB_OK)
            return code;
    }
    uint64_t table = eb_neighbours_bytes(q->dataset->n, m->pairs, true);
    bool room =
        q->table_limit == 0 || (table <= q->table_limit && q->table_limit - table >= table / LEAST_SHARE_FOR_BATCHES);
    if (m->way == WHOLE && room) {
        m->way = BATCHES;
        return EB_OK;
    }
    char why[160];
    if (q->table_limit)
        (void)snprintf(why, sizeof why,
                       "counted only: the neighbour table takes %llu bytes, building it more; the limit is %llu",
                       (unsigned long long)table, (unsigned long long)q->table_limit);
    else
        (void)snprintf(why, sizeof why, "counted only: no memory for the neighbour table of %llu bytes",
                       (unsigned long long)table);
    add_note(m->run, why);
    m->way = COUNTED;
    m->run->mode = EB_RUN_COUNT;
    return EB_OK;
}

/* The earlier trial's table stays until this one's is there, so that a cancelled run still has one, if both fit. */
static void make_way_for_table(const measurement *m)
{
    uint64_t limit = m->request->table_limit;
    const eb_neighbours *table = m->run->table;
    if (!table || limit == 0)
        return;
    uint64_t kept = eb_neighbours_bytes(table->rows, m->pairs, true);
    uint64_t building = eb_neighbours_build_bytes(table->rows, m->pairs, true);
    if (building <= limit && kept <= limit - building)
        return;
    eb_neighbours_free(m->run->table);
    m->run->table = NULL;
}

/* Warm-up or trial, going down the ways as memory demands. */
static eb_code execute_somehow(measurement *m, const char *phase, outcome *out, eb_status *status)
{
    for (;;) {
        make_way_for_table(m);
        eb_status failure = {.code = EB_OK, .message = ""};
        eb_code code = execute(m, phase, out, &failure);
        if (code == EB_NO_MEMORY && m->way != COUNTED) {
            if (m->run->table) {
                eb_neighbours_free(m->run->table);
                m->run->table = NULL;
                continue;
            }
            code = step_down(m, &failure);
            if (code == EB_OK)
                continue;
        }
        if (code == EB_OK)
            code = agree_on_pairs(m, out->pairs, &failure);
        if (code == EB_OK)
            return EB_OK;
        eb_neighbours_free(out->table);
        out->table = NULL;
        return eb_fail(status, code, "%s", failure.message);
    }
}

/* ---- the run ---- */

static eb_code run_trial(measurement *m, unsigned trial, eb_status *status)
{
    eb_run *run = m->run;
    outcome out;
    eb_code code = execute_somehow(m, phase_of_trial(trial), &out, status);
    if (code != EB_OK)
        return code;
    eb_neighbours_free(run->table);
    run->table = out.table;
    run->batches = out.batches;
    run->pairs = out.pairs;
    run->trials[run->trials_done++] = out.timing;
    if (m->observer && m->observer->trial)
        m->observer->trial(m->observer->context, run, trial, &out.timing);
    return EB_OK;
}

static eb_code run_all(measurement *m, eb_status *status)
{
    const eb_measure_request *q = m->request;
    eb_code code = EB_OK;
    if (q->warm_up) {
        outcome out;
        code = execute_somehow(m, "warm-up", &out, status);
        if (code == EB_OK)
            eb_neighbours_free(out.table);
    }
    for (unsigned trial = 0; code == EB_OK && trial < q->trials; trial++)
        code = run_trial(m, trial, status);
    return code;
}

eb_code eb_measure(const eb_measure_request *request, const eb_run_observer *observer, eb_job *job, eb_run *run,
                   eb_status *status)
{
    *run = (eb_run){.engine = request->engine,
                    .device = *request->device,
                    .eps = request->eps,
                    .options = request->options,
                    .mode = request->mode,
                    .state = EB_RUN_FAILED,
                    .n = request->dataset->n,
                    .d = request->dataset->d,
                    .trials_wanted = request->trials};
    if (request->trials < 1 || request->trials > EB_MAX_TRIALS)
        return eb_fail(status, EB_USAGE, "trials must be from 1 to %u; found %u", EB_MAX_TRIALS, request->trials);
    if (!(request->eps >= 0)) /* NaN too */
        return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", request->eps);
    eb_code code = request->engine->probe(request->device, status);
    if (code != EB_OK)
        return code;
    run->trials = malloc(request->trials * sizeof *run->trials);
    if (!run->trials)
        return eb_fail_memory(status, "the trials", request->trials * sizeof *run->trials);

    run->state = EB_RUN_RUNNING;
    if (observer && observer->started)
        observer->started(observer->context, run);
    measurement m = {.request = request,
                     .observer = observer,
                     .job = job,
                     .run = run,
                     .way = request->mode == EB_RUN_TABLE ? WHOLE : COUNTED};
    code = run_all(&m, status);
    run->state = code == EB_OK ? EB_RUN_DONE : code == EB_CANCELLED ? EB_RUN_PARTIAL : EB_RUN_FAILED;
    if (observer && observer->ended)
        observer->ended(observer->context, run);
    return code;
}
