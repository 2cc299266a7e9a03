/* bound: which pairs 8-bit points leave open, and which they decide. Host and device.
 *
 * Points p become Y = (p − c)·z, c a centre, z any scale, and q, integers near Y from −127 to 127. Of each point two
 * numbers are known: square = ‖q‖², moved ≥ ‖Y − q‖ (rounded up, what was cut off included; at most EB_QUANTISED_MOST,
 * behind which nothing is ruled out or sure).
 * Sums of products a = ⟨q_i, q_j⟩ are exact. Let R = moved_i + moved_j.
 *
 * A pair within ε has z·‖p_i − p_j‖ ≤ E (kernels/certified/bound.h, 1), so ‖q_i − q_j‖ ≤ E + R by the triangle
 * inequality, and since R² ≤ 2·moved_i² + 2·moved_j²
 *     ‖q_i − q_j‖² ≤ A_i + A_j,   A = E²/2 + 2·E·moved + 2·moved², rounded up to an integer.
 * No ‖q_i − q_j‖² is above M = d·254², so that A above M is as good as M. With u = ‖q‖² − A that is
 *     2a ≥ u_i + u_j,
 * the form of both tests of the kernels of kernels/fasted with bytes (kernels/parts/byte_levels.h):
 * - a ≥ h_i + h_j, h = ⌊u/2⌋;
 * - s_i + s_j − 2a ≤ T, as numbers without sign, where s = u + T/2 and T = 2·M: what is compared is never below 0, as
 *   2a − u_i − u_j = A_i + A_j − ‖q_i − q_j‖² ≤ 2·M, nor above 3·M < 2^32.
 * All of it fits, also against the least h of a tile's columns, and a level that never passes never does, where
 * 2·M < 2^31: d ≤ EB_QUANTISED_MOST_D.
 *
 * The other way round, ‖q_i − q_j‖ + R ≤ E' makes a pair sure.
 *
 * Y may be any image of the points in which no distance is above z·‖p_i − p_j‖, of `columns` coordinates (axes.h): all
 * of the above holds of it, d being the columns', but for what is sure.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define EB_QUANTISED_BOTH __host__ __device__
#else
#define EB_QUANTISED_BOTH
#endif

/* Tests that weaken a bound must fail: a build may define these otherwise. */
#ifndef EB_QUANTISED_MOVED
#define EB_QUANTISED_MOVED 1.0 /* of what rounding moves a point by, how much counts */
#endif
#ifndef EB_QUANTISED_WITHIN
#define EB_QUANTISED_WITHIN 1.0 /* of E, how much is looked within */
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

/* Of a question, in the points' unit. */
typedef struct eb_quantised_bound {
    double within, surely; /* E, E'; −1: nothing is sure, distances may have been shortened */
    int32_t most;          /* M */
} eb_quantised_bound;

typedef struct eb_quantised_level {
    int32_t h, s;
} eb_quantised_level;

/* d ≤ EB_QUANTISED_MOST_D coordinates. */
static inline EB_QUANTISED_BOTH int32_t eb_quantised_most(unsigned d)
{
    return (int32_t)(d * 4u * EB_QUANTISED_LEVELS * EB_QUANTISED_LEVELS);
}

/* T. */
static inline EB_QUANTISED_BOTH uint32_t eb_quantised_threshold(unsigned d)
{
    return 2 * (uint32_t)eb_quantised_most(d);
}

/* FP64's roundings here are below 2^-51 of what they round; E' takes as much more. */
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

/* Of an image that may shorten distances. */
static inline eb_quantised_bound eb_quantised_bound_short(double eps, double scale, unsigned d, unsigned columns)
{
    eb_quantised_bound bound = eb_quantised_bound_of(eps, scale, d);
    bound.surely = -1;
    bound.most = eb_quantised_most(columns);
    return bound;
}

/* The integer for y, which may be infinite, or what FP64 made of such; 2^52 and a half of it leave no bits for
 * fractions. */
static inline EB_QUANTISED_BOTH double eb_quantised_near(double y)
{
    const double least = -EB_QUANTISED_LEVELS, most = EB_QUANTISED_LEVELS;
    const double inside = !(y > least) ? least : y > most ? most : y;
    return (inside + 0x1.8p52) - 0x1.8p52;
}

static inline EB_QUANTISED_BOTH void eb_quantised_add(eb_quantised_sums *sums, double y, double near)
{
    sums->square += (int32_t)(near * near);
    sums->error += (y - near) * (y - near);
    sums->length += y * y;
}

/* Of d coordinates; y is Y but for two roundings, and `off` more in all. What FP64's sums lose is below (d + 8)·2^-52
 * of them. */
static inline EB_QUANTISED_BOTH eb_quantised_point eb_quantised_point_off(eb_quantised_sums sums, unsigned d,
                                                                          double off)
{
    const double moved = (sqrt(sums.error) + 0x1p-51 * sqrt(sums.length) + off) * (1 + (d + 8) * 0x1p-52) + 0x1p-500;
    const eb_quantised_point p = {moved < EB_QUANTISED_MOST ? moved * EB_QUANTISED_MOVED : EB_QUANTISED_MOST,
                                  sums.square};
    return p;
}

static inline EB_QUANTISED_BOTH eb_quantised_point eb_quantised_point_of(eb_quantised_sums sums, unsigned d)
{
    return eb_quantised_point_off(sums, d, 0);
}

/* What points are ordered by: what is cut off far counts, so that such points, which rule little out, share columns'
 * tiles. */
static inline EB_QUANTISED_BOTH float eb_quantised_key(eb_quantised_point p)
{
    const double moved = fmin(p.moved, 1e15);
    return (float)((double)p.square + moved * moved);
}

static inline EB_QUANTISED_BOTH eb_quantised_level eb_quantised_level_of(eb_quantised_point p, eb_quantised_bound bound)
{
    const double e = bound.within, allowed = (0.5 * e * e + 2 * p.moved * (e + p.moved)) * (1 + 0x1p-48);
    const int32_t a = allowed < bound.most ? (int32_t)ceil(allowed) : bound.most, u = p.square - a;
    const eb_quantised_level level = {(u - (u & 1)) / 2, u + bound.most};
    return level;
}

/* ‖q_i − q_j‖² of a pair that passed, of which the kernels say s_i + s_j − 2a. */
static inline EB_QUANTISED_BOTH double eb_quantised_squared(uint32_t found, eb_quantised_point i, int32_t s_i,
                                                            eb_quantised_point j, int32_t s_j)
{
    const int64_t less = (int64_t)(s_i - i.square) + (s_j - j.square);
    return (double)((int64_t)found - less);
}

/* Whether a pair is within ε for sure. */
static inline EB_QUANTISED_BOTH int eb_quantised_surely(double squared, double moved, double surely)
{
    return (sqrt(squared) + moved) * (1 + 0x1p-50) <= surely;
}

/* Of what the bound allows, moved_i + moved_j, how much the truth's distance (in the points' unit) was off: above 1 the
 * bound would be wrong. 0 where it is not known how far a point was moved, only that anything goes; and where a
 * distance became less that may be shortened. */
static inline EB_QUANTISED_BOTH double eb_quantised_share(double squared, double distance, double moved, double surely)
{
    const double more = sqrt(squared) - distance, off = more < 0 && surely < 0 ? 0 : fabs(more);
    return moved >= EB_QUANTISED_MOST ? 0 : off / (moved + 0x1p-40 * distance);
}
