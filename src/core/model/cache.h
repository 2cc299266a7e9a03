/* cache: what L2 finds of what a kernel's workers ask it for: their tiles replayed in time against a cache of the GPU's
 * size that keeps what was used last.
 *
 * The unit is an eighth of a panel (the points of one row of tiles), home to one part of L2 or the other, since
 * addresses alternate between them. An SM asks the part beside it; what that part does not have, but is home to the
 * other, is looked for there, and then in both (one lookup more, as the counters have it). What another has asked for
 * and has not come yet is no hit either.
 *
 * Workers do not stay in step: some are faster for good, by up to speeds_apart, and every tile takes up to tile_apart
 * longer; what comes from DRAM holds a worker up, by a little where slices are asked for ahead of their use, else for
 * as long as it takes. A queue brings workers together, since who is done first takes the next tile; fixed shares do
 * not. These four are fitted to hit rates counted on an H200 (tests/bench/gpu.md, 100,000 points, d = 784 and 4096).
 */
#pragma once

#include "core/base/job.h"
#include "core/model/kernel.h"

#define EB_MOST_REPLAYED (1u << 20) /* numbers: of larger joins, the first so many */

/* Of the workers: clocks that each takes for a slice, and for a tile beside its slices. */
typedef struct eb_pace {
    unsigned workers; /* at a time (occupancy.h), ≥ 1 */
    double slice_clocks, tile_clocks;
} eb_pace;

typedef struct eb_cache_use {
    double hit_rate;             /* of lookups; NAN: nothing was looked up */
    double dram_share;           /* of what workers ask for, what comes from DRAM */
    double l2_bytes, dram_bytes; /* read by the whole kernel */
    double replayed;             /* share of the tiles */
    double drift;                /* tiles by which the worker that ends first is ahead of the slowest */
} eb_cache_use;

/* Tiles inside the matrix. */
double eb_tiles_inside(const eb_kernel_plan *plan);

/* EB_CANCELLED where the job says so. The last 64 are kept: lessons and ablations ask for the same again. */
eb_code eb_cache_replay(const eb_kernel_plan *plan, const eb_machine *machine, eb_pace pace, eb_job *job,
                        eb_cache_use *out, eb_status *status);
