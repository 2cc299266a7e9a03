/* bound: the proven bound of the FP16 filter: which pairs the FP16 points and the tensor cores' FP32 sums decide, and
 * which pairs they leave open. Host and device.
 *
 * A point p becomes Y = 2^k·(p − c), c a centre, and ŷ, FP16 numbers near Y. Two FP64 numbers are known of each point:
 * square = ‖ŷ‖², and moved ≥ ‖Y − ŷ‖, rounded up. moved is at most EB_CERTIFIED_MOST; no pair of a point with this
 * value is ruled out. For a pair the tensor cores compute â near a = ⟨ŷ_i, ŷ_j⟩. Let R = moved_i + moved_j,
 * S = square_i + square_j.
 *
 * 1 The exact result: s, an FMA chain of d steps, is within a factor 1 ± (d + 2)·2^-52 of D² = ‖p_i − p_j‖², and
 *   underflow adds at most d·2^-1074. So s ≤ ε² implies 2^k·D ≤ E (`within`), and 2^k·D ≤ E' (`surely`) implies s ≤ ε².
 * 2 The rounding of points (triangle inequality): |‖ŷ_i − ŷ_j‖ − 2^k·D| ≤ R.
 * 3 The tensor core adds a block of K products to the previous sum. These K + 1 terms are aligned to the largest. Each
 *   of the K others loses less than 2^-F of the largest term, so that all together lose at most 4·2^-23 of it
 *   (K, F = 16, 25 on sm_90; 8, 24 on sm_80). The sum then loses less than 2^-23 of itself. No term is above
 *   ‖ŷ_i‖·‖ŷ_j‖ plus the loss of the previous blocks. No coordinate of ŷ is a subnormal FP16 number: such a number is
 *   smaller than its exponent says, and a product aligned to that exponent would lose more. So B = ⌈d/K⌉ blocks lose at
 *   most C·‖ŷ_i‖·‖ŷ_j‖ ≤ C·S/2, C = (1 + 5·2^-23)^B − 1 (`loss`).
 *
 * A pair within ε thus has 2â ≥ S − (E + R)² − C·S, and since R² ≤ 2·moved_i² + 2·moved_j²
 *     2â ≥ v_i + v_j − E²,  v = square·(1 − C) − 2·E·moved − 2·moved²,
 * which is the form of both tests of the kernels of kernels/fasted:
 * 4 a ≥ h_i + h_j, h = v/2 − E²/4 rounded down. Rounding is monotone: as â is an FP32 number, fl(h_i + h_j) ≤ â.
 * 5 q = (s_i + s_j) − 2a ≤ T, T = E² rounded up, s = v less 2^-22 of its parts. The FP32 sum of two s is then not above
 *   v_i + v_j, and rounding the difference is monotone again.
 *
 * A left point may have an E_i of its own, at most E, while the right points' levels have E: as 2·E_i·R ≤ 2·E_i·moved_i
 * + 2·E·moved_j, its v has E_i, its h is v/2 − E_i²/2 + E²/4 rounded down, and its s has E² − E_i² more, less 2^-22 of
 * that too. q is then too large by E² − E_i².
 *
 * Conversely √(S − 2a) + R ≤ E' makes a pair sure, for which S − 2a ≤ E'² − 2·E'·R suffices. With S − 2a ≤
 * q(1 + 2^-23) + Σ (square·(1 + C) − s + 2^-23 of s's parts) the test is q(1 + 2^-22) ≤ E'² − w_i − w_j.
 *
 * A pair may be looked at again (kernels/filters/second_look.cuh): s' is the FP32 sum of its squared differences of
 * FP16 coordinates, in any order of at most `terms` additions one after the other. A difference, its square and each
 * addition lose at most 2^-24 of a number that is not negative, and nothing underflows, as no difference but 0 is below
 * 2^-24. So s' is within a factor 1 ± G of ‖ŷ_i − ŷ_j‖², G = (terms + 4)·2^-24·(1 + 2^-10): a pair with
 * s'(1 − G) > (E + R)² is farther than ε, and one with s'(1 + G) ≤ (E' − R)² is within.
 */
#pragma once

#include <float.h>
#include <math.h>

#include "kernels/parts/both.h"

/* A build that weakens one of these must fail its tests (tests/mutants). */
#ifndef EB_CERTIFIED_LOSS
#define EB_CERTIFIED_LOSS (5 * 0x1p-23) /* relative loss of a block of products (step 3) */
#endif
#ifndef EB_CERTIFIED_MOVED
#define EB_CERTIFIED_MOVED 1.0 /* fraction of a point's rounding error that counts (step 2) */
#endif

