/* expansion: FGF-Hilbert's verdict on a pair p, q: half of ε² − |p − q|², multiplied out, is not negative.
 *
 * The sums are those of the authors' code (M. Perdacher, hilbertJoin, KBLOCK = 4). The squares of a point's first 8
 * coordinates, in the grid's order, are subtracted from ε²/2 one after the other, h ← h − x·x by FMA; those of each
 * further 4 are subtracted from 0. Half of each h is stored: these are the point's halves. A pair's sum begins as the
 * sum of both points' first halves, and p[k]·q[k] is added by FMA, k ascending. Before the products of a further part,
 * the sum of both points' halves of that part is added. The pair is within ε if the sum's sign bit is clear at the end.
 * Its squared distance is ε² − 2·sum.
 *
 * The authors' loop abandons 8 × 8 pairs when all sums are negative before a further part, although rounding may still
 * make a sum positive. Here pairs are abandoned only if rounding cannot do that, so that a verdict depends on its pair
 * alone. Let u be the type's unit roundoff, and N the sum of the largest norms |p|² and |q|² of two blocks. Without
 * rounding the remaining operations add −|p' − q'|²/2 ≤ 0. A sum below −2N stays negative. Any other sum stays within
 * 3N of 0, and each of the fewer than d + d/4 + 1 remaining operations has an error of at most 3Nu, the halves 2.5Nu
 * together: less than 4(d + 2)Nu in all. The margin is 8(d + 8)Nu, which includes N's own rounding and subnormal
 * numbers.
 *
 * Far from the origin the sums accept pairs that are not within ε: those with an exact |p − q|² below ε² plus twice the
 * sums' rounding errors. Cells are wide enough for these pairs, so that none that the sums accept is missed. With N
 * twice the largest norm, both halves have errors of 4u(ε² + 2N), and d + d/4 + 2 operations have sums within
 * ε²/2 + 2N: together below 8(d + 8)(ε² + N)u, and twice as much for |p − q|².
 *
 * Without FMA instructions products are rounded before they are added, which adds an error of N·u/2. For a pair within
 * ε such a sum, complete or not, is above −17(d + 8)(ε² + N)u. Sums above −32(d + 8)(ε² + N)u are computed again.
 */
#pragma once

#include <float.h>
#include <math.h>

#include "kernels/grid_order/grid.h"

enum { EB_EXPANSION_FIRST = 8, EB_EXPANSION_PART = 4 }; /* coordinates */

#ifndef EB_EXPANSION_LOSS
#define EB_EXPANSION_LOSS 8.0 /* factor of a sum's error, for abandoning pairs */
#endif
#ifndef EB_EXPANSION_WIDTH
#define EB_EXPANSION_WIDTH 16.0 /* factor of the error of |p − q|², for the cells' width */
#endif
#ifndef EB_EXPANSION_TWICE
#define EB_EXPANSION_TWICE 32.0 /* factor of the error of sums without FMA */
#endif

/* Number of a point's halves. */
static inline size_t eb_expansion_parts(size_t d)
{
    return d <= EB_EXPANSION_FIRST ? 1 : (d + EB_EXPANSION_PART - 1) / EB_EXPANSION_PART - 1;
}

/* ε² in the type, never above ε·ε; 0 for ε = ∞, which stands for no question. */
static inline double eb_expansion_reach(double eps, eb_eps_grid_type type)
{
    const double most = type == EB_EPS_GRID_F32 ? FLT_MAX : DBL_MAX, square = isinf(eps) ? 0 : eps * eps;
    const double reach = square < most ? square : most;
    if (type == EB_EPS_GRID_F64 || (double)(float)reach <= reach)
        return type == EB_EPS_GRID_F64 ? reach : (double)(float)reach;
    return (double)nextafterf((float)reach, 0);
}

/* (d + 8)·norms·u, and a margin for subnormal numbers: the unit of the sums' error bounds. norms: the sum of two
 * squared norms. */
static inline double eb_expansion_loss(double norms, size_t d, eb_eps_grid_type type)
{
    const double unit = type == EB_EPS_GRID_F32 ? 0x1p-24 : 0x1p-53,
                 least = type == EB_EPS_GRID_F32 ? FLT_MIN : DBL_MIN;
    return ((double)d + 8) * (norms * unit + least);
}

/* A sum that is at most this negative number stays negative. */
static inline double eb_expansion_lost(double norms, size_t d, eb_eps_grid_type type)
{
    return -EB_EXPANSION_LOSS * eb_expansion_loss(norms, d, type);
}

/* Like eb_expansion_lost, for complete or partial sums whose products are rounded before they are added. all: norms +
 * ε². Returns NaN if the type overflows; no sum is below NaN. */
static inline double eb_expansion_lost_twice(double all, size_t d, eb_eps_grid_type type)
{
    const double lost = -EB_EXPANSION_TWICE * eb_expansion_loss(all, d, type);
    const double most = type == EB_EPS_GRID_F32 ? FLT_MAX : DBL_MAX;
    return -lost <= most ? lost : (double)NAN;
}

/* Returns the verdict: true if the sign bit is clear. */
static inline bool eb_expansion_within(double sum) { return !isnan(sum) && !signbit(sum); }

/* s of a pair with this sum: at most ε² if the pair is within ε, otherwise above. */
static inline double eb_expansion_squared(double sum, double reach, eb_eps_grid_type type)
{
    const bool single = type == EB_EPS_GRID_F32;
    const double s = single ? (double)((float)reach - 2 * (float)sum) : reach - 2 * sum;
    if (isnan(sum))
        return (double)INFINITY;
    if (eb_expansion_within(sum))
        return s > 0 ? s : 0;
    return s > reach ? s : single ? (double)nextafterf((float)reach, INFINITY) : nextafter(reach, (double)INFINITY);
}
