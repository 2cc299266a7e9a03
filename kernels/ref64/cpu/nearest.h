/* nearest: the k nearest of some points by 8-bit products: a pair is computed in FP64 only if its 8-bit points do not
 * show that it is beyond the k-th nearest so far, so that no radius is guessed and all points are passed once. */
#pragma once

#include "core/engine/engine.h"
#include "kernels/ref64/cpu/quantised.h"

typedef struct eb_ref64_search {
    const eb_dataset *ds; /* as stored; place k holds point k */
    const eb_ref64_kernels *kernels;
    const eb_ref64_quantised *quantised;
    const eb_context *context;
    size_t tile_columns, scratch_bytes; /* of a tile of EB_NEAREST_MOST rows; a multiple of 64 */
} eb_ref64_search;

#define EB_NEAREST_MOST 240u /* queries of a task */

/* False: joins are as fast, since they compute each pair once and may have an index, or bytes answer nothing here. */
bool eb_ref64_nearest_pays(const eb_dataset *ds, const eb_nearest_rows *question);

/* nearest_rows of eb_implementation, where it pays. */
eb_code eb_ref64_nearest(const eb_ref64_search *search, const eb_nearest_rows *question, eb_status *status);
