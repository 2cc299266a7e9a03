/* crowding: estimates around which points it is crowded, before any distance between two points is computed.
 *
 * The points are split into cells (cells.h). Cell sizes and radii say how many neighbours a point may have at each
 * scale. This estimate takes O(n·(d + log n)). Samples that use it are unbiased whatever it says; a better estimate
 * makes their variance smaller.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

/* out[i], [n], mean 1: the share of S that point i contributes, averaged over scales from few neighbours to all. 1 for
 * every point if the points cannot be told apart. The same dataset and seed give the same result on every machine. */
eb_code eb_crowding(const eb_dataset *ds, uint64_t seed, float *out, eb_job *job, eb_status *status);
