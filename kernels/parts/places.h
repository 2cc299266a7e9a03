/* places: the layout of a slice of points in shared memory, and which thread reads and writes which bytes of it.
 *
 * A point is a row of 128 bytes (64 FP16 or 16 FP64 dimensions) of 8 chunks of 16 bytes; chunk c of row r is at place c
 * ⊕ swizzle(r). 128 bytes span the 32 banks once, so without a swizzle the same chunk of all rows is in the same 4
 * banks.
 * - ldmatrix reads chunk c of 8 rows at a time: swizzle(r) = r mod 8 puts them in 8 different places.
 * - A half-warp's FP64 fragment load reads 32 bytes (chunks 2m, 2m+1) of 4 rows. Those need places that differ in the
 *   upper two bits, so swizzle_f64(r) is r's low two bits shifted up, with its third bit below them. It is also a
 *   permutation of 0 … 7 over 8 rows, so 16-byte loads of one chunk from 8 rows have no conflicts, either.
 *
 * Places are in bytes from a row's or a stage's start.
 */
#pragma once

#include <stdint.h>

#include "kernels/parts/both.h"

enum { EB_ROW_BYTES = 128, EB_CHUNK_BYTES = 16, EB_ROW_CHUNKS = EB_ROW_BYTES / EB_CHUNK_BYTES };

typedef enum eb_swizzle { EB_SWIZZLE_NONE, EB_SWIZZLE_ROWS, EB_SWIZZLE_F64 } eb_swizzle;

EB_BOTH int eb_swizzle_of(eb_swizzle swizzle, int row)
{
    return swizzle == EB_SWIZZLE_ROWS ? row & 7 : swizzle == EB_SWIZZLE_F64 ? (row & 3) << 1 | (row >> 2 & 1) : 0;
}

/* Place of chunk `chunk` of row `row`, from the row's start. */
EB_BOTH uint32_t eb_chunk_place(eb_swizzle swizzle, int row, int chunk)
{
    return (uint32_t)(chunk ^ eb_swizzle_of(swizzle, row)) * EB_CHUNK_BYTES;
}

/* A thread copies the same chunk of every (threads / 8)-th row. These are its first row, and the chunk. */
EB_BOTH int eb_filled_row(int thread) { return thread / EB_ROW_CHUNKS; }
EB_BOTH int eb_filled_chunk(int thread) { return thread % EB_ROW_CHUNKS; }

/* ldmatrix: lane l gives the address of a 16-byte row of matrix l/8 (mma.cuh). A fragment of A is 16 rows × 32 bytes. B
 * is 16 rows × 32 bytes as two blocks of 8 columns, or one block with the lower 16 lanes alone. The functions return a
 * lane's row, counted from the fragment's first, and the place in that row at k-step `step` (32 bytes). Rows of a warp
 * tile begin at multiples of 8, so a row's number mod 8 is the lane's. */
EB_BOTH int eb_a_row(int lane) { return lane % 16; }
EB_BOTH int eb_b_row(int lane) { return lane % 8 + lane / 16 * 8; }
EB_BOTH uint32_t eb_a_place(eb_swizzle swizzle, int step, int lane)
{
    return eb_chunk_place(swizzle, lane, step * 2 + lane / 16);
}
EB_BOTH uint32_t eb_b_place(eb_swizzle swizzle, int step, int lane)
{
    return eb_chunk_place(swizzle, lane, step * 2 + lane / 8 % 2);
}

/* mma m16n8k16 of FP64 (mma.cuh): lane l reads the doubles t + 4·step of row g and of further rows (g = l/4, t = l%4).
 * It always reads the same one of a chunk's two doubles. */
EB_BOTH int eb_f64_row(int lane) { return lane / 4; }
EB_BOTH int eb_f64_within(int t) { return t % 2 * 8; }
EB_BOTH uint32_t eb_f64_place(int step, int g, int t) { return eb_chunk_place(EB_SWIZZLE_F64, g, 2 * step + t / 2); }
