#include "io/synth/values.h"

#include <math.h>
#include <string.h>

#include "core/base/random.h"

/* Number i of the stream. The seed is mixed first: as it is, seeds a golden ratio apart would
 * give one shifted stream. */
static uint64_t random_bits(uint64_t key, uint64_t i) { return eb_random_of(key + (i + 1) * EB_RANDOM_STEP); }

/* ln x for x in (0, 1]: x = m·2^e with m in [√½, √2), ln m = 2 artanh((m−1)/(m+1)). |s| ≤ 0.172, so twelve terms of the
 * series reach FP64's last bits. */
double eb_synth_logarithm(double x)
{
    static const double ln2 = 0x1.62e42fefa39efp-1, root_half = 0x1.6a09e667f3bcdp-1;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1022;
    bits = (bits & 0x000fffffffffffffu) | (uint64_t)1022 << 52;
    double m; /* in [½, 1) */
    memcpy(&m, &bits, sizeof m);
    if (m < root_half) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * s2 + 1.0 / k;
    return (double)exponent * ln2 + 2 * s * sum;
}

/* cos and sin of 2πu for u in [0, 1): the nearest quarter turn is taken off exactly, Taylor's series does the rest
 * (|x| ≤ π/4). */
void eb_synth_circle(double u, double *cosine, double *sine)
{
    static const double two_pi = 0x1.921fb54442d18p+2;
    int quarter = (int)(4 * u + 0.5);
    double x = (u - quarter * 0.25) * two_pi, x2 = x * x;
    double c = 0, s = 0;
    for (int k = 16; k >= 2; k -= 2)
        c = (1 - c) * x2 / (k * (k - 1));
    c = 1 - c;
    for (int k = 17; k >= 3; k -= 2)
        s = (1 - s) * x2 / (k * (k - 1));
    s = (1 - s) * x;
    switch (quarter & 3) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

/* 53 bits, so that 1 is never reached. */
double eb_synth_uniform(uint64_t key, uint64_t i) { return (double)(random_bits(key, i) >> 11) * 0x1p-53; }

/* In (0, 1]: a logarithm follows. */
double eb_synth_above_0(uint64_t key, uint64_t i) { return (double)((random_bits(key, i) >> 11) + 1) * 0x1p-53; }

/* Box and Muller: values i and i + 1, i even. */
void eb_synth_gaussian_pair(uint64_t key, uint64_t i, double out[2])
{
    double radius = sqrt(-2 * eb_synth_logarithm(eb_synth_above_0(key, i)));
    double cosine, sine;
    eb_synth_circle((double)(random_bits(key, i + 1) >> 11) * 0x1p-53, &cosine, &sine);
    out[0] = radius * cosine;
    out[1] = radius * sine;
}
