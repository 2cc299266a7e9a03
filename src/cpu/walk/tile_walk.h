/* tile_walk: the inside of tiles: visits every tile of a row range and hands over, in batches, the pairs within a
 * limit.
 *
 * Rows [row_begin, row_end) against all columns. A pair with both ends in the range is visited as i < j only.
 */
#ifndef EB_CPU_WALK_TILE_WALK_H
#define EB_CPU_WALK_TILE_WALK_H

#include "cpu/walk/tiles.h"

/* Pairs within the limit: point row[k] of the range, point column[k], their squared distance. */
#define EB_TILE_BATCH 1024u
typedef struct eb_tile_pairs {
    size_t count;
    uint32_t row[EB_TILE_BATCH], column[EB_TILE_BATCH];
    double s[EB_TILE_BATCH];
} eb_tile_pairs;

typedef eb_code (*eb_tile_visit)(void *context, unsigned thread, const eb_tile_pairs *pairs, eb_status *status);

/* Calls visit from several threads, `thread` < walk->threads. */
eb_code eb_tile_walk_pairs(const eb_tiled *walk, size_t row_begin, size_t row_end, double limit, eb_tile_visit visit,
                           void *context, eb_job *job, eb_status *status);

/* Only how many pairs there are: no distance is computed that the verdict does not need. */
eb_code eb_tile_walk_count(const eb_tiled *walk, size_t row_begin, size_t row_end, double limit, eb_job *job,
                           uint64_t *pairs, eb_status *status);

/* fl(ε·ε), after refusing an ε that is no distance. */
eb_code eb_tile_limit(double eps, double *limit, eb_status *status);

/* bits: one per value, set where s ≤ limit (tile_bits_simd.c). */
typedef void (*eb_tile_mark)(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_base(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx2(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx512(const double *s, size_t count, double limit, uint64_t *bits);

#endif
