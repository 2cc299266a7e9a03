/* rescale: brings all coordinates to a similar size, so that no coordinate dominates distances because of its unit.
 * Like scikit-learn's StandardScaler (subtract the mean, divide by the deviation of all n points) and MinMaxScaler (to
 * 0 … 1). A constant coordinate becomes 0.
 *
 * Sums are FP64 in the order of the points, so results are the same bits everywhere. Values that FP32 holds exactly
 * become FP32; FP64 and i32 become FP64.
 */
#pragma once

#include "io/reader.h"

/* Scales finite points. points->owned becomes the memory of the scaled rows. `name` begins the message on failure. */
eb_code eb_rescale(eb_points *points, eb_scale how, const char *name, eb_job *job, eb_status *status);
