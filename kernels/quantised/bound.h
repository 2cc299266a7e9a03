/* bound: the proven bound of the 8-bit filter: which pairs the 8-bit points decide, and which they leave open. Host and
 * device.
 *
 * A point p becomes Y = (p − c)·z, c a centre, z any scale, and q, integers near Y from −127 to 127. Two numbers are
 * known of each point: square = ‖q‖², and moved ≥ ‖Y − q‖, rounded up and with clipping included. moved is at most
 * EB_QUANTISED_MOST, a value that leaves nothing ruled out or sure. Sums of products a = ⟨q_i, q_j⟩ are exact. Let
 * R = moved_i + moved_j.
 *
 * A pair within ε has z·‖p_i − p_j‖ ≤ E (kernels/certified/bound.h, 1), so ‖q_i − q_j‖ ≤ E + R by the triangle
 * inequality, and since R² ≤ 2·moved_i² + 2·moved_j²
 *     ‖q_i − q_j‖² ≤ A_i + A_j,   A = E²/2 + 2·E·moved + 2·moved², rounded up to an integer.
 * No ‖q_i − q_j‖² is above M = d·254², so that A is capped at M. With u = ‖q‖² − A the test is
 *     2a ≥ u_i + u_j,
 * the form of both tests of the kernels of kernels/fasted with bytes (kernels/parts/byte_levels.h):
 * - a ≥ h_i + h_j, h = ⌊u/2⌋;
 * - s_i + s_j − 2a ≤ T, as unsigned numbers, where s = u + T/2 and T = 2·M. The left side is never below 0, as
 *   2a − u_i − u_j = A_i + A_j − ‖q_i − q_j‖² ≤ 2·M, nor above 3·M < 2^32.
 * If 2·M < 2^31, which is d ≤ EB_QUANTISED_MOST_D, no number overflows, not even against the least h of a tile's
 * columns, and a level that never passes never does.
 *
 * Conversely ‖q_i − q_j‖ + R ≤ E' makes a pair sure.
 *
 * Y may be any image of the points with `columns` coordinates in which no distance is above z·‖p_i − p_j‖ (axes.h). All
 * of the above holds for it, with d = columns, except that no pair is sure.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "kernels/parts/both.h"

/* A build that weakens one of these must fail its tests (tests/mutants). */
#ifndef EB_QUANTISED_MOVED
#define EB_QUANTISED_MOVED 1.0 /* fraction of a point's rounding error that counts */
#endif
#ifndef EB_QUANTISED_WITHIN
#define EB_QUANTISED_WITHIN 1.0 /* fraction of E that counts */
#endif

#define EB_QUANTISED_MOST_D 16384u
#define EB_QUANTISED_LEVELS 127 /* on either side of 0 */
#define EB_QUANTISED_MOST 0x1p60

/* Sums over a point's coordinates. */
typedef struct eb_quantised_sums {
    double error, length; /* (y − q)², y² */
    int32_t square;       /* q² */
} eb_quantised_sums;

typedef struct eb_quantised_point {
    double moved;
    int32_t square;
} eb_quantised_point;

/* The bound of a question, in the points' unit. */
typedef struct eb_quantised_bound {
    double within, surely; /* E, E'; surely = −1: nothing is sure, because distances may be shortened */
    int32_t most;          /* M */
} eb_quantised_bound;

typedef struct eb_quantised_level {
    int32_t h, s;
} eb_quantised_level;

/* M for d ≤ EB_QUANTISED_MOST_D coordinates. */
EB_BOTH_AT_RUN_TIME int32_t eb_quantised_most(unsigned d)
{
    return (int32_t)(d * 4u * EB_QUANTISED_LEVELS * EB_QUANTISED_LEVELS);
}

/* T. */
EB_BOTH_AT_RUN_TIME uint32_t eb_quantised_threshold(unsigned d) { return 2 * (uint32_t)eb_quantised_most(d); }

/* The FP64 roundings of this function are below 2^-51 of each value; E and E' have a margin of 2^-50. */
static inline eb_quantised_bound eb_quantised_bound_of(double eps, double scale, unsigned d)
{
    const double squared = eps * eps, off = (d + 2) * 0x1p-52, vanished = (d + 8) * 0x1p-1074;
    const double within = sqrt(squared * (1 + off) + vanished) * scale * (1 + 0x1p-50) * EB_QUANTISED_WITHIN;
    const double least = squared * (1 - off) - vanished;
    const double surely = least > 0 ? sqrt(least) * scale * (1 - 0x1p-50) : 0;
    const eb_quantised_bound bound = {within < EB_QUANTISED_MOST ? within : EB_QUANTISED_MOST,
                                      surely < EB_QUANTISED_MOST ? surely : EB_QUANTISED_MOST, eb_quantised_most(d)};
    return bound;
}

