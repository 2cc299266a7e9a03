/* verdict: the greatest sum s that an engine counts as a pair within ε, by the test of its authors' code: √s ≤ ε or
 * s ≤ ε², in the type of the sums. Square roots are correctly rounded and therefore monotone, so √s ≤ ε holds exactly
 * up to a threshold of s. Computed on the host.
 */
#pragma once

#include <math.h>
#include <stddef.h>

/* The greatest s with √s ≤ ε in FP64. */
static inline double eb_root_threshold_f64(double eps)
{
    double s = eps * eps;
    while (s > 0 && sqrt(s) > eps)
        s = nextafter(s, 0);
    while (s < INFINITY && sqrt(nextafter(s, INFINITY)) <= eps)
        s = nextafter(s, INFINITY);
    return s;
}

/* The greatest s with √s ≤ fl(ε) in FP32. */
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

/* The threshold fl(fl(ε)²) in FP32; for FP64 see eb_squared_threshold. */
static inline double eb_squared_threshold_f32(double eps)
{
    const float limit = (float)eps;
    return (double)(limit * limit);
}

/* A threshold that no sum exceeds whose pair the exact result counts as near. Sums of the same squares in two orders
 * differ by at most 2(d + 2)u, relative to either, and by one underflow per term. */
static inline double eb_wider_threshold(double threshold, size_t d)
{
    const double terms = (double)d + 2;
    return threshold * (1 + 4 * terms * 0x1p-53) + terms * 0x1p-1073;
}
