#include "core/study/compare.h"
#include "core/study/beyond.h"
#include "core/study/boundary.h"

#include <stdlib.h>
#include <string.h>

/* Among equals the last. */
static size_t most_exact(const eb_setup *setup, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (eb_setup_exactness(&setup[k]) <= eb_setup_exactness(&setup[best]))
            best = k;
    return best;
}

static eb_distances distances_of(const eb_compare_request *q, size_t k)
{
    return q->setup[k].engine->f32_distances ? q->distances : EB_DISTANCES_F64;
}

eb_code eb_compare_check(const eb_compare_request *q, eb_status *status)
{
    bool narrow = false;
    for (size_t k = 0; k < q->count; k++)
        narrow |= distances_of(q, k) == EB_DISTANCES_F32;
    if (q->distances == EB_DISTANCES_NONE)
        return eb_fail(status, EB_USAGE,
                       "without distances there are no errors to compare: distances must be f32 or f64; "
                       "found none");
    if (q->distances == EB_DISTANCES_F32 && !narrow)
        return eb_fail(status, EB_USAGE,
                       "none of these engines computes distances in FP32: distances must be f64; found f32");
    return EB_OK;
}

/* Without a warm-up the first trials are to be cold. */
static void look_ahead(const eb_compare_request *q, eb_job *job, eb_forecast *forecast)
{
    const eb_problem problem = eb_self_join(q->dataset);
    eb_forecast_begin(forecast, job, "engine", q->count, q->trials);
    for (size_t k = 0; k < q->count && q->warm_up != EB_WARM_UP_NONE; k++)
        eb_forecast_look(forecast, k, &q->setup[k], &problem, q->eps);
    eb_forecast_announce(forecast);
}

/* All tables must be in memory until the reference's is there: each may take an equal share of what is left. */
static eb_code measure_all(const eb_compare_request *q, const eb_run_observer *observer, eb_job *job, eb_comparison *c,
                           eb_status *status)
{
    const eb_budget budget = eb_budget_of(q->setup, q->count, q->dataset, q->memory_limit);
    uint64_t left = budget.tables;
    eb_forecast forecast;
    look_ahead(q, job, &forecast);
    eb_code failed = EB_OK;
    while (c->count < c->wanted && !failed) {
        eb_run *run = &c->run[c->count];
        uint64_t share = left / (c->wanted - c->count);
        if (q->memory_limit && share == 0)
            share = 1; /* 0 would be no limit */
        eb_measure_request request = {.setup = &q->setup[c->count],
                                      .distances = distances_of(q, c->count),
                                      .problem = eb_self_join(q->dataset),
                                      .eps = q->eps,
                                      .mode = EB_RUN_TABLE,
                                      .trials = q->trials,
                                      .warm_up = q->warm_up,
                                      .memory = {.limit = q->memory_limit, .points = budget.points, .tables = share},
                                      .forecast = &forecast};
        eb_forecast_run(&forecast, c->count);
        c->count++;
        failed = eb_measure(&request, observer, job, run, status);
        const eb_neighbours *table = run->table;
        uint64_t taken = table ? eb_neighbours_bytes(table->rows, table->offsets[table->rows], table->kept) : share;
        left -= taken < left ? taken : left;
    }
    eb_forecast_end(&forecast);
    return failed;
}

static eb_code compare_one(const eb_compare_request *q, eb_comparison *c, size_t k, eb_job *job, eb_status *status)
{
    eb_accuracy_request request = {.dataset = q->dataset,
                                   .eps = q->eps,
                                   .fast = c->run[k].table,
                                   .truth = c->run[c->reference].table,
                                   .fast_opened = NULL, /* it is asked once all pairs near ε are known */
                                   .bins = q->bins,
                                   .boundary = q->boundary,
                                   .threads = q->threads};
    eb_job_phase(job, "accuracy", q->dataset->n);
    eb_code failed = eb_accuracy_compute(&request, job, &c->accuracy[k], status);
    if (!failed) {
        failed = eb_dataset_check(q->dataset, status);
        if (failed)
            eb_accuracy_free(&c->accuracy[k]);
    }
    c->compared[k] = !failed;
    return failed;
}

/* What the engine says of pairs that it did not report. */
static eb_code complete_one(const eb_compare_request *q, eb_comparison *c, size_t k, eb_job *job, eb_status *status)
{
    eb_opened opened;
    eb_problem problem = eb_self_join(q->dataset);
    EB_TRY(eb_problem_open(&q->setup[k], &problem, job, &opened, status));
    eb_code failed = eb_boundary_complete(&opened, c->accuracy[k].boundary, c->accuracy[k].boundary_count, status);
    eb_problem_close(&opened);
    return failed;
}

static eb_code compare_all(const eb_compare_request *q, eb_comparison *c, eb_job *job, eb_status *status)
{
    eb_code failed = EB_OK;
    bool any = false;
    for (size_t k = 0; k < c->count && !failed; k++)
        if (k != c->reference && c->run[k].table && c->run[c->reference].table) {
            failed = compare_one(q, c, k, job, status);
            any = true;
        }
    if (!failed && any)
        failed = eb_look_beyond(q, c, q->boundary ? q->boundary : EB_DEFAULT_BOUNDARY, job, status);
    for (size_t k = 0; k < c->count && !failed; k++)
        if (c->compared[k])
            failed = complete_one(q, c, k, job, status);
    return failed;
}

eb_code eb_compare(const eb_compare_request *q, const eb_run_observer *observer, eb_job *job, eb_comparison *out,
                   eb_status *status)
{
    memset(out, 0, sizeof *out);
    if (q->count < 2 || q->count > EB_MOST_COMPARED)
        return eb_fail(status, EB_USAGE, "compare takes 2 to %u engines; found %zu", EB_MOST_COMPARED, q->count);
    EB_TRY(eb_compare_check(q, status));
    out->wanted = q->count;
    for (size_t k = 0; k < q->count; k++)
        out->run[k].setup = q->setup[k];
    out->reference = most_exact(q->setup, q->count);
    eb_code failed = measure_all(q, observer, job, out, status);
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
    c->count = 0;
}