/* The bound for an image that may shorten distances. */
static inline eb_quantised_bound eb_quantised_bound_short(double eps, double scale, unsigned d, unsigned columns)
{
    eb_quantised_bound bound = eb_quantised_bound_of(eps, scale, d);
    bound.surely = -1;
    bound.most = eb_quantised_most(columns);
    return bound;
}

/* The integer for y, which may be infinite or NaN. Adding 1.5·2^52 leaves no bits for fractions. */
EB_BOTH_AT_RUN_TIME double eb_quantised_near(double y)
{
    const double least = -EB_QUANTISED_LEVELS, most = EB_QUANTISED_LEVELS;
    const double inside = !(y > least) ? least : y > most ? most : y;
    return (inside + 0x1.8p52) - 0x1.8p52;
}

EB_BOTH_AT_RUN_TIME void eb_quantised_add(eb_quantised_sums *sums, double y, double near)
{
    sums->square += (int32_t)(near * near);
    sums->error += (y - near) * (y - near);
    sums->length += y * y;
}

/* The point of d summed coordinates. y differs from Y by two roundings, and by `off` in length. The sums' relative
 * errors are below (d + 8)·2^-52. */
EB_BOTH_AT_RUN_TIME eb_quantised_point eb_quantised_point_off(eb_quantised_sums sums, unsigned d, double off)
{
    const double moved = (sqrt(sums.error) + 0x1p-51 * sqrt(sums.length) + off) * (1 + (d + 8) * 0x1p-52) + 0x1p-500;
    const eb_quantised_point p = {moved < EB_QUANTISED_MOST ? moved * EB_QUANTISED_MOVED : EB_QUANTISED_MOST,
                                  sums.square};
    return p;
}

EB_BOTH_AT_RUN_TIME eb_quantised_point eb_quantised_point_of(eb_quantised_sums sums, unsigned d)
{
    return eb_quantised_point_off(sums, d, 0);
}

/* The sort key of a point. Points that were clipped far rule little out; the key puts them into the same tiles. */
EB_BOTH_AT_RUN_TIME float eb_quantised_key(eb_quantised_point p)
{
    const double moved = fmin(p.moved, 1e15);
    return (float)((double)p.square + moved * moved);
}

/* The level for A = allowed, rounded up. */
EB_BOTH_AT_RUN_TIME eb_quantised_level eb_quantised_level_at(eb_quantised_point p, double allowed, int32_t most)
{
    const double above = allowed * (1 + 0x1p-48);
    const int32_t a = above < most ? (int32_t)ceil(above) : most, u = p.square - a;
    const eb_quantised_level level = {(u - (u & 1)) / 2, u + most};
    return level;
}

EB_BOTH_AT_RUN_TIME eb_quantised_level eb_quantised_level_of(eb_quantised_point p, eb_quantised_bound bound)
{
    const double e = bound.within;
    return eb_quantised_level_at(p, 0.5 * e * e + 2 * p.moved * (e + p.moved), bound.most);
}

/* The same with an E of each row i. 2·(E + moved_i)·moved_j ≤ t·(E + moved_i)² + moved_j²/t for any t > 0, so that
 *     A_i = (1 + t)·(E + moved_i)²,   A_j = (1 + 1/t)·moved_j²
 * are enough, and columns do not depend on E. No pair is missed whatever t is; fewest pass if t = moved / (E + moved).
 */
static inline double eb_quantised_row_allows(eb_quantised_point p, double within, double t)
{
    return (1 + t) * (within + p.moved) * (within + p.moved);
}

static inline double eb_quantised_column_allows(eb_quantised_point p, double t)
{
    return (1 + 1 / t) * p.moved * p.moved;
}

/* ‖q_i − q_j‖² of a pair that passed. found: the kernels' s_i + s_j − 2a. */
EB_BOTH_AT_RUN_TIME double eb_quantised_squared(uint32_t found, eb_quantised_point i, int32_t s_i, eb_quantised_point j,
                                                int32_t s_j)
{
    const int64_t less = (int64_t)(s_i - i.square) + (s_j - j.square);
    return (double)((int64_t)found - less);
}

/* True if a pair is certainly within ε. */
EB_BOTH_AT_RUN_TIME int eb_quantised_surely(double squared, double moved, double surely)
{
    return (sqrt(squared) + moved) * (1 + 0x1p-50) <= surely;
}

/* The error of a pair's rounded distance as a fraction of the error that the bound allows, moved = moved_i + moved_j;
 * above 1 the bound would be wrong. distance: exact, in the points' unit. 0 if a `moved` was capped, and if a distance
 * that may be shortened is shorter. */
EB_BOTH_AT_RUN_TIME double eb_quantised_share(double squared, double distance, double moved, double surely)
{
    const double more = sqrt(squared) - distance, off = more < 0 && surely < 0 ? 0 : fabs(more);
    return moved >= EB_QUANTISED_MOST ? 0 : off / (moved + 0x1p-40 * distance);
}