#ifndef EB_CERTIFIED_REACH
#define EB_CERTIFIED_REACH 1.0 /* fraction of E + R that a second look allows */
#endif

#define EB_CERTIFIED_MOST 0x1p60 /* largest distance in the scaled points' unit; at this value nothing is ruled out */

typedef struct eb_certified_point {
    double square, moved;
} eb_certified_point;

/* The bound of a question. */
typedef struct eb_certified_bound {
    double loss;           /* C, plus the relative error of `square` in FP64 */
    double within, surely; /* E, E' */
} eb_certified_bound;

/* The constants h and s of a point for a question (steps 4 and 5). */
typedef struct eb_certified_level {
    float h, s;
} eb_certified_level;

EB_BOTH_AT_RUN_TIME float eb_float_below(double x)
{
    const float near = (float)x;
    return (double)near > x ? nextafterf(near, -FLT_MAX) : near;
}

EB_BOTH_AT_RUN_TIME float eb_float_above(double x) { return -eb_float_below(-x); }

/* E for a squared ε, unless it is above EB_CERTIFIED_MOST. */
EB_BOTH_AT_RUN_TIME double eb_certified_within(double squared, double scale, unsigned d)
{
    const double off = (d + 2) * 0x1p-52, vanished = (d + 8) * 0x1p-1074;
    return sqrt(squared * (1 + off) + vanished) * scale * (1 + 0x1p-50);
}

/* The bound for d coordinates and tensor cores that sum `block` products at once. Points are multiplied by `scale`, a
 * power of two. The FP64 roundings of this function are below 2^-51 of each value. */
static inline eb_certified_bound eb_certified_bound_of(double eps, double scale, unsigned d, unsigned block)
{
    const double squared = eps * eps, off = (d + 2) * 0x1p-52, vanished = (d + 8) * 0x1p-1074;
    const double within = eb_certified_within(squared, scale, d), least = squared * (1 - off) - vanished;
    const double surely = least > 0 ? sqrt(least) * scale * (1 - 0x1p-50) : 0;
    const unsigned blocks = (d + block - 1) / block;
    const double loss = expm1(blocks * log1p(EB_CERTIFIED_LOSS * (1 + 0x1p-20))) * (1 + 0x1p-40);
    const eb_certified_bound bound = {loss + (d + 8) * 0x1p-52, within < EB_CERTIFIED_MOST ? within : EB_CERTIFIED_MOST,
                                      surely < EB_CERTIFIED_MOST ? surely : EB_CERTIFIED_MOST};
    return bound;
}

/* Returns T of step 5. */
static inline float eb_certified_threshold(eb_certified_bound bound)
{
    return eb_float_above(bound.within * bound.within * (1 + 0x1p-50));
}

/* The value that is rounded to FP16 for y; and whether the FP16 number is kept: a subnormal one is replaced by 0. */
EB_BOTH_AT_RUN_TIME double eb_certified_inside(double y) { return fmin(fmax(y, -65504.0), 65504.0); }
EB_BOTH_AT_RUN_TIME int eb_certified_keeps(double near) { return fabs(near) >= 0x1p-14; }

/* Sums over a point's coordinates y and ŷ. */
typedef struct eb_certified_sums {
    double square, error, length; /* ŷ², (y − ŷ)², y² */
} eb_certified_sums;

EB_BOTH_AT_RUN_TIME void eb_certified_add(eb_certified_sums *sums, double y, double near)
{
    sums->square += near * near;
    sums->error += (y - near) * (y - near);
    sums->length += y * y;
}

/* Makes a point from the sums over its d coordinates. y differs from Y by one rounding. The sums' relative errors are
 * below (d + 8)·2^-52. */
EB_BOTH_AT_RUN_TIME eb_certified_point eb_certified_point_of(eb_certified_sums sums, unsigned d)
{
    const double moved = (sqrt(sums.error) + 0x1p-52 * sqrt(sums.length)) * (1 + (d + 8) * 0x1p-52) + 0x1p-500;
    const eb_certified_point p = {sums.square,
                                  moved < EB_CERTIFIED_MOST ? moved * EB_CERTIFIED_MOVED : EB_CERTIFIED_MOST};
    return p;
}

