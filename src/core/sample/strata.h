/* strata: draws a few points that stand for all, so that rare points with many neighbours are among them.
 *
 * The points are ordered such that neighbours in the order have similar numbers of neighbours in space: by crowding
 * (crowding.h) in factors of two, and within a factor by distance to the centroid. The order is cut into strata: short
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

/* The order that strata are cut from. One order serves any number of strata. */
typedef struct eb_strata_order {
    size_t n;
    struct eb_strata_member *member; /* [n] */
} eb_strata_order;

eb_code eb_strata_order_make(const eb_dataset *ds, uint64_t seed, eb_job *job, eb_strata_order *out, eb_status *status);
void eb_strata_order_free(eb_strata_order *order); /* frees what *order holds */

/* count in 1 … n. With the order's seed, draws the same points as eb_strata_draw. */
eb_code eb_strata_cut(const eb_strata_order *order, size_t count, uint64_t seed, eb_strata *out, eb_status *status);

/* count in 1 … n. */
eb_code eb_strata_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata *out,
                       eb_status *status);
void eb_strata_free(eb_strata *strata); /* frees what *strata holds */
