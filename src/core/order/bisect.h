/* bisect: dividing a block of points in two, in the dimension where they spread most (used by leaves.c).
 *
 * The coordinates lie k-major in FP64 and do not move; only the permutation `at` changes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct eb_keyed {
    double key;
    uint32_t at;
} eb_keyed;

typedef struct eb_block {
    size_t d, room; /* room: stride between dimensions */
    double *values; /* [d][room] */
    uint32_t *at;   /* [count] a permutation of the points */
    eb_keyed *keys; /* [count] scratch */
} eb_block;

typedef struct eb_cut {
    uint32_t dimension;
    double value; /* coordinates before `middle` are ≤ value, those from `middle` on are ≥ value */
} eb_cut;

/* Moves the points of at[begin, end) with the least coordinates in their widest dimension to at[begin, middle);
 * begin < middle < end. */
eb_cut eb_bisect(const eb_block *block, size_t begin, size_t middle, size_t end);
