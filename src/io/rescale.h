/* rescale: each coordinate brought to the others' size, so that none rules the distances by its unit alone. As
 * scikit-learn's StandardScaler and MinMaxScaler do it: less the mean, over the deviation of all n points; or from the
 * least to the greatest to 0 … 1. A coordinate that is the same everywhere becomes 0.
 *
 * Sums are FP64, points in order: the same bits everywhere. Values that FP32 holds become FP32, FP64 and i32 FP64.
 */
#pragma once

#include "io/reader.h"

/* Finite points; where they lie becomes points->owned. `name` begins the sentence when it fails. */
eb_code eb_rescale(eb_points *points, eb_scale how, const char *name, eb_job *job, eb_status *status);
