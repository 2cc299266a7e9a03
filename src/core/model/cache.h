/* cache: what L2 finds of what a kernel's workers ask it for: their tiles replayed in order against a cache of the
 * GPU's size that keeps what was used last.
 *
 * The unit is half a panel: the points of one row of tiles, every other stretch of them, since addresses alternate
 * between the parts of an L2. An SM asks the part beside it; what that part does not have, but is home to the other, is
 * looked for there, and then in both (one lookup more, as the counters have it).
 *
 * Workers do not stay in step. One that takes the next tile of a queue is at most a tile away from the others. Workers
 * that take every so many-th drift apart by some tiles; one ahead misses and waits, those behind hit and catch up,
 * which bounds it by what L2 keeps. Both figures are fitted to four measured hit rates (H200, 100,000 points, d = 512 …
 * 4096, tests/bench/gpu.md); nothing else is.
 */
#ifndef EB_CORE_MODEL_CACHE_H
#define EB_CORE_MODEL_CACHE_H

#include "core/base/job.h"
#include "core/model/kernel.h"

#define EB_MOST_REPLAYED (1u << 20) /* numbers: of larger joins, the first so many */

typedef struct eb_cache_use {
    double hit_rate;             /* of lookups; NAN: nothing was looked up */
    double dram_share;           /* of what workers ask for, what comes from DRAM */
    double l2_bytes, dram_bytes; /* read by the whole kernel */
    double replayed;             /* share of the tiles */
    double drift;                /* tiles that workers are apart, at most */
} eb_cache_use;

/* Tiles inside the matrix. */
double eb_tiles_inside(const eb_kernel_plan *plan);

/* workers: at a time (occupancy.h), ≥ 1. EB_CANCELLED where the job says so. */
eb_code eb_cache_replay(const eb_kernel_plan *plan, const eb_machine *machine, unsigned workers, eb_job *job,
                        eb_cache_use *out, eb_status *status);

#endif
