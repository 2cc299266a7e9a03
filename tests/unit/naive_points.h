/* naive_points: small datasets for tests, and brute-force counts to compare results with. Header-only. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "core/data/dataset.h"

static inline uint64_t naive_random(uint64_t *seed) /* splitmix64 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void naive_release(void *owner) { free(owner); }

/* n × d FP32 points with whole coordinates from 0 to spread − 1; a small spread makes duplicates and ties. */
static inline eb_dataset *naive_points(size_t n, size_t d, unsigned spread, uint64_t seed)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    float *values = malloc(n * d * sizeof *values);
    if (!ds || !values)
        abort();
    for (size_t k = 0; k < n * d; k++)
        values[k] = (float)(naive_random(&seed) % spread);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F32,
                       .rows = (void *)values,
                       .stride = d * sizeof *values,
                       .release = naive_release,
                       .owner = values};
    return ds;
}

static inline uint64_t naive_pairs(const eb_dataset *ds, double eps)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t j = 0; j < ds->n; j++)
            pairs += eb_truth_distance2(ds, i, j) <= eb_squared_threshold(eps);
    return pairs;
}

/* The exact squared distance between two sets, as eb_truth_distance2 defines it within one. */
static inline double naive_distance2(const eb_dataset *left, size_t i, const eb_dataset *right, size_t j)
{
    size_t size = eb_dtype_size(left->dtype);
    double s = 0;
    for (size_t k = 0; k < left->d; k++) {
        double p, q;
        eb_to_f64(left->dtype, eb_row(left, i) + k * size, 1, &p);
        eb_to_f64(right->dtype, eb_row(right, j) + k * size, 1, &q);
        s = fma(p - q, p - q, s);
    }
    return s;
}

static inline uint64_t naive_pairs_between(const eb_dataset *left, const eb_dataset *right, double eps)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < left->n; i++)
        for (size_t j = 0; j < right->n; j++)
            pairs += naive_distance2(left, i, right, j) <= eb_squared_threshold(eps);
    return pairs;
}
