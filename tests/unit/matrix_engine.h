/* matrix_engine: an engine whose squared distances come from a test's matrix: ties, NaN, infinity, any order. It
 * supports only what tuning and accuracy need: histogram and distances. matrix_open fills an eb_opened, which need not
 * be closed. The engine counts its passes and records the most distances kept by one pass. Header-only. */
#pragma once

#include <stdlib.h>

#include "core/engine/problem.h"

typedef struct matrix {
    size_t n;
    double *s; /* [n · n] */
    unsigned passes;
    uint64_t most_kept;
    unsigned fail_at_pass;  /* pass that fails, from 1; 0: never */
    eb_job *cancel_at_pass; /* cancelled when fail_at_pass is reached, instead of failing */
    eb_job *job;            /* the job it was opened with */
} matrix;

static inline matrix matrix_new(size_t n)
{
    matrix m = {.n = n, .s = calloc(n * n, sizeof *m.s)};
    if (!m.s)
        abort();
    return m;
}

static inline void matrix_set(matrix *m, size_t i, size_t j, double s) { m->s[i * m->n + j] = m->s[j * m->n + i] = s; }

static inline matrix matrix_of(const eb_dataset *ds)
{
    matrix m = matrix_new(ds->n);
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = i + 1; j < ds->n; j++)
            matrix_set(&m, i, j, eb_truth_distance2(ds, i, j));
    return m;
}

static inline size_t matrix_interval(const eb_distance_pass *pass, double s)
{
    size_t low = 0, high = pass->edges; /* the first edge whose square is not below s */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s <= eb_squared_threshold(pass->eps[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static inline eb_code matrix_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    matrix *m = state;
    m->passes++;
    if (m->passes == m->fail_at_pass && m->cancel_at_pass)
        eb_job_cancel(m->cancel_at_pass);
    else if (m->passes == m->fail_at_pass)
        return eb_fail(status, EB_INTERNAL, "the matrix engine was told to fail at pass %u", m->passes);
    for (size_t k = 0; k < pass->edges; k++) {
        pass->pairs[k] = 0;
        pass->kept[k] = pass->keep[k] ? malloc((m->n * m->n / 2 + 1) * sizeof(double)) : NULL;
        if (pass->keep[k] && !pass->kept[k])
            abort();
        if (k > 0 && !(pass->eps[k] > pass->eps[k - 1]))
            return eb_fail(status, EB_INTERNAL, "edges that do not ascend");
    }
    uint64_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++) {
            double s = m->s[i * m->n + j];
            size_t k = matrix_interval(pass, s);
            if (k == pass->edges)
                continue;
            if (pass->keep[k]) {
                pass->kept[k][pass->pairs[k]] = s;
                kept++;
            }
            pass->pairs[k]++;
        }
    m->most_kept = kept > m->most_kept ? kept : m->most_kept;
    return eb_job_check(m->job, status);
}

static inline eb_code matrix_distances(void *state, const uint32_t *rows, size_t count, double *out, eb_status *status)
{
    const matrix *m = state;
    for (size_t q = 0; q < count; q++)
        for (size_t j = 0; j < m->n; j++)
            out[q * m->n + j] = rows[q] == j ? 0 : m->s[rows[q] * m->n + j];
    return eb_job_check(m->job, status);
}

static const eb_implementation matrix_cpu = {.histogram = matrix_histogram, .distances = matrix_distances};

static const eb_engine matrix_engine = {
    .name = "matrix",
    .title = "matrix",
    .exactness = EB_APPROXIMATE,
    .on = {[EB_DEVICE_CPU] = {"distances as a test wants them", &matrix_cpu}},
};

static const eb_setup matrix_setup = {
    .engine = &matrix_engine,
    .run = &matrix_cpu,
    .device = {.kind = EB_DEVICE_CPU, .name = "cpu"},
    .options = {.list = &matrix_engine.options},
    .resources = {.threads = 1},
    .spec = "matrix",
};

/* Fills out like eb_problem_open for a self-join of ds. Only ds's facts that the engine does not compute matter. */
static inline void matrix_open(matrix *m, const eb_dataset *ds, eb_job *job, eb_opened *out)
{
    m->job = job;
    *out = (eb_opened){.setup = &matrix_setup, .run = matrix_setup.run, .problem = eb_self_join(ds), .state = m};
    out->context = (eb_context){.device = &matrix_setup.device,
                                .devices = 1,
                                .threads = 1,
                                .options = matrix_setup.options,
                                .job = job,
                                .figures = &out->figures};
}
