/* order: the points in an order that depends on no ε, in which those stand together that lie together, cut into leaves
 * of EB_LEAF points.
 *
 * A sample of the points, bisected again and again where it is widest, cuts space into cells of some thousand points;
 * each cell is then bisected so, down to its leaves. Only a cell's last leaf holds fewer points. Neither points far off
 * nor crowds nor equal ones spoil it, as they spoil a grid. The same points give the same order, whatever the threads.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/schedule.h"

#ifndef EB_LEAF
#define EB_LEAF 32u
#endif

/* Called once for each leaf, from any thread: the points that stand at its places, and their coordinates k-major with
 * `room` from one dimension's to the next's; at[i] says where the i-th of them is there. */
typedef void (*eb_leaf_callback)(void *context, uint32_t leaf, const uint32_t *at, size_t count, const double *values,
                                 size_t room);

typedef struct eb_orderer eb_orderer;

/* Cells are made, and so it is known how many leaves there will be: *leaves. */
eb_code eb_orderer_new(const eb_dataset *points, unsigned threads, eb_job *job, eb_orderer **out, size_t *leaves,
                       eb_status *status);

/* Makes the order: point [n] and first [leaves + 1] are filled. */
eb_code eb_orderer_run(eb_orderer *orderer, uint32_t *point, uint32_t *first, eb_leaf_callback callback, void *context,
                       eb_status *status);
void eb_orderer_free(eb_orderer *orderer); /* NULL is fine */
