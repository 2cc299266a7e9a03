/* naive_engine: the whole engine interface over eb_truth_distance2, one thread, nothing clever: what tests compare
 * with, and what they run joins, tuning and measurements on. Header-only.
 *
 * naive_engine is the engine as it should be; naive_trouble makes it misbehave: fail after so many hits, or cancel a
 * job. Reset it (memset) between tests.
 */
#ifndef EB_TESTS_NAIVE_ENGINE_H
#define EB_TESTS_NAIVE_ENGINE_H

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/engine.h"

typedef struct naive_troubles {
    uint64_t fail_after_hits;    /* 0: never; else the join fails with EB_INTERNAL once it has emitted so many */
    uint64_t cancel_after_joins; /* 0: never; else the job is cancelled when that many joins were begun */
    eb_job *job_to_cancel;
    uint64_t joins, counts, opens, closes; /* how often each was called */
} naive_troubles;

static naive_troubles naive_trouble;

typedef struct naive_state {
    const eb_dataset *ds;
} naive_state;

static inline eb_code naive_probe(const eb_device *device, eb_status *status)
{
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

static inline eb_code naive_open(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options,
                                 eb_job *job, eb_timing *timing, void **state, eb_status *status)
{
    (void)device;
    (void)options;
    (void)job;
    (void)timing;
    naive_state *naive = malloc(sizeof *naive);
    if (!naive)
        return eb_fail_memory(status, "the naive engine", sizeof *naive);
    naive->ds = ds;
    *state = naive;
    naive_trouble.opens++;
    return EB_OK;
}

static inline eb_code naive_count(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs,
                                  eb_status *status)
{
    const eb_dataset *ds = ((naive_state *)state)->ds;
    double limit = eb_squared_threshold(eps), begin = eb_now_s();
    uint64_t found = ds->n;
    naive_trouble.counts++;
    for (size_t i = 0; i < ds->n; i++) {
        eb_code code = eb_job_check(job, status);
        if (code != EB_OK)
            return code;
        for (size_t j = i + 1; j < ds->n; j++)
            if (eb_truth_distance2(ds, i, j) <= limit)
                found += 2;
        eb_job_advance(job, 1);
    }
    eb_timing_add(&timing->kernel_s, eb_now_s() - begin);
    *pairs = found;
    return EB_OK;
}

static inline eb_code naive_join(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink,
                                 eb_job *job, eb_timing *timing, eb_status *status)
{
    const eb_dataset *ds = ((naive_state *)state)->ds;
    double limit = eb_squared_threshold(eps), begin = eb_now_s();
    uint64_t emitted = 0;
    naive_trouble.joins++;
    if (naive_trouble.cancel_after_joins && naive_trouble.joins >= naive_trouble.cancel_after_joins)
        eb_job_cancel(naive_trouble.job_to_cancel);
    for (size_t i = row_begin; i < row_end; i++) {
        eb_code code = eb_job_check(job, status);
        if (code != EB_OK)
            return code;
        for (size_t j = 0; j < ds->n; j++) {
            bool other_row_has_it =
                j >= row_begin && j <= i; /* inside the range each pair comes once, from its lower end */
            if (other_row_has_it)
                continue;
            eb_hit hit = {.i = (uint32_t)i, .j = (uint32_t)j, .s = eb_truth_distance2(ds, i, j)};
            if (!(hit.s <= limit))
                continue;
            if (naive_trouble.fail_after_hits && emitted >= naive_trouble.fail_after_hits)
                return eb_fail(status, EB_INTERNAL, "the naive engine was told to fail after %llu hits",
                               (unsigned long long)emitted);
            code = sink->hits(sink->context, 0, &hit, 1, status);
            if (code != EB_OK)
                return code;
            emitted++;
        }
        eb_job_advance(job, 1);
    }
    eb_timing_add(&timing->kernel_s, eb_now_s() - begin);
    return EB_OK;
}

/* The interval of s: the first edge k with s ≤ fl(eps[k]²); edges when there is none. */
static inline size_t naive_interval(const eb_distance_pass *pass, double s)
{
    size_t k = 0;
    while (k < pass->edges && !(s <= eb_squared_threshold(pass->eps[k])))
        k++;
    return k;
}

static inline eb_code naive_histogram(void *state, eb_distance_pass *pass, eb_job *job, eb_timing *timing,
                                      eb_status *status)
{
    const eb_dataset *ds = ((naive_state *)state)->ds;
    double begin = eb_now_s();
    /* Once to count, once to keep. */
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
    eb_job_advance(job, ds->n);
    eb_timing_add(&timing->kernel_s, eb_now_s() - begin);
    return eb_job_check(job, status);
}

static inline eb_code naive_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_job *job,
                                      eb_status *status)
{
    const eb_dataset *ds = ((naive_state *)state)->ds;
    for (size_t q = 0; q < m; q++)
        for (size_t j = 0; j < ds->n; j++)
            out[q * ds->n + j] = eb_truth_distance2(ds, rows[q], j);
    return eb_job_check(job, status);
}

static inline void naive_close(void *state)
{
    if (state)
        naive_trouble.closes++;
    free(state);
}

static inline double naive_executed_flops(size_t n, size_t d, const eb_engine_options *options)
{
    (void)options;
    return 2 * (double)n * (double)(n - 1) / 2 * (double)d;
}

static inline const char *naive_describe(const void *state)
{
    (void)state;
    return "naive, one thread";
}

static const eb_engine naive_engine = {
    .name = "naive",
    .summary = "the truth, pair by pair",
    .device_kind = EB_DEVICE_CPU,
    .is_truth = true,
    .probe = naive_probe,
    .memory_needed = naive_memory_needed,
    .open = naive_open,
    .count = naive_count,
    .join = naive_join,
    .histogram = naive_histogram,
    .distances = naive_distances,
    .close = naive_close,
    .executed_flops = naive_executed_flops,
    .describe = naive_describe,
};

#endif
