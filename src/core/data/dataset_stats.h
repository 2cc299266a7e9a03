/* dataset_stats: what `info` says about a dataset beyond its shape. One pass over the points, all threads.
 *
 * FP16 safety (NUMERICS.md): FASTED rounds every coordinate to FP16. A value beyond 65504 overflows (the engine refuses
 * the dataset), a non-zero one below 2^-14 becomes subnormal and loses bits.
 */
#ifndef EB_CORE_DATA_DATASET_STATS_H
#define EB_CORE_DATA_DATASET_STATS_H

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_dataset_stats {
    double min, max, mean;                          /* over all n·d values */
    double norm_min, norm_mean, norm_max;           /* ‖p‖ over points */
    uint64_t zeros;                                 /* values equal to 0 */
    uint64_t fp16_overflow;                         /* values that become ±Inf in FP16 */
    size_t fp16_overflow_row, fp16_overflow_column; /* the first of them; valid when fp16_overflow > 0 */
    uint64_t fp16_subnormal;                        /* non-zero values that become FP16 subnormals or 0 */
    uint64_t fp16_inexact;                          /* values that FP16 rounding changes */
    double fp16_residual_mean, fp16_residual_max;   /* ‖p − fp16(p)‖ over points without overflow */
    uint64_t duplicate_rows; /* rows equal, byte for byte, to an earlier one (64-bit hash of each row) */
    bool fp16_exact_join; /* nothing rounds: FP16 inputs and FP32 sums give FP64's answer (integers, d·max² < 2^24) */
} eb_dataset_stats;

eb_code eb_dataset_stats_compute(const eb_dataset *ds, unsigned threads, eb_job *job, eb_dataset_stats *out,
                                 eb_status *status);

#define EB_VALUE_BINS 64u

typedef struct eb_value_histogram {
    size_t bins; /* 1 … EB_VALUE_BINS; bins of whole numbers hold equally many of them */
    double centre[EB_VALUE_BINS];
    uint64_t count[EB_VALUE_BINS]; /* they sum to n·d */
} eb_value_histogram;

/* min, max: the dataset's (dataset_stats.h). */
eb_code eb_value_histogram_compute(const eb_dataset *ds, double min, double max, unsigned threads, eb_job *job,
                                   eb_value_histogram *out, eb_status *status);

#endif
