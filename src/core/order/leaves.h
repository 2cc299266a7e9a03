/* leaves: points in leaves of EB_LEAF near points, for a join by bounding boxes at any ε: an order of the points, their
 * coordinates leaf by leaf, and a tree of boxes around each leaf, 16 leaves, 16² leaves and so on.
 *
 * A sample of the points is bisected repeatedly in its widest dimension, which divides space into cells of some
 * thousand points. Then each cell is bisected in the same way down to its leaves. Only the last leaf of a cell has
 * fewer points. Outliers, dense regions and equal points do no harm, unlike in a grid. The order does not depend on the
 * number of threads.
 *
 * Coordinates and the bounds of boxes are stored coordinates, exact in FP64. Rounding is monotonic, so in each
 * dimension the computed |p − q| of two points is at least the computed gap of their boxes. Therefore the same chain of
 * FMAs over gaps gives a lower bound of s without a margin. eb_box_limit adds the margin for chains that round
 * differently.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/schedule.h"

#ifndef EB_LEAF
#define EB_LEAF 32u
#endif
#define EB_SIBLINGS 16u  /* boxes of a family */
#define EB_MOST_LEVELS 8 /* enough for 16^8 leaves */

/* The boxes of a level, in ⌈boxes / 16⌉ families. A family is [d][2][16]: for each dimension 16 low and 16 high bounds.
 */
typedef struct eb_box_level {
    size_t boxes;
    double *bounds; /* unspecified past the last box */
} eb_box_level;

typedef struct eb_leaves {
    eb_order order;
    size_t d;
    uint32_t *point; /* [leaves][EB_LEAF] points of each leaf; past a leaf's last point: 0 */
    double *values;  /* [leaves][d][EB_LEAF]; past a leaf's last point: NaN, which is within no distance */
    uint32_t levels; /* ≥ 1; the last has at most EB_SIBLINGS boxes */
    eb_box_level level[EB_MOST_LEVELS]; /* [0]: boxes of the leaves */
} eb_leaves;

eb_code eb_leaves_make(const eb_dataset *points, unsigned threads, eb_job *job, eb_leaves *out, eb_status *status);
void eb_leaves_free(eb_leaves *leaves); /* frees the arrays, not the struct */

/* Upper bound of the bytes of the arrays and of the temporary memory while they are made. */
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

/* The threshold for a chain that rounds t·t before the addition. With u = 2^-53 its result may be too large by a factor
 * of 1 + (d + 2)u, and the exact s too small by as much; subnormal terms lose at most 2^-1074 per step. */
#ifndef EB_BOX_MARGIN
#define EB_BOX_MARGIN 0x1p-51
#endif
static inline double eb_box_limit(double limit, size_t d)
{
    return limit * (1 + ((double)d + 8) * EB_BOX_MARGIN) + (double)d * 0x1p-1070;
}
