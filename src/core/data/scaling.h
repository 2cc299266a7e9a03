/* scaling: points that FP64 can square. A squared distance leaves FP64's range long before the distance does: it is
 * infinite from 2^512 on and 0 below 2^-537. Points that could bring one there are computed with as x·2^exponent:
 * exact, and where nothing overflowed or vanished before, the same bits but for their exponents.
 *
 * With all |x| < 2^E, and all of them multiples of 2^u, differences are below 2^(E+1) and multiples of 2^u: E ≤ 502
 * keeps s below 2^1022 in 65536 dimensions, u ≥ −510 keeps every s > 0, and the ε² it is compared with, in the normal
 * range. Where points span too much for both, the large ones are kept right: ε is refused below what then is left.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_scaling {
    int exponent;     /* 0: the points stay as they are */
    double least_eps; /* verdicts at an ε below it cannot be had; 0: all can */
} eb_scaling;

/* What the points of both sets (the same one twice: of one) need. Unsealed ones are taken to need nothing. */
eb_scaling eb_scaling_of(const eb_dataset *left, const eb_dataset *right);

/* x·2^exponent of every coordinate; the copy's rows are the caller's to free. EB_F64 only. */
eb_code eb_dataset_scale(const eb_dataset *ds, int exponent, unsigned threads, eb_job *job, eb_dataset *out,
                         eb_status *status);

/* √s as a distance of the points themselves; unit: 2^−exponent. An s from an expansion may be a little below 0: that is
 * 0. NaN stays NaN. A builtin, because C++ reads this header as C. */
static inline double eb_distance_of(double s, double unit) { return s < 0 ? 0 : unit * __builtin_sqrt(s); }

/* A pair ties with ε where its distance differs from ε by less than this share of ε. */
#define EB_TIE 0x1p-40

/* √Σx², whatever the range of the squares. */
double eb_length(const double *x, size_t d);

/* The distance of one pair: √ of the truth's s, whatever its range. */
double eb_truth_distance(const eb_dataset *ds, size_t i, size_t j);
