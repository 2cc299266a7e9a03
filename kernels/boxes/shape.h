/* shape: how boxes on a GPU cut points into leaves, and the arithmetic that host and device share: places, cells,
 * Morton codes, and distances of boxes.
 *
 * A leaf is 32 places, one for each lane of a warp. There are three levels of boxes; each box is around 32 of the level
 * below. Points are ordered along a Morton curve over the widest three dimensions. A segment of 64 leaves of that order
 * is then bisected, each part across its widest dimension, until parts are leaves.
 *
 * Boxes are excluded by the exact engine's own arithmetic. Rounding is monotone: for p ≤ high < low ≤ q,
 * fl(low − high) ≤ fl(q − p), and an FMA chain of smaller terms is not larger. So the chain over the gaps of two boxes
 * is at most the computed s of any pair in them, bit for bit. No margin is needed, whatever the range of the values.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/parts/both.h"

#define EB_LEAF 32u
#define EB_BOX_LEVELS 3
#define EB_SEGMENT_LEAVES 64u
#define EB_SEGMENT (EB_SEGMENT_LEAVES * EB_LEAF)

/* Boxes are kept if their chain is at most this many thresholds. A build with less than 1 must fail its tests
 * (tests/mutants). */
#ifndef EB_BOX_MARGIN
#define EB_BOX_MARGIN 1.0
#endif

/* Number of leaves for `count` points, or of boxes around `count` boxes. */
EB_BOTH_AT_RUN_TIME uint32_t eb_groups_of_32(uint64_t count) { return (uint32_t)((count + 31) / 32); }

/* Index of coordinate k of number x. Numbers are in groups of 32, and a group stores one dimension after the other.
 * Places are grouped by leaf, boxes by the box above them. */
EB_BOTH_AT_RUN_TIME size_t eb_at_dimension(uint32_t x, uint32_t k, uint32_t d)
{
    return ((size_t)(x / 32) * d + k) * 32 + x % 32;
}

/* ---- the order ---- */

#define EB_MORTON_DIMENSIONS 3u

/* Bits of a cell's number in each of 1 … 3 dimensions: 48 in total, or 32 for one dimension. */
EB_BOTH_AT_RUN_TIME uint32_t eb_cell_bits(uint32_t dimensions) { return dimensions == 1 ? 32 : 48 / dimensions; }

/* The cell of x among 2^bits cells between low and high. Values outside are in the first or the last cell. */
EB_BOTH_AT_RUN_TIME uint32_t eb_cell_of(double x, double low, double high, uint32_t bits)
{
    const double cells = (double)(1ull << bits), at = (x - low) / (high - low) * cells;
    if (!(at > 0)) /* below `low`, or NaN because high = low */
        return 0;
    return at < cells ? (uint32_t)at : (uint32_t)(cells - 1);
}

/* Bit b of cell k is bit b · dimensions + k of the code. */
EB_BOTH_AT_RUN_TIME uint64_t eb_morton_code(const uint32_t *cell, uint32_t dimensions)
{
    const uint32_t bits = eb_cell_bits(dimensions);
    uint64_t code = 0;
    for (uint32_t b = 0; b < bits; b++)
        for (uint32_t k = 0; k < dimensions; k++)
            code |= (uint64_t)(cell[k] >> b & 1) << (b * dimensions + k);
    return code;
}

/* ---- verdicts (cuda/verdicts.cuh) ---- */

enum {
    EB_VERDICT_PAIRS = 8,      /* pairs of leaves of a warp */
    EB_VERDICT_REGISTERS = 16, /* dimensions that registers hold; more come in slices of as many */
};

EB_BOTH uint32_t eb_verdict_warps(uint32_t d) { return d > EB_VERDICT_REGISTERS ? 4 : 8; } /* in a block */

/* Words of 16 bytes in a point's row of shared memory: an odd number, so that lanes that each store a row have few bank
 * conflicts. d: dimensions of the slice. */
EB_BOTH uint32_t eb_verdict_words(uint32_t d) { return ((d + 1) / 2) | 1; }

/* ---- boxes ---- */

/* The gap between two intervals; 0 if they meet or a bound is NaN. */
EB_BOTH_AT_RUN_TIME double eb_gap(double low, double high, double other_low, double other_high)
{
    const double above = other_low - high, below = low - other_high, gap = above > below ? above : below;
    return gap > 0 ? gap : 0;
}

/* Adds a dimension's gap to the chain. */
EB_BOTH_AT_RUN_TIME double eb_add_gap(double s, double gap) { return fma(gap, gap, s); }

/* The threshold for the chain. */
EB_BOTH_AT_RUN_TIME double eb_box_threshold(double threshold) { return threshold * EB_BOX_MARGIN; }
