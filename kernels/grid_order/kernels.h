/* kernels: a query against the 32 points of a block, compiled for several instruction sets (pairs_simd.c).
 *
 * The originals' arithmetic is s ← s + t·t, both rounded, in the grid's order of dimensions, in its type; or, of a grid
 * that expands, expansion.h's: the same bits by every instruction set. A block a is one of the left points, b of the
 * right ones; a query is a left point, by its place: 32·block + lane.
 */
#pragma once

#include "kernels/grid_order/grid.h"

typedef struct eb_pair_kernels {
    /* lanes[q]: of query q of block a, which points of b have s ≤ limit (by expansion: ≤ the grid's ε²). Queries are
     * left as soon as none can have. Returns how many dimensions were looked at, of all queries together. lanes has 32
     * entries. */
    uint64_t (*within)(const eb_eps_grid *grid, size_t a, size_t queries, size_t b, double limit, uint32_t *lanes);
    /* s[lane] of those lanes; others' may be anything. */
    void (*sums)(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s);
    /* The same by the truth's chain (dataset.h), of a grid in FP64. */
    void (*truth)(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s);
    /* A block's halves (expansion.h) of its values; places without a point get −∞. Returns the largest squared norm,
     * as it is rounded in the type. */
    double (*halves)(const eb_eps_grid *grid, eb_eps_grid_side *side, size_t block);
} eb_pair_kernels;

#define EB_PAIR_KERNELS(isa)                                                                                           \
    uint64_t eb_pairs_within_##isa(const eb_eps_grid *, size_t, size_t, size_t, double, uint32_t *);                   \
    void eb_pairs_sums_##isa(const eb_eps_grid *, size_t, size_t, uint32_t, double *);                                 \
    void eb_pairs_truth_##isa(const eb_eps_grid *, size_t, size_t, uint32_t, double *);                                \
    double eb_pairs_halves_##isa(const eb_eps_grid *, eb_eps_grid_side *, size_t);
EB_PAIR_KERNELS(base)
EB_PAIR_KERNELS(avx2)
EB_PAIR_KERNELS(avx512)

/* The set for this CPU (eb_cpu_isa). */
const eb_pair_kernels *eb_pair_kernels_here(void);
