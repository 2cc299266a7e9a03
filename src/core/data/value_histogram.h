/* value_histogram: how often values occur in a dataset, in bins from its least to its
 * greatest. One pass, all threads. */
#ifndef EB_CORE_DATA_VALUE_HISTOGRAM_H
#define EB_CORE_DATA_VALUE_HISTOGRAM_H

#include "core/base/job.h"
#include "core/data/dataset.h"

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
