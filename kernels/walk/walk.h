/* walk: visits tiles of the distance matrix, with all threads, and hands over in batches the pairs within a limit.
 *
 * Tiles go to threads from one counter, a column of tiles at a time downwards, so that its points stay in cache. Only
 * tiles that hold wanted pairs are walked: all, the triangle, or those of a list (core/engine/schedule.h). Of a
 * self-join a pair with both ends in the row range is visited as i < j only.
 */
#ifndef EB_KERNELS_WALK_WALK_H
#define EB_KERNELS_WALK_WALK_H

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

/* Pairs within the limit: their places and squared distance. */
#define EB_TILE_BATCH 1024u
typedef struct eb_tile_pairs {
    size_t count;
    uint32_t row[EB_TILE_BATCH], column[EB_TILE_BATCH];
    double s[EB_TILE_BATCH];
} eb_tile_pairs;

typedef eb_code (*eb_tile_visit)(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status);

/* Calls visit from several threads, `thread` < tiled->threads. */
eb_code eb_walk_pairs(const eb_walk *walk, eb_tile_visit visit, void *context, eb_status *status);

/* Only how many table entries the pairs make, self pairs left out: no distance is computed that the verdict does not
 * need. */
eb_code eb_walk_count(const eb_walk *walk, uint64_t *entries, eb_status *status);

#endif
