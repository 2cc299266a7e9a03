#include "core/experiment/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/accuracy/boundary.h"
#include "core/data/scaling.h"
#include "core/experiment/compare_sample.h"
#include "core/join/join.h"

/* ---- the points drawn ---- */

static const eb_sampled_rows *rows_of(const eb_comparison *c) { return c->rows.count > 0 ? &c->rows : NULL; }

/* All points with themselves, or the points drawn with all. */
static eb_problem problem_of(const eb_compare_request *q, const eb_comparison *c)
{
    return (eb_problem){.left = c->rows.count > 0 ? &c->rows.points : q->dataset, .right = q->dataset};
}

static uint32_t point_of(const eb_comparison *c, size_t row)
{
    return c->rows.count ? c->rows.row[row] : (uint32_t)row;
}

/* Each pair once: in the row of its smaller point, unless only the other one was drawn. */
static bool is_first(const eb_comparison *c, uint32_t point, uint32_t column)
{
    return column > point || (column < point && c->rows.count && !eb_rows_have(&c->rows, column));
}

/* ---- pairs just beyond ε that no engine's table holds ---- */

/* Largest reach beyond ε, as a share of ε, for MANY_POINTS and more points. A few near pairs say little about how many
 * pairs lie a little farther out, so the reach is bounded. */
#define FARTHEST (1.0 / 64)
#define WIDE (1.0 / 4) /* reach where pairs tie at ε and there are fewer points */
enum { MANY_POINTS = 4096, MEMORY_SHARE = 8 };

typedef struct search {
    const eb_comparison *c;
    double eps, beyond; /* beyond: smallest distance found that is farther from ε than a tie */
    uint64_t ties;
    eb_nearest nearest[EB_MOST_COMPARED]; /* for each compared engine */
} search;

/* The columns of a row ascend, so the search is binary. */
static bool holds(const eb_neighbours *table, size_t row, uint32_t column)
{
    uint64_t from = table->offsets[row], to = table->offsets[row + 1];
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (table->columns[middle] == column)
            return true;
        if (table->columns[middle] < column)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* Skips pairs that a table holds: they are in the lists already. */
static void offer(search *s, size_t row, uint32_t column, double distance)
{
    const eb_comparison *c = s->c;
    const uint32_t point = point_of(c, row);
    const eb_boundary_pair pair = {.i = point < column ? point : column,
                                   .j = point < column ? column : point,
                                   .dist_fast = (double)NAN,
                                   .dist_true = distance};
    if (holds(c->run[c->reference].table, row, column))
        return;
    for (size_t k = 0; k < c->count; k++)
        if (c->compared[k] && eb_nearest_wants(&s->nearest[k], distance) && !holds(c->run[k].table, row, column))
            eb_nearest_offer(&s->nearest[k], &pair);
}

static eb_code take_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    search *s = context;
    (void)status;
    double from = s->eps * (1 - EB_TIE); /* some pairs from here on are within ε; the tables decide which */
    for (size_t r = 0; r < batch->rows; r++)
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++) {
            double distance = eb_neighbours_distance(batch, k);
            if (distance < from || !is_first(s->c, point_of(s->c, batch->first_row + r), batch->columns[k]))
                continue;
            offer(s, batch->first_row + r, batch->columns[k], distance);
            s->ties += distance <= s->eps * (1 + EB_TIE);
            if (distance > s->eps * (1 + EB_TIE) && distance < s->beyond)
                s->beyond = distance;
        }
    eb_neighbours_free(batch);
    return EB_OK;
}

/* Distance to search beyond ε: as far as the farthest pair listed lies from ε. A list that is not full gives no such
 * distance; eps * FARTHEST is used instead. */
static double reach_of(const eb_comparison *c, size_t n, double eps, size_t room)
{
    double reach = 0, most = n < MANY_POINTS ? eps : eps * FARTHEST, gap = n < MANY_POINTS ? eps * WIDE : most;
    for (size_t k = 0; k < c->count; k++) {
        const eb_accuracy *a = &c->accuracy[k];
        bool full = c->compared[k] && a->boundary_count == room;
        if (c->compared[k])
            reach = fmax(reach, full ? fabs(a->boundary[room - 1].dist_true - eps) : eps * FARTHEST);
        if (c->compared[k] && a->ties > 1)
            reach = fmax(reach, gap);
    }
    return fmin(reach, most);
}

