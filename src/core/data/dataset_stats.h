/* dataset_stats: what `info` says about a dataset beyond its shape. One pass over the points, all threads.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_dataset_stats {
    double min, max, mean;                /* over all n·d values */
    double norm_min, norm_mean, norm_max; /* ‖p‖ over points */
    uint64_t zeros;                       /* values equal to 0 */
    uint64_t duplicate_rows;              /* rows equal, byte for byte, to an earlier one (64-bit hash of each row) */
    bool integral;                        /* every value is a whole number */
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
