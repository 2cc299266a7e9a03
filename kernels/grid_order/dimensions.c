/* dimensions: orders the dimensions of an epsilon grid. */
#include "kernels/grid_order/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "kernels/grid_order/cells.h"

enum { SAMPLED_PAIRS = 2000, SAMPLED_POINTS = 100000, COUNTED_CELLS = 65536 };

typedef struct measure {
    double pairs; /* pairs that the dimension's cells leave, or minus the mean distance: least first */
    uint32_t dimension;
} measure;

static int by_pairs(const void *a, const void *b)
{
    const measure *x = a, *y = b;
    if (x->pairs != y->pairs)
        return x->pairs < y->pairs ? -1 : 1;
    return (x->dimension > y->dimension) - (x->dimension < y->dimension);
}

/* ---- EB_DIMENSIONS_APART ---- */

static eb_code measure_apart(const eb_eps_grid_request *q, measure *measures, eb_status *status)
{
    const size_t d = q->left->d;
    double *p = malloc(2 * d * sizeof *p);
    uint64_t seed = 1;
    if (!p)
        return eb_fail_memory(status, "pairs of points", 2 * d * sizeof *p);
    for (size_t k = 0; k < SAMPLED_PAIRS; k++) {
        eb_to_f64(q->left->dtype, eb_row(q->left, eb_random_below(&seed, q->left->n)), d, p);
        eb_to_f64(q->right->dtype, eb_row(q->right, eb_random_below(&seed, q->right->n)), d, p + d);
        for (size_t c = 0; c < d; c++)
            measures[c].pairs -= fabs(p[c] - p[d + c]);
    }
    free(p);
    return EB_OK;
}

/* ---- EB_DIMENSIONS_CELLS ---- */

typedef struct counting {
    const eb_eps_grid_request *request;
    size_t points;
    int32_t *cells;   /* [threads][points] */
    uint32_t *counts; /* [threads][COUNTED_CELLS] */
    measure *measures;
} counting;

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts by counting if the cells' range is small. */
static void sort(int32_t *cells, size_t n, uint32_t *counts)
{
    int32_t low = cells[0], high = cells[0];
    for (size_t i = 1; i < n; i++) {
        low = cells[i] < low ? cells[i] : low;
        high = cells[i] > high ? cells[i] : high;
    }
    const int64_t range = (int64_t)high - low + 1;
    if (range > COUNTED_CELLS) {
        qsort(cells, n, sizeof *cells, ascending);
        return;
    }
    memset(counts, 0, (size_t)range * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        counts[cells[i] - low]++;
    for (size_t cell = 0, at = 0; cell < (size_t)range; cell++)
        for (; counts[cell]; counts[cell]--)
            cells[at++] = low + (int32_t)cell;
}

/* Pairs in the same or in neighbouring cells. cells: ascending. */
static double pairs_left(const int32_t *cells, size_t n)
{
    double pairs = 0, before = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && cells[end] == cells[begin];)
            end++;
        const double here = (double)(end - begin);
        const bool next = begin > 0 && (int64_t)cells[begin] - cells[begin - 1] == 1;
        pairs += here * (here - 1) / 2 + (next ? here * before : 0);
        before = here;
    }
    return pairs;
}

static eb_code count_cells(void *context, uint64_t k, unsigned thread, eb_status *status)
{
    (void)status;
    const counting *c = context;
    const eb_dataset *ds = c->request->left;
    const double side = c->request->eps > 0 ? c->request->eps : eb_cell_side(0, c->request->type == EB_EPS_GRID_F32);
    const size_t bytes = eb_dtype_size(ds->dtype);
    int32_t *cells = c->cells + thread * c->points;
    for (size_t i = 0; i < c->points; i++) {
        double x;
        eb_to_f64(ds->dtype, eb_row(ds, ds->n * i / c->points) + k * bytes, 1, &x);
        cells[i] = eb_cell_of(c->request->type == EB_EPS_GRID_F32 ? (double)(float)x : x, side);
    }
    sort(cells, c->points, c->counts + thread * (size_t)COUNTED_CELLS);
    c->measures[k].pairs = pairs_left(cells, c->points);
    return EB_OK;
}

static eb_code measure_cells(const eb_eps_grid_request *q, measure *measures, eb_status *status)
{
    const size_t points = q->left->n < SAMPLED_POINTS ? q->left->n : SAMPLED_POINTS;
    counting c = {.request = q, .points = points, .measures = measures};
    eb_code failed;
    c.cells = malloc(q->threads * points * sizeof *c.cells);
    c.counts = malloc(q->threads * COUNTED_CELLS * sizeof *c.counts);
    if (c.cells && c.counts)
        failed = eb_parallel(q->threads, q->left->d, count_cells, &c, q->job, status);
    else
        failed = eb_fail_memory(status, "cells of points", q->threads * points * sizeof *c.cells);
    free(c.counts);
    free(c.cells);
    return failed;
}

eb_code eb_eps_grid_order_dimensions(const eb_eps_grid_request *request, uint32_t *order, eb_status *status)
{
    const size_t d = request->left->d;
    for (size_t k = 0; k < d; k++)
        order[k] = (uint32_t)k;
    if (request->dimensions == EB_DIMENSIONS_STORED || isinf(request->eps) || d < 2)
        return EB_OK;
    measure *measures = calloc(d, sizeof *measures);
    if (!measures)
        return eb_fail_memory(status, "the order of dimensions", d * sizeof *measures);
    for (size_t k = 0; k < d; k++)
        measures[k].dimension = (uint32_t)k;
    const eb_code failed = request->dimensions == EB_DIMENSIONS_APART ? measure_apart(request, measures, status)
                                                                      : measure_cells(request, measures, status);
    qsort(measures, d, sizeof *measures, by_pairs);
    for (size_t k = 0; k < d; k++)
        order[k] = measures[k].dimension;
    free(measures);
    return failed;
}
