/* walk: visits tiles of the distance matrix, with all threads, and hands over the pairs within a limit.
 *
 * Tiles go to threads from one counter, a column of tiles at a time downwards, so that its points stay in cache. Only
 * tiles that hold wanted pairs are walked: all, the triangle, or those of a list (core/engine/schedule.h). Of a
 * self-join a pair with both ends in the row range is visited as i < j only.
 */
#pragma once

#include "kernels/walk/collect.h"
#include "kernels/walk/tiles.h"

/* What is walked: rows [row_begin, row_end) against all columns, of these tiles the part-th of `parts` equal parts. */
typedef struct eb_walk {
    const eb_tiled *tiled;
    eb_share share;
    size_t progress;          /* units that all parts together advance the job by */
    bool all;                 /* also tiles whose pairs another one has from the other side */
    const eb_tile_list *list; /* by column, of tiles of the kernel's shape, rows of the whole; NULL: no list */
    double limit;
    eb_job *job;
} eb_walk;

/* Of pairs that are only counted no distance is computed that the verdict does not need. */
eb_code eb_walk_tiles(const eb_walk *walk, const eb_collector *to, eb_status *status);
