/* plain_engine: points in one dimension, and an engine on the walk that all CPU engines share, with one of three kinds
 * of kernel and a tile of any shape. Header-only. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/engine.h"
#include "tests/unit/cpu_engines.h"

/* ---- points in one dimension ---- */

#define N 203u

static double values[N];

static inline void place_points(void)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        values[i] = (double)(x >> 24); /* 0…255: many ties and duplicates */
    }
}

static inline eb_dataset some_points(size_t first, size_t n)
{
    return (eb_dataset){.n = n,
                        .d = 1,
                        .dtype = EB_F64,
                        .rows = (const unsigned char *)(values + first),
                        .stride = sizeof values[0]};
}

static inline double value_of(const eb_dataset *ds, size_t i)
{
    double value;
    memcpy(&value, eb_row(ds, i), sizeof value);
    return value;
}

static inline double square(double p, double q) { return (p - q) * (p - q); }

static inline double distance2(const eb_problem *problem, size_t i, size_t j)
{
    return square(value_of(problem->left, i), value_of(problem->right, j));
}

/* ---- an engine with any tile and one of three kernels ---- */

typedef enum tile_kernel { TILE, SURE, UNSURE, TILE_KERNELS } tile_kernel;

static const size_t shapes[][2] = {{1, 1}, {3, 5}, {16, 64}, {7, 130}, {64, 256}, {500, 500}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

/* Settings of the next engine to be opened. */
static struct {
    tile_kernel kernel;
    size_t rows, columns;
} chosen;

static inline void choose(tile_kernel kernel, size_t shape)
{
    chosen.kernel = kernel;
    chosen.rows = shapes[shape][0];
    chosen.columns = shapes[shape][1];
}

typedef struct plain {
    eb_host host; /* must be first */
    tile_kernel kernel;
    size_t rows, columns;
} plain;

static inline double at_places(const plain *p, size_t i, size_t j)
{
    const eb_dataset *points = p->host.points.points;
    return square(value_of(points, i), value_of(points, j));
}

static inline void plain_tile(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s,
                              void *scratch)
{
    *(char *)scratch = 1;
    for (size_t i = 0; i < ni; i++)
        for (size_t j = 0; j < nj; j++) {
            double here = at_places(state, i0 + i, j0 + j);
            s[i * nj + j] = here <= limit ? here : INFINITY;
        }
}

/* Like a filter, it also marks some pairs beyond ε, unless it decides. */
static inline bool plain_select(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                                uint64_t *bits, void *scratch)
{
    *(char *)scratch = 1;
    double slack = ((const plain *)state)->kernel == UNSURE ? 900 : 0;
    memset(bits, 0, ni * eb_tile_words(nj) * sizeof *bits);
    for (size_t i = 0; i < ni; i++)
        for (size_t j = 0; j < nj; j++)
            if (at_places(state, i0 + i, j0 + j) <= limit + slack && (!upper || j0 + j > i0 + i))
                bits[i * eb_tile_words(nj) + j / 64] |= (uint64_t)1 << (j % 64);
    return slack == 0;
}

static inline void plain_exact(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count,
                               double *s)
{
    for (size_t k = 0; k < count; k++)
        s[k] = at_places(state, rows[k], columns[k]);
}

static inline eb_code plain_begin(void *state, double limit, eb_tiled *walk, eb_status *status)
{
    (void)limit, (void)status;
    const plain *p = state;
    *walk = (eb_tiled){.tile_rows = p->rows, .tile_columns = p->columns, .state = state, .scratch_bytes = 8};
    if (p->kernel == TILE) {
        walk->tile = plain_tile;
    } else {
        walk->select = plain_select;
        walk->exact = plain_exact;
    }
    return EB_OK;
}

static inline eb_code plain_open(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    plain *p = calloc(1, sizeof *p);
    if (!p)
        return eb_fail_memory(status, "the plain engine", sizeof *p);
    p->kernel = chosen.kernel;
    p->rows = chosen.rows;
    p->columns = chosen.columns;
    p->host.begin = plain_begin;
    eb_code failed = eb_host_open(&p->host, problem, context, status);
    if (failed)
        free(p);
    else
        *state = p;
    return failed;
}

static inline void plain_close(void *state)
{
    plain *p = state;
    eb_host_close(&p->host);
    free(p);
}

static const eb_implementation plain_cpu = {.probe = eb_host_probe,
                                            .open = plain_open,
                                            .count = eb_collect_count,
                                            .join = eb_collect_join,
                                            .histogram = eb_collect_histogram,
                                            .distances = eb_host_distances,
                                            .bins = eb_host_bins,
                                            .close = plain_close};
static const eb_engine plain_engine = {.name = "plain", .on = {[EB_DEVICE_CPU] = {"any tile", &plain_cpu}}};
static const cpu_variant plain_variant = {&plain_engine, ""};
