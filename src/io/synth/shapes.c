#include "io/synth/shapes.h"

#include <math.h>
#include <string.h>

#include "core/base/random.h"

/* ---- numbers ---- */

/* Number i of the stream. The key is a mixed seed: with plain seeds, two seeds a golden ratio apart would give the same
 * stream, shifted. */
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

/* cos and sin of 2πu for u in [0, 1): subtracts the nearest quarter turn exactly, then uses Taylor's series (|x| ≤
 * π/4). */
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

double eb_synth_uniform(uint64_t key, uint64_t i) { return (double)(random_bits(key, i) >> 11) * 0x1p-53; }

double eb_synth_above_0(uint64_t key, uint64_t i) { return (double)((random_bits(key, i) >> 11) + 1) * 0x1p-53; }

void eb_synth_gaussian_pair(uint64_t key, uint64_t i, double out[2])
{
    double radius = sqrt(-2 * eb_synth_logarithm(eb_synth_above_0(key, i)));
    double cosine, sine;
    eb_synth_circle((double)(random_bits(key, i + 1) >> 11) * 0x1p-53, &cosine, &sine);
    out[0] = radius * cosine;
    out[1] = radius * sine;
}

/* A separate stream of numbers for each thing that needs one. */
static uint64_t stream(uint64_t key, uint64_t thing) { return eb_random_of(key ^ eb_random_of(thing)); }

/* ---- sphere ---- */

/* Point i of N(0, 1) in each coordinate. */
static void gaussian_point(uint64_t key, uint64_t i, size_t d, double *out)
{
    const uint64_t even = (d + 1) / 2 * 2;
    for (size_t k = 0; k < d; k += 2) {
        double pair[2];
        eb_synth_gaussian_pair(key, i * even + k, pair);
        for (size_t c = 0; c < 2 && k + c < d; c++)
            out[k + c] = pair[c];
    }
}

void eb_synth_sphere(uint64_t key, uint64_t i, size_t d, double *out)
{
    double squares = 0;
    gaussian_point(key, i, d, out);
    for (size_t k = 0; k < d; k++)
        squares += out[k] * out[k];
    for (size_t k = 0; k < d; k++)
        out[k] = squares > 0 ? out[k] / sqrt(squares) : 0;
}

/* ---- noise: random values at whole numbers, smooth between them ---- */

static double at(uint64_t key, uint64_t corner) { return 2 * eb_synth_uniform(key, corner) - 1; }

static double smooth(double t) { return t * t * (3 - 2 * t); }

/* Noise with period `cells`, x in [0, cells). */
static double ring_noise(uint64_t key, uint64_t cells, double x)
{
    const uint64_t cell = (uint64_t)x;
    const double a = at(key, cell), b = at(key, (cell + 1) % cells);
    return a + (b - a) * smooth(x - (double)cell);
}

static double plane_noise(uint64_t key, uint64_t cells, double x, double y)
{
    const uint64_t column = (uint64_t)x, row = (uint64_t)y, wide = cells + 1;
    const double tx = smooth(x - (double)column), ty = smooth(y - (double)row);
    const double a = at(key, row * wide + column), b = at(key, row * wide + column + 1);
    const double c = at(key, (row + 1) * wide + column), e = at(key, (row + 1) * wide + column + 1);
    const double low = a + (b - a) * tx, high = c + (e - c) * tx;
    return low + (high - low) * ty;
}

/* ---- coast ---- */

enum { CURVES = 1024, FIRST_OCTAVE = 2, OCTAVES = 14 };
#define WIDEST 40.0    /* degrees, the radius of the largest curve */
#define ROUGHNESS 0.55 /* size of an octave's wrinkles relative to the previous octave's */

static double wrinkles(uint64_t curve, size_t k, double t)
{
    double sum = 0, height = 0.5;
    for (unsigned octave = FIRST_OCTAVE; octave < OCTAVES; octave++) {
        const uint64_t cells = (uint64_t)1 << octave;
        sum += height * ring_noise(stream(curve, k * OCTAVES + octave), cells, t * (double)cells);
        height *= ROUGHNESS;
    }
    return sum;
}

void eb_synth_coast(uint64_t key, uint64_t i, size_t d, double *out)
{
    const double pick = eb_synth_uniform(key, 2 * i), t = eb_synth_uniform(key, 2 * i + 1);
    const uint64_t number = (uint64_t)(CURVES * pick * pick * pick), curve = stream(key, number);
    const double radius = WIDEST / sqrt((double)(number + 1));
    double turn[2];
    eb_synth_circle(t, &turn[0], &turn[1]);
    for (size_t k = 0; k < d; k++) {
        const double span = k == 0 ? 360 : 160, centre = (eb_synth_uniform(curve, k) - 0.5) * span;
        out[k] = centre + radius * ((k < 2 ? turn[k] : 0) + wrinkles(curve, k, t));
    }
}

/* ---- terrain ---- */

enum { MAPS = 4, COARSEST = 2, FINEST = 7 };
static const double range_of[] = {3000, 360, 60, 1400, 600, 7000, 255, 255, 255, 7000};
#define RANGES (sizeof range_of / sizeof range_of[0])
#define SCATTER 0.004 /* as a share of a range */

static double landscape(uint64_t map, double x, double y)
{
    double sum = 0, height = 0.5;
    for (unsigned octave = COARSEST; octave < FINEST; octave++) {
        const uint64_t cells = (uint64_t)1 << octave;
        sum += height * plane_noise(stream(map, octave), cells, x * (double)cells, y * (double)cells);
        height *= 0.5;
    }
    return sum;
}

void eb_synth_terrain(uint64_t key, uint64_t i, size_t d, double *out)
{
    const uint64_t own = stream(key, i);
    const uint64_t map = (uint64_t)(MAPS * eb_synth_uniform(own, 0));
    const double x = eb_synth_uniform(own, 1), y = eb_synth_uniform(own, 2);
    for (size_t k = 0; k < d; k++) {
        const double scatter = SCATTER * (eb_synth_uniform(own, 3 + k) - 0.5);
        out[k] = floor(range_of[k % RANGES] * (landscape(stream(key ^ (k + 1), map), x, y) + scatter));
    }
}

/* ---- clusters ---- */

enum { CLUSTERS = 256 };
#define DEVIATION 0.05

void eb_synth_clusters(uint64_t key, uint64_t i, size_t d, double *out)
{
    const double pick = eb_synth_uniform(stream(key, 1), i);
    const uint64_t centre = stream(key, 2 + (uint64_t)(CLUSTERS * pick * pick));
    gaussian_point(key, i, d, out);
    for (size_t k = 0; k < d; k++)
        out[k] = eb_synth_uniform(centre, k) + DEVIATION * out[k];
}
