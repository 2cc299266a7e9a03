/* order: an order of the points in which near points are close together, divided into leaves of EB_LEAF points. It does
 * not depend on ε.
 *
 * A sample of the points is bisected repeatedly in its widest dimension, which divides space into cells of some
 * thousand points. Then each cell is bisected in the same way down to its leaves. Only the last leaf of a cell has
 * fewer points. Outliers, dense regions and equal points do no harm, unlike in a grid. The order does not depend on the
 * number of threads.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/schedule.h"

#ifndef EB_LEAF
#define EB_LEAF 32u
#endif

/* Called once for each leaf, from any thread. Coordinate k of the leaf's point i is values[k * room + at[i]]. */
typedef void (*eb_leaf_callback)(void *context, uint32_t leaf, const uint32_t *at, size_t count, const double *values,
                                 size_t room);

typedef struct eb_orderer eb_orderer;

/* Makes the cells, which determine the number of leaves. */
eb_code eb_orderer_new(const eb_dataset *points, unsigned threads, eb_job *job, eb_orderer **out, size_t *leaves,
                       eb_status *status);

/* Makes the order: fills point [n] and first [leaves + 1] (eb_order). */
eb_code eb_orderer_run(eb_orderer *orderer, uint32_t *point, uint32_t *first, eb_leaf_callback callback, void *context,
                       eb_status *status);
void eb_orderer_free(eb_orderer *orderer); /* NULL is fine */
