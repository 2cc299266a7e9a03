/* tile_order: maps a number to a block tile of the distance matrix, for kernels and for the machine model.
 *
 * The matrix has `rows` × `columns` block tiles. The plain order is row-major. In squares, 8 × 8 block tiles have
 * consecutive numbers, so that blocks that run at the same time share 8 row panels and 8 column panels, which stay in
 * L2 (FASTED §3.3.1). If symmetric, only squares on or above the diagonal have numbers, row by row of squares; tiles
 * below the diagonal of a diagonal square have numbers but are skipped. A number may be outside the matrix (ragged last
 * squares): then `inside` is false.
 *
 * In bands, a number is a run of up to `chunk` neighbouring tiles of a row. `height` rows make a band, which is visited
 * chunk by chunk from left to right: workers that run at the same time share the rows of a band and few columns.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/parts/both.h"

typedef struct eb_block_tile {
    uint32_t row, column;
    bool inside;
} eb_block_tile;

enum { EB_SQUARE_SIDE = 8 };

EB_BOTH uint64_t eb_block_tile_count(uint32_t rows, uint32_t columns, bool squares, bool symmetric)
{
    const uint64_t side = squares ? EB_SQUARE_SIDE : 1;
    const uint64_t r = (rows + side - 1) / side, c = (columns + side - 1) / side;
    return (symmetric ? r * (r + 1) / 2 : r * c) * side * side;
}

/* Number of the first tile of row r in the upper triangle of an s × s matrix, diagonal included, row by row. */
EB_BOTH uint64_t eb_triangle_row(uint32_t r, uint64_t s) { return r * s - (uint64_t)r * (r - (uint64_t)1) / 2; }

/* Row and column of tile t of that triangle. The FP32 root is within one of the answer for s < 2²²; an FP64 root takes
 * a tenth of a small tile's time. The loops make the result exact. */
EB_BOTH_AT_RUN_TIME void eb_upper_triangle(uint64_t t, uint64_t s, uint32_t *row, uint32_t *column)
{
    const uint64_t b = 2 * s + 1;
    const float root = sqrtf((float)(b * b - 8 * t));
    const float guess = ((float)b - root) * 0.5f;
    uint32_t r = guess > 0 ? (uint32_t)guess : 0;
    while (eb_triangle_row(r, s) > t)
        r--;
    while (eb_triangle_row(r + 1, s) <= t)
        r++;
    *row = r;
    *column = (uint32_t)(t - eb_triangle_row(r, s)) + r;
}

/* Symmetric needs rows == columns. */
EB_BOTH_AT_RUN_TIME eb_block_tile eb_block_tile_at(uint64_t number, uint32_t rows, uint32_t columns, bool squares,
                                                   bool symmetric)
{
    const uint32_t side = squares ? EB_SQUARE_SIDE : 1;
    const uint64_t big = number / (side * side);
    const uint32_t within = (uint32_t)(number % (side * side));
    const uint32_t across = (columns + side - 1) / side;
    eb_block_tile at = {0, 0, true};
    if (symmetric) {
        eb_upper_triangle(big, across, &at.row, &at.column);
    } else {
        at.row = (uint32_t)(big / across);
        at.column = (uint32_t)(big % across);
    }
    at.row = at.row * side + within / side;
    at.column = at.column * side + within % side;
    at.inside = at.row < rows && at.column < columns && (!symmetric || at.row <= at.column);
    return at;
}

/* ---- bands ---- */

typedef struct eb_tile_bands {
    uint32_t height, chunk; /* height is a multiple of chunk; height 0: no bands */
} eb_tile_bands;

typedef struct eb_tile_run {
    uint32_t row, column, count; /* count 0: outside the matrix */
} eb_tile_run;

/* Number of runs before band `band`. The first band has `across` chunks; if symmetric, each further band has
 * height/chunk fewer. */
EB_BOTH uint64_t eb_runs_before(uint64_t band, uint64_t across, eb_tile_bands bands, bool symmetric)
{
    const uint64_t fewer = symmetric ? bands.height / bands.chunk : 0;
    return bands.height * (band * across - fewer * (band * (band - (band > 0)) / 2));
}

EB_BOTH uint64_t eb_run_count(uint32_t rows, uint32_t columns, eb_tile_bands bands, bool symmetric)
{
    const uint64_t across = (columns + bands.chunk - 1) / bands.chunk;
    return eb_runs_before((rows + bands.height - 1) / bands.height, across, bands, symmetric);
}

/* The band of run t. With f chunks fewer per band it solves f/2·b² − (across + f/2)·b + t/height = 0. The loops make
 * the result exact. */
EB_BOTH_AT_RUN_TIME uint64_t eb_band_of_run(uint64_t t, uint64_t across, eb_tile_bands bands, bool symmetric)
{
    if (!symmetric)
        return t / (bands.height * across);
    const uint32_t chunks = bands.height / bands.chunk;
    const uint64_t column = t / bands.height; /* column of runs, if all bands had the same length */
    const float fewer = (float)chunks, middle = (float)across + fewer / 2;
    const float inner = middle * middle - 2 * fewer * (float)column;
    const float guess = (middle - sqrtf(inner > 0 ? inner : 0)) / fewer;
    uint64_t band = guess > 0 ? (uint64_t)guess : 0;
    while (band > 0 && eb_runs_before(band, across, bands, true) > t)
        band--;
    while (eb_runs_before(band + 1, across, bands, true) <= t)
        band++;
    return band;
}

/* Run `within` of band `band`. */
EB_BOTH eb_tile_run eb_run_at(uint32_t band, uint32_t within, uint32_t rows, uint32_t columns, eb_tile_bands bands,
                              bool symmetric)
{
    const uint32_t fewer = symmetric ? bands.height / bands.chunk : 0;
    const uint32_t row = band * bands.height + within % bands.height;
    const uint32_t first = (within / bands.height + band * fewer) * bands.chunk;
    const uint32_t column = symmetric && row > first ? row : first;
    const uint32_t end = columns - first < bands.chunk ? columns : first + bands.chunk;
    const eb_tile_run run = {row, column, row < rows && column < end ? end - column : 0};
    return run;
}
