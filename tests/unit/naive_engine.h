/* naive_engine: the whole engine interface over eb_truth_distance2 in one thread, the reference for tests of joins,
 * tuning and measurements. Header-only.
 * naive_engine is correct; naive_trouble makes it fail after some hits or cancel a job. Reset naive_trouble (memset)
 * between tests. A test that replaces a function copies naive_cpu, changes it, and calls naive_setup_of on an engine
 * that runs the copy. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/problem.h"
#include "tests/unit/naive_points.h"

typedef struct naive_troubles {
    uint64_t fail_after_hits;    /* 0: never; else the join fails with EB_INTERNAL after this many hits */
    uint64_t cancel_after_joins; /* 0: never; else cancels the job when this many joins have begun */
    eb_job *job_to_cancel;
    uint64_t joins, counts, opens, closes; /* number of calls */
} naive_troubles;

static naive_troubles naive_trouble;

typedef struct naive_state {
    const eb_problem *problem;
    const eb_context *context;
} naive_state;

static inline eb_code naive_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    (void)options;
    if (device->kind != EB_DEVICE_CPU)
        return eb_fail(status, EB_NO_DEVICE, "naive runs on the CPU only, not on %s", device->name);
    return EB_OK;
}

static inline uint64_t naive_memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    (void)n;
    (void)d;
    (void)dtype;
    return sizeof(naive_state);
}

static inline eb_code naive_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    naive_state *naive = malloc(sizeof *naive);
    if (!naive)
        return eb_fail_memory(status, "the naive engine", sizeof *naive);
    *naive = (naive_state){.problem = problem, .context = context};
    *state = naive;
    naive_trouble.opens++;
    return EB_OK;
}

static inline double naive_s(const eb_problem *problem, size_t i, size_t j)
{
    return eb_is_self_join(problem) ? eb_truth_distance2(problem->left, i, j)
                                    : naive_distance2(problem->left, i, problem->right, j);
}

/* A pair with both ends in the rows is emitted at its lower end. A tile is a row; parts take rows in turn. */
static inline eb_code naive_walk(const naive_state *naive, const eb_question *question, const eb_share *share,
                                 uint64_t fail_after, const eb_sink *sink, eb_status *status)
{
    const eb_problem *problem = naive->problem;
    double limit = eb_squared_threshold(question->eps), begin = eb_now_s();
    uint64_t emitted = 0, looked_at = 0;
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_INTERNAL, "the naive engine knows no lists of leaves");
    for (size_t i = share->row_begin; i < share->row_end; i++) {
        eb_code failed = eb_job_check(naive->context->job, status);
        if (failed)
            return failed;
        for (size_t j = 0; j < problem->right->n && i % share->parts == share->part; j++) {
            if (eb_is_self_join(problem) && j >= share->row_begin && j <= i)
                continue;
            eb_hit hit = {.i = (uint32_t)i, .j = (uint32_t)j, .s = naive_s(problem, i, j)};
            looked_at++;
            if (!(hit.s <= limit))
                continue;
            if (fail_after && emitted >= fail_after)
                return eb_fail(status, EB_INTERNAL, "the naive engine was told to fail after %llu hits",
                               (unsigned long long)emitted);
            failed = sink->hits(sink->context, 0, &hit, 1, status);
            if (failed)
                return failed;
            emitted++;
        }
        eb_job_advance(naive->context->job, 1);
    }
    eb_figures_add(naive->context->figures, &eb_figure_kernel, eb_now_s() - begin);
    eb_figures_add(naive->context->figures, &eb_figure_executed_flops,
                   2 * (double)looked_at * (double)problem->left->d);
    return EB_OK;
}

static inline eb_code naive_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                                 eb_status *status)
{
    naive_trouble.joins++;
    if (naive_trouble.cancel_after_joins && naive_trouble.joins >= naive_trouble.cancel_after_joins)
        eb_job_cancel(naive_trouble.job_to_cancel);
    return naive_walk(state, question, share, naive_trouble.fail_after_hits, sink, status);
}

typedef struct naive_counting {
    bool self;
    const eb_share *share;
    uint64_t entries;
} naive_counting;

