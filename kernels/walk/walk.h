/* walk: visits tiles of the distance matrix with all threads, and passes the pairs within a limit to a collector.
 *
 * Threads take tiles from one counter, column by column of tiles, from the top down, so that a column's points stay in
 * cache. Only tiles that hold wanted pairs are visited: all, the triangle, or those of a list (core/engine/schedule.h).
 * A self-join's pair with both ends in the row range is visited as i < j only.
 */
#pragma once

#include "kernels/walk/collect.h"
#include "kernels/walk/tiles.h"

/* The tiles of one walk: the share's rows against all columns. Those tiles are cut into `parts` equal parts, of which
 * the share's `part` is walked. */
typedef struct eb_walk {
    const eb_tiled *tiled;
    eb_share share;
    size_t progress;          /* units by which all parts together advance the job */
    bool all;                 /* visit also the tiles below the diagonal, whose pairs a tile above has too */
    const eb_tile_list *list; /* by column, of tiles of the kernel's shape; rows count from 0; NULL: no list */
    double limit;
    eb_job *job;
} eb_walk;

/* If pairs are only counted, select's verdicts are enough where they decide: exact() is not called for them. */
eb_code eb_walk_tiles(const eb_walk *walk, const eb_collector *to, eb_status *status);