EB_BOTH_AT_RUN_TIME eb_certified_level eb_certified_level_of(eb_certified_point p, eb_certified_bound bound)
{
    const double e = bound.within, residual = 2 * p.moved * (e + p.moved), parts = p.square + residual;
    const double v = p.square * (1 - bound.loss) - residual;
    const eb_certified_level level = {eb_float_below(0.5 * v - 0.25 * e * e - (parts + e * e) * 0x1p-50),
                                      eb_float_below(v - 0x1p-22 * parts)};
    return level;
}

/* The level of a left point with an E of its own, `own`. */
EB_BOTH_AT_RUN_TIME eb_certified_level eb_certified_level_each(eb_certified_point p, double own,
                                                               eb_certified_bound bound)
{
    const double e = bound.within, mine = fmin(own, e), residual = 2 * p.moved * (mine + p.moved);
    const double parts = p.square + residual, v = p.square * (1 - bound.loss) - residual;
    const double more = (e - mine) * (e + mine);
    const eb_certified_level level = {eb_float_below(0.5 * v - 0.5 * mine * mine + 0.25 * e * e -
                                                     (parts + e * e) * 0x1p-50),
                                      eb_float_below(v + more - 0x1p-22 * (parts + more))};
    return level;
}

/* Returns w of a point. s: the s of its level. */
EB_BOTH_AT_RUN_TIME double eb_certified_width(eb_certified_point p, float s, eb_certified_bound bound)
{
    const double parts = p.square + 2 * p.moved * (bound.within + p.moved);
    const double above = p.square * (1 + bound.loss) - (double)s + 0x1p-22 * parts;
    return (above + 2 * bound.surely * p.moved) * (1 + 0x1p-50);
}

/* True if a pair with the computed q is certainly within ε. */
EB_BOTH_AT_RUN_TIME int eb_certified_surely(float q, double width_i, double width_j, double surely)
{
    return (double)q * (1 + 0x1p-22) <= surely * surely * (1 - 0x1p-50) - (width_i + width_j) * (1 + 0x1p-50);
}

/* The error of a pair's q as a fraction of the error that the bound allows; above 1 the bound would be wrong. squared:
 * the pair's exact squared distance in the scaled points' unit. s_i, s_j: the s of the points' levels. */
EB_BOTH_AT_RUN_TIME double eb_certified_share(float q, double squared, eb_certified_point i, eb_certified_point j,
                                              double s_i, double s_j, double loss)
{
    const double r = i.moved + j.moved, distance = sqrt(squared);
    const double computed = (double)q + (i.square - s_i) + (j.square - s_j);
    const double rounded = (loss + 0x1p-22) * (i.square + j.square) +
                           0x1p-22 * (fabs(s_i) + fabs(s_j) + fabs((double)q)) + 0x1p-36 * squared;
    const double near = distance > r ? distance - r : 0;
    return computed >= squared ? (computed - squared) / (2 * distance * r + r * r + rounded)
                               : (squared - computed) / (squared - near * near + rounded);
}

/* A second look at a pair by the FP32 sum of its squared differences; moved: R. */
typedef struct eb_second_bound {
    double within, surely; /* E, E' */
    double loss;           /* G */
} eb_second_bound;

typedef enum eb_second_verdict { EB_SECOND_OPEN, EB_SECOND_APART, EB_SECOND_WITHIN } eb_second_verdict;

/* Lanes that share a pair, numbers that a lane takes at a time. */
enum { EB_SECOND_LANES = 16, EB_SECOND_AT_ONCE = 8 };

/* Additions one after the other: a lane's, and those of the lanes' sums. */
static inline unsigned eb_second_terms(unsigned d)
{
    const unsigned each = EB_SECOND_LANES * EB_SECOND_AT_ONCE;
    return (d + each - 1) / each * EB_SECOND_AT_ONCE + 4;
}

/* d below 2^20. */
static inline eb_second_bound eb_second_bound_of(eb_certified_bound of, unsigned d)
{
    const unsigned terms = eb_second_terms(d);
    const eb_second_bound bound = {of.within, of.surely, (terms + 4) * 0x1p-24 * (1 + 0x1p-10)};
    return bound;
}

EB_BOTH_AT_RUN_TIME eb_second_verdict eb_second_verdict_of(float sum, double moved, eb_second_bound bound)
{
    const double far = (bound.within + moved) * EB_CERTIFIED_REACH, near = bound.surely - moved;
    if ((double)sum * (1 - bound.loss) > far * far * (1 + 0x1p-40))
        return EB_SECOND_APART;
    return near > 0 && (double)sum * (1 + bound.loss) <= near * near * (1 - 0x1p-40) ? EB_SECOND_WITHIN
                                                                                     : EB_SECOND_OPEN;
}
