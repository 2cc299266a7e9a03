/* cells: numbers the cells of an epsilon grid by ⌊x/ε⌋. Points within ε of each other are in the same cell or in
 * neighbouring cells along every dimension, however values are rounded.
 *
 * A cell's side is h = ε'(1 + 2^-18). ε' is ε, or the root of the type's smallest safe square if ε·ε would be
 * subnormal. Let the engine's s of a and b be at most ε·ε. Rounding is monotone and a chain of squares only grows, so
 * that each fl(t·t), t = fl(a − b), is at most ε·ε rounded up to the type. Hence |a − b| ≤ ε'(1 + 2^-21): FP32 is the
 * coarser type (u = 2^-24: a few u in all), and the FP64 chain and the filter's wider limit stay far below that. The
 * number is ⌊clamp(fl(x/h))⌋, clamped to ±(2^31 − 2). Clamping increases no difference. Unclamped numbers have |fl(x/h)
 * − x/h| ≤ 2^-53·2^31 = 2^-22, twice for two points. So before ⌊⌋ the two differ by at most (1 + 2^-21)/(1 + 2^-18) +
 * 2^-21 < (1 + 2^-21)(1 − 2^-18 + 2^-36) + 2^-21 < 1, and ⌊⌋ of numbers less than 1 apart differ by at most 1. Points
 * further than 2^31·ε from 0 share the last cell, which costs only pruning.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef EB_CELL_SLACK
#define EB_CELL_SLACK 0x1p-18
#endif
#define EB_MOST_CELL 2147483646.0

/* ε = ∞: all points share cell 0. */
static inline double eb_cell_side(double eps, bool f32)
{
    const double least = f32 ? 0x1p-60 : 0x1p-500;
    return (eps > least ? eps : least) * (1 + EB_CELL_SLACK);
}

static inline int32_t eb_cell_of(double x, double side)
{
    const double q = x / side;
    return (int32_t)floor(q < -EB_MOST_CELL ? -EB_MOST_CELL : q > EB_MOST_CELL ? EB_MOST_CELL : q);
}

/* True if no cell of [low_a, high_a] is equal to or next to one of [low_b, high_b]. */
static inline bool eb_cells_apart(int32_t low_a, int32_t high_a, int32_t low_b, int32_t high_b)
{
    return (int64_t)low_a - high_b > 1 || (int64_t)low_b - high_a > 1;
}