static inline eb_code naive_count_hits(void *context, unsigned thread, const eb_hit *hits, size_t count,
                                       eb_status *status)
{
    (void)thread;
    (void)status;
    naive_counting *c = context;
    for (size_t k = 0; k < count; k++) {
        bool both_ends = c->self && hits[k].j >= c->share->row_begin && hits[k].j < c->share->row_end;
        c->entries += both_ends ? 2 : 1;
    }
    return EB_OK;
}

static inline eb_code naive_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                                  eb_status *status)
{
    const naive_state *naive = state;
    naive_counting c = {.self = eb_is_self_join(naive->problem), .share = share};
    const eb_sink sink = {.context = &c, .hits = naive_count_hits};
    naive_trouble.counts++;
    for (size_t i = share->row_begin; i < share->row_end; i++)
        c.entries += c.self && i % share->parts == share->part;
    eb_code failed = naive_walk(naive, question, share, 0, &sink, status);
    *entries = c.entries;
    return failed;
}

/* The interval of s: the first edge k with s ≤ fl(eps[k]²); `edges` if there is none. */
static inline size_t naive_interval(const eb_distance_pass *pass, double s)
{
    size_t k = 0;
    while (k < pass->edges && !(s <= eb_squared_threshold(pass->eps[k])))
        k++;
    return k;
}

static inline eb_code naive_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    const naive_state *naive = state;
    const eb_dataset *ds = naive->problem->left;
    double begin = eb_now_s();
    /* One pass counts, one keeps. */
    for (size_t k = 0; k < pass->edges; k++) {
        pass->pairs[k] = 0;
        pass->kept[k] = NULL;
    }
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++) {
            size_t k = naive_interval(pass, eb_truth_distance2(ds, i, j));
            if (k < pass->edges)
                pass->pairs[k]++;
        }
    for (size_t k = 0; k < pass->edges; k++) {
        if (!pass->keep[k])
            continue;
        pass->kept[k] = malloc((pass->pairs[k] ? pass->pairs[k] : 1) * sizeof *pass->kept[k]);
        if (!pass->kept[k]) {
            while (k > 0) {
                free(pass->kept[--k]);
                pass->kept[k] = NULL;
            }
            return eb_fail_memory(status, "kept distances", pass->edges);
        }
        size_t filled = 0;
        for (size_t i = 0; i < ds->n; i++)
            for (size_t j = i + 1; j < ds->n; j++) {
                double s = eb_truth_distance2(ds, i, j);
                if (naive_interval(pass, s) == k)
                    pass->kept[k][filled++] = s;
            }
    }
    eb_job_advance(naive->context->job, ds->n);
    eb_figures_add(naive->context->figures, &eb_figure_kernel, eb_now_s() - begin);
    return eb_job_check(naive->context->job, status);
}

static inline eb_code naive_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const naive_state *naive = state;
    size_t columns = naive->problem->right->n;
    for (size_t q = 0; q < m; q++)
        for (size_t j = 0; j < columns; j++)
            out[q * columns + j] = naive_s(naive->problem, rows[q], j);
    return eb_job_check(naive->context->job, status);
}

static inline void naive_close(void *state)
{
    if (state)
        naive_trouble.closes++;
    free(state);
}

static inline const char *naive_describe(const void *state)
{
    (void)state;
    return "naive, one thread";
}

static const eb_implementation naive_cpu = {
    .probe = naive_probe,
    .memory_needed = naive_memory_needed,
    .open = naive_open,
    .count = naive_count,
    .join = naive_join,
    .histogram = naive_histogram,
    .distances = naive_distances,
    .close = naive_close,
    .describe = naive_describe,
};

static const eb_engine naive_engine = {
    .name = "naive",
    .title = "naive",
    .exactness = EB_TRUTH,
    .on = {[EB_DEVICE_CPU] = {"the truth, pair by pair", &naive_cpu}},
};

static const eb_setup naive_setup = {
    .engine = &naive_engine,
    .run = &naive_cpu,
    .device = {.kind = EB_DEVICE_CPU, .name = "cpu"},
    .options = {.list = &naive_engine.options},
    .resources = {.threads = 1},
    .spec = "naive",
};

/* A setup of a CPU engine with default options. */
static inline eb_setup naive_setup_of(const eb_engine *engine)
{
    eb_setup setup = naive_setup;
    setup.engine = engine;
    setup.run = engine->on[EB_DEVICE_CPU].run;
    eb_options_default(&engine->options, &setup.options);
    (void)snprintf(setup.spec, sizeof setup.spec, "%s", engine->name);
    return setup;
}
