/* fp16: how far rounding to FP16 moves points. */
#ifndef EB_CORE_DATA_FP16_H
#define EB_CORE_DATA_FP16_H

#include <math.h>
#include <string.h>

#include "core/base/job.h"
#include "core/data/dataset.h"

/* x − fp16(x), exact; infinite where FP16 overflows. FP16's unit at x is 2^-10 of its power of two, 2^-14 at least;
 * FP64's is the same at 1.5·2^42 of that power, so that a sum with it rounds x as FP16 does. */
static inline double eb_fp16_error(double x)
{
    uint64_t bits;
    double power;
    memcpy(&bits, &x, sizeof bits);
    bits &= (uint64_t)0x7ff << 52;
    memcpy(&power, &bits, sizeof power);
    double far = (power > 0x1p-14 ? power : 0x1p-14) * 0x1.8p42;
    return fabs(x) < 65520 ? x - ((x + far) - far) : -copysign(INFINITY, x);
}

typedef struct eb_fp16_shift {
    double most;    /* ‖p − fp16(p)‖ of the point that moves farthest */
    uint64_t moved; /* points that move by `far` or more, and by more than 0 */
} eb_fp16_shift;

/* One pass, all threads; none over types that FP16 holds. */
eb_code eb_fp16_shift_find(const eb_dataset *ds, double far, unsigned threads, eb_job *job, eb_fp16_shift *out,
                           eb_status *status);

#endif
