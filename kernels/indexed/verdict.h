/* verdict: the greatest sum that an engine takes for a pair within ε, as its authors' code compares: the root with ε,
 * or the sum with ε², in the type of the sums. Roots are rounded rightly and so monotone: √s ≤ ε exactly where s is not
 * above a threshold. On the host.
 */
#pragma once

#include <math.h>
#include <stddef.h>

/* √s ≤ ε in FP64. */
static inline double eb_root_threshold_f64(double eps)
{
    double s = eps * eps;
    while (s > 0 && sqrt(s) > eps)
        s = nextafter(s, 0);
    while (s < INFINITY && sqrt(nextafter(s, INFINITY)) <= eps)
        s = nextafter(s, INFINITY);
    return s;
}

/* √s ≤ fl(ε) in FP32. */
static inline double eb_root_threshold_f32(double eps)
{
    const float limit = (float)eps;
    float s = limit * limit;
    while (s > 0 && sqrtf(s) > limit)
        s = nextafterf(s, 0);
    while (s < INFINITY && sqrtf(nextafterf(s, INFINITY)) <= limit)
        s = nextafterf(s, INFINITY);
    return (double)s;
}

/* s ≤ fl(fl(ε)²) in FP32; in FP64 it is eb_squared_threshold. */
static inline double eb_squared_threshold_f32(double eps)
{
    const float limit = (float)eps;
    return (double)(limit * limit);
}

/* Sums of the same squares in two orders differ by at most 2(d + 2)u of either, and by an underflow a term: what no sum
 * is above whose pair the truth takes for near. */
static inline double eb_wider_threshold(double threshold, size_t d)
{
    const double terms = (double)d + 2;
    return threshold * (1 + 4 * terms * 0x1p-53) + terms * 0x1p-1073;
}
