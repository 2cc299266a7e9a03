/* dataset_stats: statistics of a dataset for `info`, in parallel passes over the points. */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_dataset_stats {
    double min, max, mean;                /* over all n·d values */
    double norm_min, norm_mean, norm_max; /* ‖p‖ over points */
    uint64_t zeros;                       /* values equal to 0 */
    uint64_t duplicate_rows;              /* rows with the same bytes as an earlier one, by a 64-bit hash of each row */
    bool integral;                        /* every value is a whole number */
} eb_dataset_stats;

/* room: bytes for the rows' hashes, which are looked at in several passes if need be; 0: no limit. */
eb_code eb_dataset_stats_compute(const eb_dataset *ds, uint64_t room, unsigned threads, eb_job *job,
                                 eb_dataset_stats *out, eb_status *status);

#define EB_VALUE_BINS 64u

typedef struct eb_value_histogram {
    size_t bins; /* 1 … EB_VALUE_BINS; for integer types each bin covers equally many whole numbers */
    double centre[EB_VALUE_BINS];
    uint64_t count[EB_VALUE_BINS]; /* the sum is n·d */
} eb_value_histogram;

/* min, max: the dataset's least and greatest value. */
eb_code eb_value_histogram_compute(const eb_dataset *ds, double min, double max, unsigned threads, eb_job *job,
                                   eb_value_histogram *out, eb_status *status);
