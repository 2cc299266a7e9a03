/* grid: points in epsilon grid order for one ε: sorted by their cells (cells.h), dimension by dimension, the most
 * selective first, and cut into blocks of 32 points with their coordinates side by side.
 *
 * C. Böhm, B. Braunmüller, F. Krebs, H.-P. Kriegel, Epsilon Grid Order, SIGMOD 2001; D. Kalashnikov, Super-EGO, VLDB
 * Journal 22(4), 2013, for the order of dimensions.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

#define EB_EPS_GRID_BLOCK 32u

typedef enum eb_eps_grid_type { EB_EPS_GRID_F32, EB_EPS_GRID_F64 } eb_eps_grid_type;

/* The order of a grid's dimensions (eb_eps_grid_order_dimensions): as stored; by the mean distance of random pairs, as
 * in Super-EGO's code; by the number of pairs that cells leave, as in FGF-Hilbert's. */
typedef enum eb_dimensions_order { EB_DIMENSIONS_STORED, EB_DIMENSIONS_APART, EB_DIMENSIONS_CELLS } eb_dimensions_order;

/* One set of points in the order. A dimension k is the grid's k-th, not the stored one. */
typedef struct eb_eps_grid_side {
    size_t n, blocks;
    uint32_t *point; /* [blocks][32]; past the last: 0 */
    void *values;    /* [blocks][d][32] of the type (FP32 as its bits); past the last point: NaN, 0 if it expands */
    void *halves;    /* [blocks][parts][32], if the grid expands (expansion.h); past the last point: −∞ */
    double *norm;    /* [blocks] the largest squared norm, if the grid expands */
    int32_t *first, *last; /* [blocks][d] cells of a block's first and last point */
} eb_eps_grid_side;

typedef struct eb_eps_grid {
    double eps;
    eb_eps_grid_type type;
    size_t d;
    uint32_t *dimension; /* [d] the stored dimension that is the grid's k-th */
    uint32_t *place;     /* [d] the inverse */
    bool self, expands;
    double reach;             /* ε² in the type, for expansion.h */
    eb_eps_grid_side side[2]; /* left, right; a self-join has only the left */
} eb_eps_grid;

typedef struct eb_eps_grid_request {
    const eb_dataset *left, *right; /* a self-join if both are the same */
    double eps;                     /* INFINITY: all points in one cell, in stored order */
    eb_eps_grid_type type;
    eb_dimensions_order dimensions;
    bool expand; /* for the sums of expansion.h */
    unsigned threads;
    eb_job *job;
} eb_eps_grid_request;

static inline const eb_eps_grid_side *eb_eps_grid_right(const eb_eps_grid *grid) { return &grid->side[!grid->self]; }

static inline size_t eb_eps_grid_block_count(const eb_eps_grid_side *side, size_t block)
{
    return side->n - block * EB_EPS_GRID_BLOCK < EB_EPS_GRID_BLOCK ? side->n - block * EB_EPS_GRID_BLOCK
                                                                   : EB_EPS_GRID_BLOCK;
}

static inline size_t eb_eps_grid_value_bytes(eb_eps_grid_type type)
{
    return type == EB_EPS_GRID_F32 ? sizeof(float) : sizeof(double);
}

/* [d][32] */
static inline const void *eb_eps_grid_values(const eb_eps_grid *grid, const eb_eps_grid_side *side, size_t block)
{
    return (const char *)side->values + block * grid->d * EB_EPS_GRID_BLOCK * eb_eps_grid_value_bytes(grid->type);
}

eb_code eb_eps_grid_make(const eb_eps_grid_request *request, eb_eps_grid *out, eb_status *status);
void eb_eps_grid_free(eb_eps_grid *grid); /* frees the arrays, not the struct */

/* Bytes of one side, including temporary arrays while it is made. */
uint64_t eb_eps_grid_bytes(size_t n, size_t d, bool expands);

/* Writes the stored dimensions in the requested order to order [d]; equal ones stay in stored order.
 * EB_DIMENSIONS_APART: largest mean distance of 2,000 random pairs of points first.
 * EB_DIMENSIONS_CELLS: fewest pairs left by cells of side ε first: Σ h(h − 1)/2 + h·h' over the numbers of points h of
 * a cell and h' of the next, for at most 100,000 left points, evenly spread. */
eb_code eb_eps_grid_order_dimensions(const eb_eps_grid_request *request, uint32_t *order, eb_status *status);
