/* ref64_points: what ref64 makes of a dataset before it joins it: a look at the values, then
 * integers or centred FP32. */
#pragma once

#include "kernels/ref64/cpu/kernels.h"

typedef struct eb_point_range {
    double *low, *high, *mean; /* [d] per dimension; NULL when bytes_only */
    bool bytes_only;           /* u8 or i8: small integers by their type, nothing was looked at */
    bool integers;             /* every value is one */
} eb_point_range;

/* One pass, all threads. */
eb_code eb_point_range_find(const eb_dataset *ds, unsigned threads, eb_job *job, eb_point_range *out,
                            eb_status *status);
void eb_point_range_free(eb_point_range *range); /* frees what it holds */

/* Integers whose every squared distance is below 2^32 and every spread fits 16 bits: the same answer as FP64's, bit for
 * bit, because every intermediate of FP64's chain is then an integer below 2^53. */
bool eb_points_fit_integers(const eb_point_range *range, size_t d);

/* Points as 16-bit integers around each dimension's middle, and their squared norms modulo 2^32. */
typedef struct eb_integer_points {
    eb_panels panels;
    uint32_t *norms; /* [⌈n/16⌉·16] */
} eb_integer_points;

eb_code eb_integer_points_make(const eb_dataset *ds, const eb_point_range *range, unsigned threads, eb_job *job,
                               eb_integer_points *out, eb_status *status);
void eb_integer_points_free(eb_integer_points *points);

/* Points as FP32: ŷ = fp32((x − mean)·2^−exponent), every coordinate within [−1, 1]. The proof that the filter rests on
 * needs two FP64 numbers of each (ref64_filter.c). */
typedef struct eb_float_points {
    eb_panels panels;
    int exponent;
    double *norm2;    /* [n] ‖ŷ‖² in FP64, its relative error ≤ d·2^-52 */
    double *residual; /* [n] not below ‖(x − mean)·2^−exponent − ŷ‖ */
} eb_float_points;

/* Are the values such that FP32 is of use: no overflow on the way, no subnormals that decide? */
bool eb_points_fit_floats(const eb_point_range *range, size_t d);
eb_code eb_float_points_make(const eb_dataset *ds, const eb_point_range *range, unsigned threads, eb_job *job,
                             eb_float_points *out, eb_status *status);
void eb_float_points_free(eb_float_points *points);

/* Of what FP32 sums may lose, how much the bound counts: all. A build that weakens it must fail (tests/mutants). */
#ifndef EB_FILTER_LOSS
#define EB_FILTER_LOSS 1.0
#endif

/* The thresholds of one join: h[i] + h[j] in FP32 is not above the FP32 dot product of any pair with s ≤ limit. h: the
 * bits of ⌈n/16⌉·16 FP32 values. */
void eb_filter_thresholds(const eb_float_points *points, size_t d, double limit, uint32_t *h);