static eb_code look(const eb_compare_request *q, search *s, double wide, eb_job *job, eb_status *status)
{
    eb_opened opened;
    const eb_comparison *c = s->c;
    const eb_problem problem = problem_of(q, c);
    eb_join_result result;
    const eb_join_plan plan = {.question.eps = wide,
                               .distances = EB_DISTANCES_F64,
                               .memory_limit = q->memory_limit / MEMORY_SHARE,
                               .expected_pairs = c->run[c->reference].pairs,
                               .phase = "pairs beyond ε"};
    EB_TRY(eb_problem_open(&q->setup[c->reference], &problem, job, &opened, status));
    eb_code failed = eb_join_run(&opened, &plan, take_batch, s, &result, status);
    eb_problem_close(&opened);
    return failed;
}

/* Starts a list with the pairs that accuracy already found. */
static eb_code begin_list(const eb_accuracy *a, double eps, size_t room, eb_nearest *out, eb_status *status)
{
    EB_TRY(eb_nearest_new(eps, room, out, status));
    for (size_t k = 0; k < a->boundary_count; k++)
        eb_nearest_offer(out, &a->boundary[k]);
    return EB_OK;
}

static void end_list(eb_nearest *nearest, eb_accuracy *a)
{
    eb_nearest_sort(nearest);
    free(a->boundary);
    a->boundary = nearest->pair;
    a->boundary_count = nearest->count;
    nearest->pair = NULL;
}

/* Adds the nearest pairs beyond ε, which no table holds, to accuracy[k].boundary of each compared engine. Makes one
 * more pass of the reference, as far beyond ε as the farthest listed pair lies from ε, and farther where pairs tie at
 * ε. Also sets .ties, the number of pairs at ε, and .beyond, the next larger distance. Leaves dist_fast to
 * eb_boundary_complete. `room` is the length of each list. Leaves the lists unchanged if the tables at the larger ε do
 * not fit in memory. */
static eb_code look_beyond(const eb_compare_request *q, eb_comparison *c, size_t room, eb_job *job, eb_status *status)
{
    search s = {.c = c, .eps = q->eps, .beyond = INFINITY};
    double reach = reach_of(c, q->dataset->n, q->eps, room);
    eb_code failed = EB_OK;
    if (!(reach > 0) || !isfinite(q->eps + reach))
        return EB_OK;
    for (size_t k = 0; k < c->count && !failed; k++)
        if (c->compared[k])
            failed = begin_list(&c->accuracy[k], q->eps, room, &s.nearest[k], status);
    const double wide = nextafter(q->eps + reach, INFINITY);
    if (!failed)
        failed = look(q, &s, wide, job, status);
    for (size_t k = 0; k < c->count; k++) {
        if (!failed && c->compared[k]) {
            end_list(&s.nearest[k], &c->accuracy[k]);
            c->accuracy[k].beyond = fmin(s.beyond, wide);
            c->accuracy[k].ties = s.ties;
        }
        eb_nearest_free(&s.nearest[k]);
    }
    return failed == EB_NO_MEMORY ? EB_OK : failed;
}

/* ---- comparing ---- */

/* The last one among equally exact engines. */
static size_t most_exact(const eb_setup *setup, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (eb_setup_exactness(&setup[k]) <= eb_setup_exactness(&setup[best]))
            best = k;
    return best;
}

eb_code eb_compare_check(const eb_compare_request *q, eb_status *status)
{
    bool narrow = false;
    for (size_t k = 0; k < q->count; k++)
        narrow |= eb_distances_of(q->distances, q->setup[k].engine) == EB_DISTANCES_F32;
    if (q->distances == EB_DISTANCES_NONE)
        return eb_fail(status, EB_USAGE,
                       "without distances there are no errors to compare: distances must be f32 or f64; "
                       "found none");
    if (q->distances == EB_DISTANCES_F32 && !narrow)
        return eb_fail(status, EB_USAGE,
                       "none of these engines computes distances in FP32: distances must be f64; found f32");
    return EB_OK;
}

static eb_code compare_tables(const eb_compare_request *q, eb_comparison *c, size_t k, const eb_neighbours *fast,
                              const eb_neighbours *truth, eb_job *job, eb_status *status)
{
    const eb_accuracy_request request = {.dataset = q->dataset,
                                         .rows = rows_of(c),
                                         .eps = q->eps,
                                         .fast = fast,
                                         .truth = truth,
                                         .bins = q->bins,
                                         .boundary = q->boundary,
                                         .threads = q->threads};
    eb_job_phase(job, "accuracy", q->dataset->n);
    EB_TRY(eb_accuracy_compute(&request, job, &c->accuracy[k], status));
    const eb_code changed = eb_dataset_check(q->dataset, status);
    if (changed)
        eb_accuracy_free(&c->accuracy[k]);
    c->compared[k] = !changed;
    if (q->compared && !changed)
        q->compared(q->context, c, k);
    return changed;
}

