/* strata: draws a few points that stand for all, so that rare points with many neighbours are among them.
 *
 * The points are ordered such that neighbours in the order have similar numbers of neighbours in space: by crowding in
 * factors of two, and within a factor by distance to the centroid. The order is cut into strata: short
 * ones where it is crowded, and short ones at the far end, where single points are far from all others. One point of
 * each stratum is drawn uniformly and stands for the whole stratum.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_strata {
    size_t count;  /* n: every point stands for itself */
    uint32_t *row; /* [count] points drawn, in the order of their strata */
    size_t *size;  /* [count] points of each stratum, ≥ 1; they sum to n */
} eb_strata;

/* The order that strata are cut from. Of more than EB_MOST_ORDERED points, some drawn at random are ordered, and stand
 * for all, since ordering a point takes time and memory. The sizes of strata are then estimates; with 64 points a
 * stratum the 95 % band of a curve is nearly as wide and covers as much (tests/bench/curve.md). */
#define EB_MOST_ORDERED ((size_t)1 << 18)
typedef struct eb_strata_order {
    size_t n, ordered;               /* points; of these in the order */
    struct eb_strata_member *member; /* [ordered]; NULL: every point stands for itself */
} eb_strata_order;

/* False if so many strata need another order. */
bool eb_strata_order_serves(const eb_strata_order *order, size_t count);

/* count in 1 … n: the number of strata that will be cut, or a larger one that is below n. */
eb_code eb_strata_order_make(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata_order *out,
                             eb_status *status);
void eb_strata_order_free(eb_strata_order *order); /* frees what *order holds */

/* With the order's seed, draws the same points as eb_strata_draw. */
eb_code eb_strata_cut(const eb_strata_order *order, size_t count, uint64_t seed, eb_strata *out, eb_status *status);

eb_code eb_strata_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata *out,
                       eb_status *status);
void eb_strata_free(eb_strata *strata); /* frees what *strata holds */

/* Estimates around which points it is crowded, before any distance between two points is computed: cell sizes and radii
 * (cells.h) say how many neighbours a point may have at each scale. Takes O(n·(d + log n)). Strata are unbiased
 * whatever the estimate says; a better one makes their variance smaller.
 *
 * out[i], [n], mean 1: the share of S that point i contributes, averaged over scales from few neighbours to all. 1 for
 * every point if the points cannot be told apart. The same dataset and seed give the same result on every machine. */
eb_code eb_crowding(const eb_dataset *ds, uint64_t seed, float *out, eb_job *job, eb_status *status);
