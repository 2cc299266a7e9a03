/* cache: predicts L2's hit rate for a kernel by replaying its workers' tiles in time against an LRU cache of the GPU's
 * size.
 *
 * The unit is an eighth of a panel (points in a row, as many as divide both sides of a tile). Its home is one of the
 * two parts of L2, since addresses alternate between them. An SM asks the part beside it. If that part lacks the unit
 * and is not its home, the other part is asked, and then both keep the unit (one lookup more, as the hardware counters
 * count it). A unit that another worker has asked for and that has not arrived is a miss too.
 *
 * Workers do not stay in step. Some are permanently faster, by up to speeds_apart; every tile takes up to tile_apart
 * longer, of clusters up to clusters_apart. Data from DRAM delays a worker: a little if slices are copied ahead of
 * their use, else for the whole latency. That keeps workers together, since those ahead wait for what those behind find
 * in L2. A queue does, too, since the first to finish takes the next tile; fixed shares do not. These constants, and
 * the share of L2 that counts, are fitted to hit rates counted on an H200 (tests/bench/counters_h200.tsv, d ≥ 256).
 * Paced workers stay within some slices of each other instead.
 */
#pragma once

#include "core/base/job.h"
#include "core/model/kernel.h"

#define EB_MOST_REPLAYED (1u << 20) /* runs; for larger joins only the first runs, this many, are replayed */

/* Speed of the workers: clocks for a slice, and for a tile beside its slices. */
typedef struct eb_pace {
    unsigned workers; /* resident at a time (occupancy.h), ≥ 1 */
    double slice_clocks, tile_clocks;
} eb_pace;

typedef struct eb_cache_use {
    double hit_rate;             /* of lookups; NAN: no lookups */
    double dram_share;           /* share of what workers ask for that comes from DRAM */
    double l2_bytes, dram_bytes; /* read by the whole kernel */
    double replayed;             /* share of the tiles that was replayed */
    double drift;                /* tiles by which the first worker to finish is ahead of the slowest */
} eb_cache_use;

/* Number of tiles inside the matrix. */
double eb_tiles_inside(const eb_kernel_plan *plan);

/* EB_CANCELLED if the job is cancelled. The last 64 results are cached, because lessons and ablations repeat them. */
eb_code eb_cache_replay(const eb_kernel_plan *plan, const eb_machine *machine, eb_pace pace, eb_job *job,
                        eb_cache_use *out, eb_status *status);
