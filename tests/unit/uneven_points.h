/* uneven_points: points for which a sampled S(ε) is inaccurate, and two kinds for which it is not. Header-only. */
#pragma once

#include "tests/unit/naive_points.h"

static inline double uneven_uniform(uint64_t *seed) /* in (0, 1) */
{
    return ((double)(naive_random(seed) >> 12) + 0.5) * 0x1p-52;
}

static inline double uneven_normal(uint64_t *seed)
{
    double radius = sqrt(-2 * log(uneven_uniform(seed)));
    return radius * cos(2 * 3.14159265358979324 * uneven_uniform(seed));
}

static inline void uneven_gaussian(double *x, size_t d, double deviation, uint64_t *seed)
{
    for (size_t k = 0; k < d; k++)
        x[k] = deviation * uneven_normal(seed);
}

static inline void uneven_direction(double *x, size_t d, double length, uint64_t *seed)
{
    double squares = 0;
    uneven_gaussian(x, d, 1, seed);
    for (size_t k = 0; k < d; k++)
        squares += x[k] * x[k];
    for (size_t k = 0; k < d; k++)
        x[k] *= length / sqrt(squares);
}

/* Each function writes point i of n; values common to all points are drawn from a separate seed. */

static inline void uneven_even(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    (void)i, (void)n;
    for (size_t k = 0; k < d; k++)
        x[k] = uneven_uniform(seed);
}

static inline void uneven_bell(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    (void)i, (void)n;
    uneven_gaussian(x, d, 1, seed);
}

/* Twelve clusters, each 0.6 times as large as the previous one, 0.03 to 2 wide. */
static inline void uneven_clusters(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    uint64_t cluster = 0, own;
    for (double left = (double)(i * 997 % n) / (double)n, share = 0.4; cluster < 11 && left >= share; share *= 0.6) {
        left -= share;
        cluster++;
    }
    own = 77 + cluster;
    double width = pow(10, 1.8 * uneven_uniform(&own) - 1.5);
    for (size_t k = 0; k < d; k++)
        x[k] = 10 * uneven_normal(&own) + width * uneven_normal(seed);
}

/* One point of fifty lies in a distant cluster, a thousandth as wide as the rest. */
static inline void uneven_far(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    (void)n;
    uneven_gaussian(x, d, i % 50 ? 1 : 0.001, seed);
    for (size_t k = 0; k < d && i % 50 == 0; k++)
        x[k] += 100;
}

/* Points on a sphere; one of 33 lies in a small ball there. */
static inline void uneven_ball(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    double squares = 0;
    uint64_t centre = 3;
    (void)n;
    uneven_direction(x, d, 1, i % 33 ? seed : &centre);
    for (size_t k = 0; k < d; k++) {
        x[k] += i % 33 ? 0 : 0.02 * uneven_normal(seed);
        squares += x[k] * x[k];
    }
    for (size_t k = 0; k < d; k++)
        x[k] /= sqrt(squares);
}

static inline void uneven_cauchy(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    (void)i, (void)n;
    for (size_t k = 0; k < d; k++)
        x[k] = uneven_normal(seed) / uneven_normal(seed);
}

/* The density grows without bound towards the origin. */
static inline void uneven_power(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    (void)i, (void)n;
    double length = uneven_uniform(seed);
    uneven_direction(x, d, length * length * length, seed);
}

/* Three latent dimensions, mapped nonlinearly to d. */
static inline void uneven_latent(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    double latent[3];
    uint64_t shared = 9;
    (void)i, (void)n;
    uneven_gaussian(latent, 3, 1, seed);
    for (size_t k = 0; k < d; k++) {
        double sum = 0;
        for (size_t l = 0; l < 3; l++)
            sum += latent[l] * uneven_normal(&shared);
        x[k] = tanh(sum) + 0.01 * uneven_normal(seed);
    }
}

/* One point of twenty is a copy: of one point, of ten, or of any. */
static inline void uneven_copies(double *x, size_t d, size_t i, size_t n, uint64_t *seed, size_t originals)
{
    uint64_t original = 1000 + naive_random(seed) % originals;
    (void)n;
    uneven_gaussian(x, d, 1, i % 20 ? seed : &original);
}
static inline void uneven_copies_of_one(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    uneven_copies(x, d, i, n, seed, 1);
}
static inline void uneven_copies_of_ten(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    uneven_copies(x, d, i, n, seed, 10);
}
static inline void uneven_copies_of_any(double *x, size_t d, size_t i, size_t n, uint64_t *seed)
{
    uneven_copies(x, d, i, n, seed, n / 40);
}

typedef struct uneven_kind {
    const char *name;
    size_t d;
    void (*point)(double *x, size_t d, size_t i, size_t n, uint64_t *seed);
} uneven_kind;

static const uneven_kind uneven_kinds[] = {
    {"uniform", 8, uneven_even},
    {"Gaussian", 16, uneven_bell},
    {"unequal clusters", 8, uneven_clusters},
    {"a tight cluster far away", 8, uneven_far},
    {"a dense ball on a sphere", 8, uneven_ball},
    {"Cauchy", 4, uneven_cauchy},
    {"power-law density", 3, uneven_power},
    {"3 latent of 64 dimensions", 64, uneven_latent},
    {"5 % copies of one point", 8, uneven_copies_of_one},
    {"5 % copies of ten points", 8, uneven_copies_of_ten},
    {"5 % copies, a few of each", 8, uneven_copies_of_any},
};
#define UNEVEN_KINDS (sizeof uneven_kinds / sizeof uneven_kinds[0])

/* n points of a kind, FP64, in random order. */
static inline eb_dataset *uneven_points(const uneven_kind *kind, size_t n, uint64_t seed)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *values = malloc(n * kind->d * sizeof *values);
    if (!ds || !values)
        abort();
    for (size_t i = 0; i < n; i++)
        kind->point(values + i * kind->d, kind->d, i, n, &seed);
    *ds = (eb_dataset){.n = n,
                       .d = kind->d,
                       .dtype = EB_F64,
                       .rows = (void *)values,
                       .stride = kind->d * sizeof *values,
                       .format = "made",
                       .release = naive_release,
                       .owner = values};
    return ds;
}
