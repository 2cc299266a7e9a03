/* points: prepares a dataset for ref64's joins. It finds the range of the values, and makes a copy of the points as
 * integers of 8 or 16 bits or as centred FP32. */
#pragma once

#include "kernels/ref64/cpu/kernels.h"

typedef struct eb_point_range {
    double *low, *high, *mean; /* [d] per dimension; NULL if bytes_only */
    bool bytes_only;           /* u8 or i8: small integers by their type, so that no value was read */
    bool integers;             /* every value is an integer */
} eb_point_range;

/* Allocates the lanes of n points, `steps` each; they are not written. */
eb_code eb_ref64_panels_make(size_t n, size_t steps, eb_panels *out, eb_status *status);
void eb_ref64_panels_free(eb_panels *panels);

/* Finds the range in one pass with all threads. */
eb_code eb_point_range_find(const eb_dataset *ds, unsigned threads, eb_job *job, eb_point_range *out,
                            eb_status *status);
void eb_point_range_free(eb_point_range *range); /* frees the arrays, not the struct */

/* True if all values are integers, each dimension's spread fits 16 bits, and all squared distances are below 2^32.
 * Integer arithmetic then gives FP64's result bit for bit, because every intermediate of FP64's chain is an integer
 * below 2^53. */
bool eb_points_fit_integers(const eb_point_range *range, size_t d);

/* True if the values, which fit integers, fit int8 around each dimension's middle. */
bool eb_points_fit_bytes(const eb_point_range *range, size_t d);

/* bytes: as int8, else as int16. */
eb_code eb_integer_points_make(const eb_dataset *ds, const eb_point_range *range, bool bytes, unsigned threads,
                               eb_job *job, eb_integer_points *out, eb_status *status);
void eb_integer_points_free(eb_integer_points *points);

/* Points as FP32: ŷ = fp32((x − mean)·2^−exponent), every coordinate within [−1, 1]. The filter's proof needs two FP64
 * numbers of each point (points.c). */
typedef struct eb_float_points {
    eb_panels panels;
    int exponent;
    double *norm2;    /* [n] ‖ŷ‖² in FP64, its relative error ≤ d·2^-52 */
    double *residual; /* [n] not below ‖(x − mean)·2^−exponent − ŷ‖ */
} eb_float_points;

/* True if the filter can use FP32: no intermediate overflows, and no subnormal decides a pair. */
bool eb_points_fit_floats(const eb_point_range *range, size_t d);
eb_code eb_float_points_make(const eb_dataset *ds, const eb_point_range *range, eb_ref64_round *round_row,
                             unsigned threads, eb_job *job, eb_float_points *out, eb_status *status);
void eb_float_points_free(eb_float_points *points);

/* The fraction of the FP32 sums' rounding error that the bound counts: all of it. A build with a smaller fraction must
 * fail its tests (tests/mutants). */
#ifndef EB_FILTER_LOSS
#define EB_FILTER_LOSS 1.0
#endif

/* Writes the thresholds of one join into h, the bits of ⌈n/16⌉·16 FP32 values. The FP32 sum h[i] + h[j] is not above
 * the FP32 dot product of any pair with s ≤ limit. */
void eb_filter_thresholds(const eb_float_points *points, size_t d, double limit, uint32_t *h);
