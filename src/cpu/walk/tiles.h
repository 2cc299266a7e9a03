/* tiles: what every CPU engine shares: the walk over tiles of the distance matrix, and count, join, histogram and
 * distances built on one tile kernel.
 *
 * A tile is rows i0 … i0+ni−1 against columns j0 … j0+nj−1. Only tiles that hold wanted pairs are walked (i < j for a
 * whole join; a join over a row range also needs tiles below the diagonal). i0 may be anything, j0 is a multiple of
 * tile_columns. Tiles go to threads from one counter, a column block at a time down the rows, so that its points stay
 * in cache. The kernel is one of two kinds; a tile's entries that are not wanted (i ≥ j on the diagonal) may hold
 * anything.
 *
 * tile:   writes squared distances row-major with leading dimension nj into a per-thread buffer. s ≤ limit must be
 * exactly the engine's squared distance; a pair beyond the limit may get any value > limit. select: sets bit j − j0 of
 * row i (64-bit words, eb_tile_words(nj) per row, every bit of every row written, those past nj as 0) for each pair
 * that may be within the limit. Returns whether the bits are the verdict; where they are not, exact() is. upper says
 * that only pairs with j > i are wanted. exact:  goes with select: the engine's squared distance of each of count pairs
 * (rows[k], columns[k]).
 */
#ifndef EB_CPU_WALK_TILES_H
#define EB_CPU_WALK_TILES_H

#include "core/engine/engine.h"

typedef struct eb_tiled {
    size_t n, d;
    unsigned threads;
    size_t tile_rows, tile_columns; /* the largest tile the kernel accepts */
    void (*tile)(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s, void *scratch);
    const void *state;
    size_t scratch_bytes; /* per thread, 64-byte aligned, zeroed when a walk begins, kept from tile to tile */
    bool (*select)(const void *state, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                   uint64_t *bits, void *scratch);
    void (*exact)(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s);
} eb_tiled;

static inline size_t eb_tile_words(size_t nj) { return (nj + 63) / 64; }

/* Engine operations of the same names (core/engine.h). Progress adds up to the number of rows walked: n for count and
 * histogram, row_end − row_begin for join, m for distances. ε < 0 or NaN is EB_USAGE. */
eb_code eb_tiled_count(const eb_tiled *walk, double eps, eb_job *job, uint64_t *pairs, eb_status *status);
eb_code eb_tiled_join(const eb_tiled *walk, double eps, size_t row_begin, size_t row_end, const eb_sink *sink,
                      eb_job *job, eb_status *status);
eb_code eb_tiled_histogram(const eb_tiled *walk, eb_distance_pass *pass, eb_job *job, eb_status *status);
eb_code eb_tiled_distances(const eb_tiled *walk, const uint32_t *rows, size_t m, double *out, eb_job *job,
                           eb_status *status);

/* Which instruction set the *_simd.c kernels run on: the best this CPU has, or what EPSBENCH_ISA names when the CPU has
 * it too ("base", "avx2", "avx512"), so that tests reach all of them. */
typedef enum eb_isa { EB_ISA_BASE, EB_ISA_AVX2, EB_ISA_AVX512 } eb_isa;
eb_isa eb_cpu_isa(void);
const char *eb_isa_name(eb_isa isa);

#endif
