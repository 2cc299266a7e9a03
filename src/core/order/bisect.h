/* bisect: a block of points cut in two where it is widest. What an order of points is made by.
 *
 * The points lie k-major in FP64; what moves is `at`, in which order they are meant.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct eb_keyed {
    double key;
    uint32_t at;
} eb_keyed;

typedef struct eb_block {
    size_t d, room; /* room: points from one dimension's values to the next's */
    double *values; /* [d][room] */
    uint32_t *at;   /* [count] a permutation of the points */
    eb_keyed *keys; /* [count] scratch */
} eb_block;

typedef struct eb_cut {
    uint32_t dimension;
    double value; /* what lies below `middle` is at most that, what lies above at least */
} eb_cut;

/* Puts the points of at[begin, end) that are least in the dimension where these spread most into at[begin, middle);
 * begin < middle < end. */
eb_cut eb_bisect(const eb_block *block, size_t begin, size_t middle, size_t end);
