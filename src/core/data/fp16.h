/* fp16: how far rounding to FP16 moves points. */
#ifndef EB_CORE_DATA_FP16_H
#define EB_CORE_DATA_FP16_H

#include "core/base/job.h"
#include "core/data/dataset.h"

/* x − fp16(x), exact; infinite where FP16 overflows. */
static inline double eb_fp16_error(double x) { return x - (double)eb_half_to_float(eb_half_from_double(x)); }

typedef struct eb_fp16_shift {
    double most;    /* ‖p − fp16(p)‖ of the point that moves farthest */
    uint64_t moved; /* points that move by `far` or more, and by more than 0 */
} eb_fp16_shift;

/* One pass, all threads; none over types that FP16 holds. */
eb_code eb_fp16_shift_find(const eb_dataset *ds, double far, unsigned threads, eb_job *job, eb_fp16_shift *out,
                           eb_status *status);

#endif
