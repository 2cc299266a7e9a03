/* expansion: FGF-Hilbert's verdict on a pair p, q: half of ε² − |p − q|², multiplied out, is not negative.
 *
 * As their code computes it (M. Perdacher, hilbertJoin, KBLOCK = 4): the squares of a point's first 8 coordinates, in
 * the grid's order, are taken off ε²/2 one after the other, h ← h − x·x by FMA; those of each further 4 off 0. Half of
 * each h is kept: a point's halves. A pair's sum begins as h_p + h_q of the first part and gets p[k]·q[k] by FMA, k
 * ascending; before a further part's products it gets that part's h_p + h_q. It is within ε if no sign is set at the
 * end. The distance that was decided by is ε² − 2·sum.
 *
 * Their loop leaves 8 × 8 pairs when all sums are negative before a further part. Rounding may still bring a sum back;
 * here pairs are left only where it cannot, so that a verdict is its pair's own. Say u is the type's unit roundoff, N
 * the larger norms |p|² + |q|² of two blocks together. What is left to come adds −|p' − q'|²/2 ≤ 0 if nothing rounds.
 * A sum below −2N stays negative; any other stays within 3N of 0, and each of the fewer than d + d/4 + 1 operations
 * left is off by at most 3Nu, the halves by 2.5Nu together: less than 4(d + 2)Nu. The margin is 8(d + 8)Nu, which
 * holds N's own rounding, too, and what is subnormal.
 *
 * Far from the origin sums take pairs for near that are not: an exact |p − q|² below ε² + 2·(what all sums' roundings
 * can come to). Cells are as wide as that, so that no pair is missed that the sums take in. With N the largest norm
 * twice: 4u(ε² + 2N) of both halves; d + d/4 + 2 operations of sums within ε²/2 + 2N: together below
 * 8(d + 8)(ε² + N)u, of |p − q|² twice as much.
 *
 * Where FMAs are no instructions, products are rounded before they are added at first: N·u/2 more. Such a sum, complete
 * or not, of a pair that is within ε is above −17(d + 8)(ε² + N)u; those that are above −32 times that are computed
 * again.
 */
#pragma once

#include <float.h>
#include <math.h>

#include "kernels/grid_order/grid.h"

enum { EB_EXPANSION_FIRST = 8, EB_EXPANSION_PART = 4 }; /* coordinates */

#ifndef EB_EXPANSION_LOSS
#define EB_EXPANSION_LOSS 8.0 /* a sum's, while pairs may be left */
#endif
#ifndef EB_EXPANSION_WIDTH
#define EB_EXPANSION_WIDTH 16.0 /* that of an |p − q|² */
#endif
#ifndef EB_EXPANSION_TWICE
#define EB_EXPANSION_TWICE 32.0 /* that between sums of products rounded and not */
#endif

/* Halves that a point has. */
static inline size_t eb_expansion_parts(size_t d)
{
    return d <= EB_EXPANSION_FIRST ? 1 : (d + EB_EXPANSION_PART - 1) / EB_EXPANSION_PART - 1;
}

/* ε² in the type, never above ε·ε. Before a question (ε = ∞): 0. */
static inline double eb_expansion_reach(double eps, eb_eps_grid_type type)
{
    const double most = type == EB_EPS_GRID_F32 ? FLT_MAX : DBL_MAX, square = isinf(eps) ? 0 : eps * eps;
    const double reach = square < most ? square : most;
    if (type == EB_EPS_GRID_F64 || (double)(float)reach <= reach)
        return type == EB_EPS_GRID_F64 ? reach : (double)(float)reach;
    return (double)nextafterf((float)reach, 0);
}

/* What rounding can do to sums of points whose squared norms are `norms` together, per u of it and per operation. */
static inline double eb_expansion_loss(double norms, size_t d, eb_eps_grid_type type)
{
    const double unit = type == EB_EPS_GRID_F32 ? 0x1p-24 : 0x1p-53,
                 least = type == EB_EPS_GRID_F32 ? FLT_MIN : DBL_MIN;
    return ((double)d + 8) * (norms * unit + least);
}

/* A sum at most this, negative, stays negative. */
static inline double eb_expansion_lost(double norms, size_t d, eb_eps_grid_type type)
{
    return -EB_EXPANSION_LOSS * eb_expansion_loss(norms, d, type);
}

/* A sum whose products are rounded before they are added: at most this, now or later, and the pair's sum is negative.
 * `all`: norms and ε². NaN: none is. */
static inline double eb_expansion_lost_twice(double all, size_t d, eb_eps_grid_type type)
{
    const double lost = -EB_EXPANSION_TWICE * eb_expansion_loss(all, d, type);
    const double most = type == EB_EPS_GRID_F32 ? FLT_MAX : DBL_MAX;
    return -lost <= most ? lost : (double)NAN;
}

/* The verdict: no sign. */
static inline bool eb_expansion_within(double sum) { return !isnan(sum) && !signbit(sum); }

/* s of a pair that has this sum: at most ε² if it is within ε, else more. */
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
