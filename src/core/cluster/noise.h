/* noise: finds the ε at which DBSCAN leaves at most a given share of the points as noise. Noise decreases as ε grows. A
 * grid (density.h) around the ε that the sampled k-distances suggest is narrowed until its steps are small. */
#pragma once

#include "core/cluster/density.h"
#include "core/cluster/k_distance.h"

#define EB_NOISE_STEP 1.001 /* largest ratio of neighbouring ε in the last grid */

/* *out: the result at the smallest ε of the last grid that leaves at most `share` (0 … 1) of the points as noise; the
 * next smaller ε of the grid, less than a factor of EB_NOISE_STEP below, leaves more. *passes: joins made. */
eb_code eb_noise_find(eb_opened *opened, const eb_k_distance *curve, double share, eb_density *out, unsigned *passes,
                      eb_status *status);
