/* scaling: multiplying points by a power of two so that FP64 can hold squared distances. A squared distance overflows
 * for distances from 2^512 on, and is 0 for distances below 2^-537. Points with such distances are replaced by
 * x·2^exponent. That is exact: without overflow or underflow, results differ in their exponents only.
 *
 * If all x are multiples of 2^u with |x| < 2^E, differences are multiples of 2^u below 2^(E+1). E ≤ 502 keeps s below
 * 2^1022 in 65536 dimensions. u ≥ −510 keeps every s > 0, and the ε² that it is compared with, in the normal range. If
 * the points span too many powers of two for both bounds, E ≤ 502 is kept and too small an ε is refused.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_scaling {
    int exponent;     /* 0: the points are not scaled */
    double least_eps; /* the smallest ε whose verdicts are correct; 0: all are */
} eb_scaling;

/* The scaling that the points of both sets need; for one set pass it twice. Unsealed datasets need none. */
eb_scaling eb_scaling_of(const eb_dataset *left, const eb_dataset *right);

/* Copies the dataset with all coordinates multiplied by 2^exponent. The caller frees out->rows. EB_F64 only. */
eb_code eb_dataset_scale(const eb_dataset *ds, int exponent, unsigned threads, eb_job *job, eb_dataset *out,
                         eb_status *status);

/* √s in the unit of the unscaled points; unit: 2^−exponent. An s computed by expansion may be slightly negative: the
 * distance is 0. NaN stays NaN. Uses a builtin, because C++ files include this header as C. */
static inline double eb_distance_of(double s, double unit) { return s < 0 ? 0 : unit * __builtin_sqrt(s); }

/* A pair ties with ε if its distance differs from ε by less than this fraction of ε. */
#define EB_TIE 0x1p-40

/* √Σx², without overflow or underflow of the squares. */
double eb_length(const double *x, size_t d);

/* The exact distance of one pair, without overflow or underflow. */
double eb_truth_distance(const eb_dataset *ds, size_t i, size_t j);
