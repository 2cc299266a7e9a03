/* strata: few points that stand for all, drawn so that the rare ones with many neighbours are among them.
 *
 * The points are put in an order in which neighbours in the order have about as many neighbours in space: by how
 * crowded it is around them (crowding.h), in factors of two, and within a factor by their distance to the centroid.
 * The order is cut into strata, short ones where it is crowded and at the far end, where single points are far from
 * all others. One point is drawn of each, without favour; it stands for the whole stratum.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

typedef struct eb_strata {
    size_t count;  /* n of them: every point stands for itself */
    uint32_t *row; /* [count] the points drawn, in the order's sequence */
    size_t *size;  /* [count] points of each stratum, ≥ 1; together n */
} eb_strata;

/* The order that strata are cut from: made once for however many of them. */
typedef struct eb_strata_order {
    size_t n;
    struct eb_strata_member *member; /* [n] */
} eb_strata_order;

eb_code eb_strata_order_make(const eb_dataset *ds, uint64_t seed, eb_job *job, eb_strata_order *out, eb_status *status);
void eb_strata_order_free(eb_strata_order *order); /* frees what it holds */

/* count in 1 … n. The same seed as the order's: what eb_strata_draw draws. */
eb_code eb_strata_cut(const eb_strata_order *order, size_t count, uint64_t seed, eb_strata *out, eb_status *status);

/* count in 1 … n. */
eb_code eb_strata_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_job *job, eb_strata *out,
                       eb_status *status);
void eb_strata_free(eb_strata *strata); /* frees what it holds */
