/* tiles: what a CPU engine's kernel promises to the walk over tiles of the distance matrix.
 *
 * Points stand at places (core/engine/arrange.h). A tile is rows i0 … i0+ni−1 against columns j0 … j0+nj−1. i0 may be
 * anything, j0 is a multiple of tile_columns. The kernel is one of two kinds; a tile's entries that are not wanted (i ≥
 * j on the diagonal of a self-join) may hold anything.
 *
 * tile:   writes squared distances row-major with leading dimension nj into a per-thread buffer. s ≤ limit must be
 * exactly the engine's squared distance; a pair beyond the limit may get any value > limit. select: sets bit j − j0 of
 * row i (64-bit words, eb_tile_words(nj) per row, every bit of every row written, those past nj as 0) for each pair
 * that may be within the limit. Returns whether the bits are the verdict; where they are not, exact() is. upper says
 * that only pairs with j > i are wanted. exact:  goes with select: the engine's squared distance of each of count pairs
 * (rows[k], columns[k]).
 */
#pragma once

#include "core/engine/arrange.h"

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
} eb_tiled;

static inline size_t eb_tile_words(size_t nj) { return (nj + 63) / 64; }

/* bits: one per value, set where s ≤ limit (mark_simd.c). */
typedef void (*eb_tile_mark)(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_base(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx2(const double *s, size_t count, double limit, uint64_t *bits);
void eb_tile_mark_avx512(const double *s, size_t count, double limit, uint64_t *bits);

/* How many bits are set (mark_simd.c). */
typedef uint64_t (*eb_tile_counter)(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_base(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_avx2(const uint64_t *bits, size_t words);
uint64_t eb_tile_count_avx512(const uint64_t *bits, size_t words);
