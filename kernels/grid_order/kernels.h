/* kernels: the inner loops of joins in epsilon grid order: a query against the 32 points of a block, compiled for
 * several instruction sets (pairs_simd.c).
 *
 * The authors' sums are s ← s + t·t, both operations rounded, in the grid's order of dimensions and in its type; or
 * those of expansion.h if the grid expands. All instruction sets give the same bits. Block a has left points, block b
 * right points. A query is a left point, given by its place: 32·block + lane.
 */
#pragma once

#include "kernels/grid_order/grid.h"
#include "kernels/walk/isa.h"

typedef struct eb_pair_kernels {
    /* Sets lanes[q], of 32 entries, to the points of b with s ≤ limit of query q of block a (by expansion: s ≤ the
     * grid's ε²). A query ends as soon as no point can be within the limit. Returns the number of dimensions computed,
     * summed over the queries. */
    uint64_t (*within)(const eb_eps_grid *grid, size_t a, size_t queries, size_t b, double limit, uint32_t *lanes);
    /* Writes s[lane] of the given lanes; the others may be anything. */
    void (*sums)(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s);
    /* Like sums(), but by the exact chain (dataset.h), for a grid in FP64. */
    void (*truth)(const eb_eps_grid *grid, size_t query, size_t b, uint32_t lanes, double *s);
    /* Computes a block's halves (expansion.h) from its values; places without a point get −∞. Returns the largest
     * squared norm, rounded in the type. */
    double (*halves)(const eb_eps_grid *grid, eb_eps_grid_side *side, size_t block);
} eb_pair_kernels;

extern const eb_pair_kernels eb_pair_kernels_base, eb_pair_kernels_avx2, eb_pair_kernels_avx512; /* pairs_simd.c */

/* The kernels for this CPU (eb_cpu_isa). */
static inline const eb_pair_kernels *eb_pair_kernels_here(void)
{
    static const eb_pair_kernels *const kernels[] = {&eb_pair_kernels_base, &eb_pair_kernels_avx2,
                                                     &eb_pair_kernels_avx512}; /* by eb_isa */
    return kernels[eb_cpu_isa()];
}
