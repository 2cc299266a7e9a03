/* tiles: the interface of a CPU engine's tile kernel, and the walk that calls it for tiles of the distance matrix.
 *
 * Points stand at places (core/engine/arrange.h). A tile is rows i0 … i0+ni−1 against columns j0 … j0+nj−1. i0 may be
 * anything, j0 is a multiple of tile_columns. An engine has either `tile`, or `select` and `exact`. Unwanted entries of
 * a tile (i ≥ j on the diagonal of a self-join) may hold anything.
 *
 * tile: writes squared distances row-major with leading dimension nj into a per-thread buffer. A value s ≤ limit must
 * be exactly the engine's squared distance; a pair beyond the limit may get any value > limit.
 *
 * select: sets bit j − j0 of row i for each pair that may be within the limit. A row has eb_tile_words(nj) words of 64
 * bits; every bit is written, those past nj as 0. `upper`: only pairs with j > i are wanted. Returns true if the bits
 * are the verdict; if false, exact() decides.
 *
 * exact: writes the engine's squared distance of each of the count pairs (rows[k], columns[k]).
 *
 * measure: writes those of the points rows[q], q < m ≤ EB_MEASURED, with columns j0 … j0+nj−1 to s[q], which is aligned
 * and has room for tile_columns; what it holds after nj may change. NULL: `tile` or `exact` does it.
 */
#pragma once

#include "core/engine/arrange.h"
#include "kernels/walk/collect.h"

enum { EB_MEASURED = 48 };

typedef struct eb_tiled {
    const eb_arranged *points;
    unsigned threads;
    size_t tile_rows, tile_columns; /* the largest tile the kernel accepts */
    void (*tile)(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s, void *scratch);
    const void *state;
    size_t scratch_bytes; /* per thread, 64-byte aligned, zeroed when a walk begins, kept from tile to tile */
    bool (*select)(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                   uint64_t *bits, void *scratch);
    void (*exact)(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s);
    void (*measure)(const void *state, const uint32_t *rows, size_t m, size_t j0, size_t nj, double *const *s,
                    void *scratch);
} eb_tiled;

static inline size_t eb_tile_words(size_t nj) { return (nj + 63) / 64; }

/* Sets bit k if s[k] ≤ limit, and clears it otherwise (mark_simd.c). */
typedef void (*eb_tile_mark)(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_base(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx2(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx512(const double *s, size_t count, double limit, uint64_t *bits);

/* Counts the bits that are set (mark_simd.c). */
typedef uint64_t (*eb_tile_counter)(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_base(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_avx2(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_avx512(const uint64_t *bits, size_t words);

/* ---- the walk over tiles (walk.c) ---- */

/* Threads take tiles from one counter, column by column of tiles, from the top down, so that a column's points stay in
 * cache. Only tiles that hold wanted pairs are visited: all, the triangle, or those of a list (core/engine/schedule.h).
 * A self-join's pair with both ends in the row range is visited as i < j only. */

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

/* Visits the tiles with all threads, and passes the pairs within the limit to a collector. If pairs are only counted,
 * select's verdicts are enough where they decide: exact() is not called for them. */
eb_code eb_walk_tiles(const eb_walk *walk, const eb_collector *to, eb_status *status);
