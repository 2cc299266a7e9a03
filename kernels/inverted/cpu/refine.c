#include "kernels/inverted/cpu/refine.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/parallel.h"

enum { CHUNK = 16 }; /* queries of a task */

typedef struct candidate {
    double s;
    uint32_t row;
} candidate;

static int by_nearness(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->s != y->s ? (x->s > y->s) - (x->s < y->s) : (x->row > y->row) - (x->row < y->row);
}

static double distance2(const eb_refinement *w, const float *query, uint32_t row, double *point)
{
    double s = 0;
    eb_to_f64(w->points->dtype, eb_row(w->points, row), w->points->d, point);
    for (size_t t = 0; t < w->points->d; t++) {
        const double x = w->file->exponent ? ldexp(point[t], w->file->exponent) : point[t], away = (double)query[t] - x;
        s = fma(away, away, s);
    }
    return s;
}

static void refine_one(const eb_refinement *w, size_t query, candidate *near, double *point)
{
    const uint32_t *found = w->found + query * w->among;
    size_t count = 0;
    for (size_t i = 0; i < w->among; i++)
        if (found[i] != EB_NO_POINT) {
            const double s = distance2(w, w->queries + query * w->points->d, found[i], point);
            near[count++] = (candidate){s, found[i]};
        }
    qsort(near, count, sizeof *near, by_nearness);
    for (size_t i = 0; i < w->k; i++) {
        w->rows[query * w->k + i] = i < count ? near[i].row : EB_NO_POINT;
        w->distances[query * w->k + i] = i < count ? ldexp(sqrt(near[i].s), -w->file->exponent) : (double)INFINITY;
    }
}

static eb_code refine_chunk(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const eb_refinement *w = context;
    const size_t first = (size_t)task * CHUNK, end = first + CHUNK < w->count ? first + CHUNK : w->count;
    candidate *near = malloc(w->among * sizeof *near);
    double *point = malloc(w->points->d * sizeof *point);
    (void)thread;
    for (size_t q = first; near && point && q < end; q++)
        refine_one(w, q, near, point);
    const bool made = near && point;
    free(near);
    free(point);
    return made ? EB_OK : eb_fail_memory(status, "candidates", w->among * sizeof *near);
}

eb_code eb_inverted_refine(const eb_refinement *work, unsigned threads, eb_job *job, eb_status *status)
{
    eb_refinement w = *work;
    return eb_parallel(threads, (w.count + CHUNK - 1) / CHUNK, refine_chunk, &w, job, status);
}
