/* kernels: a query against the 32 points of a block, compiled for several instruction sets (pairs_simd.c).
 *
 * The originals' arithmetic is s ← s + t·t, both rounded, in the grid's order of dimensions, in its type: the same bits
 * by every instruction set. A query is a lane of a block, its coordinates 32 apart.
 */
#ifndef EB_CPU_GRID_ORDER_KERNELS_H
#define EB_CPU_GRID_ORDER_KERNELS_H

#include "cpu/grid_order/grid.h"

typedef struct eb_pair_kernels {
    /* lanes[q]: of query q of block a, which points of b have s ≤ limit. A query is left as soon as none can have.
     * Returns how many dimensions were looked at, of all queries together. */
    uint64_t (*within)(const eb_eps_grid *grid, const void *a, size_t queries, const void *b, double limit,
                       uint32_t *lanes);
    /* s[lane] of those lanes; others' may be anything. */
    void (*sums)(const eb_eps_grid *grid, const void *query, const void *b, uint32_t lanes, double *s);
    /* The same by the truth's chain (dataset.h), of a grid in FP64. */
    void (*truth)(const eb_eps_grid *grid, const void *query, const void *b, uint32_t lanes, double *s);
} eb_pair_kernels;

#define EB_PAIR_KERNELS(isa)                                                                                           \
    uint64_t eb_pairs_within_##isa(const eb_eps_grid *, const void *, size_t, const void *, double, uint32_t *);       \
    void eb_pairs_sums_##isa(const eb_eps_grid *, const void *, const void *, uint32_t, double *);                     \
    void eb_pairs_truth_##isa(const eb_eps_grid *, const void *, const void *, uint32_t, double *);
EB_PAIR_KERNELS(base)
EB_PAIR_KERNELS(avx2)
EB_PAIR_KERNELS(avx512)

/* The set for this CPU (eb_cpu_isa). */
const eb_pair_kernels *eb_pair_kernels_here(void);

#endif
