/* noise: the ε at which DBSCAN leaves no more than a share of the points as noise. Noise falls as ε grows, so a grid
 * (density.h) around what the sampled k-distances say is narrowed until its steps are small. */
#pragma once

#include "core/cluster/density.h"
#include "core/cluster/k_distance.h"

#define EB_NOISE_STEP 1.001 /* of neighbouring ε in the last grid */

/* *out: what is found at the smallest ε of the last grid that leaves at most `share` (0 … 1) of the points as noise;
 * its neighbour, less than EB_NOISE_STEP below, leaves more. *passes: joins it took. */
eb_code eb_noise_find(eb_opened *opened, const eb_k_distance *curve, double share, eb_density *out, unsigned *passes,
                      eb_status *status);