/* Compares runs as they end, once the reference has run. */
typedef struct arriving {
    const eb_compare_request *request;
    eb_comparison *comparison;
    const eb_experiment *experiment;
} arriving;

static eb_code compare_next(void *context, eb_experiment_cell *cell, const eb_measure_request *ask, eb_job *job,
                            eb_status *status)
{
    (void)ask;
    const arriving *a = context;
    eb_comparison *c = a->comparison;
    const size_t k = (size_t)(cell - a->experiment->cell);
    const eb_neighbours *truth = a->experiment->cell[c->reference].run.table;
    c->count = k + 1;
    c->run[k] = cell->run; /* for request->compared; measure_all takes it over */
    if (k <= c->reference || !cell->run.table || !truth)
        return EB_OK;
    const eb_code failed = compare_tables(a->request, c, k, cell->run.table, truth, job, status);
    if (a->request->brief && !rows_of(c)) {
        eb_neighbours_free(cell->run.table);
        cell->run.table = c->run[k].table = NULL;
    }
    return failed;
}

static eb_code measure_all(const eb_compare_request *q, const eb_run_observer *observer, eb_job *job, eb_comparison *c,
                           eb_status *status)
{
    const eb_sampled_rows *rows = rows_of(c);
    eb_dataset both = *q->dataset;
    eb_experiment e;
    arriving a = {q, c, &e};
    both.n += c->rows.count;
    const eb_experiment_request ask = {.what = "engine",
                                       .setup = q->setup,
                                       .setups = q->count,
                                       .points = q->dataset,
                                       .left = rows ? &rows->points : NULL,
                                       .eps = q->eps,
                                       .mode = EB_RUN_TABLE,
                                       .distances = q->distances,
                                       .trials = q->trials,
                                       .warm_up = rows && q->warm_up == EB_WARM_UP_AUTO ? EB_WARM_UP_NONE : q->warm_up,
                                       .memory = eb_budget_of(q->setup, q->count, &both, q->memory_limit),
                                       .looks = rows ? 0 : q->count,
                                       .limit_s = INFINITY,
                                       .host = {.context = &a, .check = compare_next, .observer = observer}};
    eb_code failed = eb_experiment_run(&ask, job, &e, status);
    for (size_t k = 0; k < e.cells; k++) {
        c->run[k] = e.cell[k].run;
        e.cell[k].run = (eb_run){0};
    }
    c->count = e.begun;
    eb_experiment_free(&e);
    return failed;
}

/* Fills in the engine's distances of pairs that the engine did not report. */
static eb_code complete_one(const eb_compare_request *q, eb_comparison *c, size_t k, eb_job *job, eb_status *status)
{
    eb_opened opened;
    eb_problem problem = eb_self_join(q->dataset);
    EB_TRY(eb_problem_open(&q->setup[k], &problem, job, &opened, status));
    eb_code failed = eb_boundary_complete(&opened, c->accuracy[k].boundary, c->accuracy[k].boundary_count, status);
    eb_problem_close(&opened);
    return failed;
}

/* The join of a sample has each drawn point's distance to its copy among all points: INFINITY where it is beyond ε. */
static eb_code take_self(eb_comparison *c, size_t k, eb_status *status)
{
    const eb_neighbours *table = c->run[k].table;
    c->self[k] = malloc(c->rows.count * sizeof *c->self[k]);
    if (!c->self[k])
        return eb_fail_memory(status, "distances of points to themselves", c->rows.count * sizeof *c->self[k]);
    for (size_t row = 0; row < c->rows.count; row++) {
        c->self[k][row] = INFINITY;
        for (uint64_t at = table->offsets[row]; at < table->offsets[row + 1]; at++)
            if (table->columns[at] == c->rows.row[row])
                c->self[k][row] = eb_neighbours_distance(table, at);
    }
    return EB_OK;
}

/* |R| counts each point's self pair, which an engine need not find in a join of two sets. */
static void correct_pairs(eb_comparison *c)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->compared[k]) {
            c->run[k].pairs = c->accuracy[k].pairs_fast;
            c->run[c->reference].pairs = c->accuracy[k].pairs_true;
        }
}

