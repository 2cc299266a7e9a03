/* naive_points: small datasets for tests, and the naive count to hold results against. Header-only. */
#ifndef EB_TESTS_NAIVE_POINTS_H
#define EB_TESTS_NAIVE_POINTS_H

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

/* n × d FP32 points with whole coordinates from 0 to spread − 1: few values make duplicates and ties. */
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

#endif
