/* leaves: points in an order (order.h) with what a join by boxes needs of them: their coordinates leaf by leaf, and
 * boxes around leaves, around 16 leaves, around 16 times 16.
 *
 * Coordinates are the stored ones, which FP64 holds exactly; a box's bounds are coordinates of its points. So t = p − q
 * of two points is, computed, nowhere smaller than the gap of their boxes computed alike, and the same chain of FMAs
 * over gaps gives a lower bound of s without any margin: rounding is monotonic. Where a chain rounds otherwise,
 * eb_box_limit has the room for it.
 */
#pragma once

#include "core/order/order.h"

#define EB_SIBLINGS 16u  /* boxes side by side */
#define EB_MOST_LEVELS 8 /* 16^8 leaves */

/* A level's boxes: of ⌈boxes / 16⌉ families each [d][2][16]: the 16 low bounds, the 16 high ones. */
typedef struct eb_box_level {
    size_t boxes;
    double *bounds; /* past the last box: whatever */
} eb_box_level;

typedef struct eb_leaves {
    eb_order order;
    size_t d;
    uint32_t *point; /* [leaves][EB_LEAF] the order's, leaf by leaf; past a leaf's last point: 0 */
    double *values;  /* [leaves][d][EB_LEAF]; past a leaf's last point: NaN, which is within no distance */
    uint32_t levels; /* ≥ 1; the last has at most EB_SIBLINGS boxes */
    eb_box_level level[EB_MOST_LEVELS]; /* [0]: of the leaves */
} eb_leaves;

eb_code eb_leaves_make(const eb_dataset *points, unsigned threads, eb_job *job, eb_leaves *out, eb_status *status);
void eb_leaves_free(eb_leaves *leaves); /* frees what it holds */

/* Bytes of all that it holds, and of what making it takes for a while. */
uint64_t eb_leaves_bytes(size_t n, size_t d);

static inline size_t eb_leaf_count(const eb_leaves *leaves, size_t leaf)
{
    return leaves->order.first[leaf + 1] - leaves->order.first[leaf];
}

static inline const double *eb_leaf_values(const eb_leaves *leaves, size_t leaf)
{
    return leaves->values + leaf * leaves->d * EB_LEAF;
}

/* A family's bounds in dimension k: 16 low ones, then 16 high ones. */
static inline const double *eb_family_bounds(const eb_leaves *leaves, uint32_t level, size_t family, size_t k)
{
    return leaves->level[level].bounds + (family * leaves->d + k) * 2 * EB_SIBLINGS;
}

/* The same test by a chain that rounds t·t before it adds it: with u = 2^-53 it may come out (d + 2)u too large, and
 * the truth as much too small; what is subnormal loses at most 2^-1074 a step. */
#ifndef EB_BOX_MARGIN
#define EB_BOX_MARGIN 0x1p-51
#endif
static inline double eb_box_limit(double limit, size_t d)
{
    return limit * (1 + ((double)d + 8) * EB_BOX_MARGIN) + (double)d * 0x1p-1070;
}
