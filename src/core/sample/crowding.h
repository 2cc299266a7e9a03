/* crowding: around which points it is crowded, before any distance between two of them was computed.
 *
 * The points are dropped onto a few lines and split there, across the widest gap near the middle, until a handful is
 * left in each cell: cell sizes and radii say how many neighbours a point may have at each scale. A guess, made in
 * O(n·(d + log n)); samples that lean on it are without bias whatever it says, and the better it is, the narrower.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

/* out[i], [n], of mean 1: how much of S point i makes up, in the mean over the scales from few neighbours to all. 1
 * for every point where nothing tells them apart. The same dataset and seed give the same everywhere. */
eb_code eb_crowding(const eb_dataset *ds, uint64_t seed, float *out, eb_job *job, eb_status *status);