static eb_code compare_all(const eb_compare_request *q, eb_comparison *c, eb_job *job, eb_status *status)
{
    bool any = false;
    for (size_t k = 0; k < c->count; k++) {
        if (k != c->reference && !c->compared[k] && c->run[k].table && c->run[c->reference].table)
            EB_TRY(compare_tables(q, c, k, c->run[k].table, c->run[c->reference].table, job, status));
        any |= c->compared[k];
    }
    for (size_t k = 0; k < c->count && rows_of(c); k++)
        if (c->run[k].table)
            EB_TRY(take_self(c, k, status));
    if (rows_of(c))
        correct_pairs(c);
    if (q->brief)
        return EB_OK;
    if (any)
        EB_TRY(look_beyond(q, c, q->boundary ? q->boundary : EB_DEFAULT_BOUNDARY, job, status));
    for (size_t k = 0; k < c->count; k++)
        if (c->compared[k])
            EB_TRY(complete_one(q, c, k, job, status));
    return EB_OK;
}

/* A refusal names a row of the points drawn; the engine opened on all points names the row of the dataset. */
static eb_code refuse(const eb_compare_request *q, eb_job *job, eb_status *status)
{
    const eb_problem whole = eb_self_join(q->dataset);
    for (size_t k = 0; k < q->count; k++) {
        eb_opened opened;
        EB_TRY(eb_problem_open(&q->setup[k], &whole, job, &opened, status));
        eb_problem_close(&opened);
    }
    return EB_BAD_VALUE;
}

static eb_code draw(const eb_compare_request *q, eb_job *job, eb_comparison *out, eb_status *status)
{
    size_t count = q->sample < q->dataset->n ? q->sample : 0;
    out->whole_s = NAN;
    if (q->sample == 0 && q->may_sample) {
        const double whole_s = eb_comparison_forecast(q->setup, q->count, q->dataset, q->eps, q->trials, job);
        EB_TRY(eb_job_check(job, status));
        count = eb_sample_for(q->dataset->n, whole_s);
        out->whole_s = count > 0 ? whole_s : NAN;
    }
    return count > 0 ? eb_rows_draw(q->dataset, count, q->seed, &out->rows, status) : EB_OK;
}

eb_code eb_compare(const eb_compare_request *q, const eb_run_observer *observer, eb_job *job, eb_comparison *out,
                   eb_status *status)
{
    memset(out, 0, sizeof *out);
    if (q->count < 2 || q->count > EB_MOST_COMPARED)
        return eb_fail(status, EB_USAGE, "compare takes 2 to %u engines; found %zu", EB_MOST_COMPARED, q->count);
    EB_TRY(eb_compare_check(q, status));
    out->wanted = q->count;
    out->reference = most_exact(q->setup, q->count);
    EB_TRY(draw(q, job, out, status));
    eb_code failed = measure_all(q, observer, job, out, status);
    if (failed == EB_BAD_VALUE && rows_of(out))
        failed = refuse(q, job, status);
    return failed ? failed : compare_all(q, out, job, status);
}

static eb_code ask_for_self(eb_comparison *c, size_t k, const eb_dataset *dataset, eb_job *job, eb_status *status)
{
    if (c->self[k])
        return EB_OK;
    double *distance = calloc(dataset->n, sizeof *distance);
    if (!distance)
        return eb_fail_memory(status, "distances of points to themselves", dataset->n * sizeof *distance);
    eb_code failed = eb_self_distances(&c->run[k].setup, dataset, c->run[k].eps, job, distance, status);
    if (failed)
        free(distance);
    else
        c->self[k] = distance;
    return failed;
}

eb_code eb_comparison_with_self(eb_comparison *c, size_t k, const eb_dataset *dataset, eb_job *job, eb_accuracy *out,
                                eb_status *status)
{
    EB_TRY(ask_for_self(c, c->reference, dataset, job, status));
    EB_TRY(ask_for_self(c, k, dataset, job, status));
    return eb_accuracy_with_self(&c->accuracy[k], c->self[k], c->self[c->reference], out, status);
}

void eb_comparison_drop_neighbours(eb_comparison *c)
{
    for (size_t k = 0; k < c->count; k++) {
        eb_neighbours_free(c->run[k].table);
        c->run[k].table = NULL;
    }
}

void eb_comparison_free(eb_comparison *c)
{
    for (size_t k = 0; k < c->count; k++) {
        eb_run_free(&c->run[k]);
        if (c->compared[k])
            eb_accuracy_free(&c->accuracy[k]);
        c->compared[k] = false;
        free(c->self[k]);
        c->self[k] = NULL;
    }
    eb_rows_free(&c->rows);
    c->count = 0;
}
