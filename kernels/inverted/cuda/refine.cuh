/* refine: selects, among the points that codes found for a query, the nearest by FP64 distances to the stored points.
 * The sums have the bits of kernels/inverted/cpu/refine.h.
 */
#pragma once

#include "kernels/inverted/cuda/select.cuh"

#include "kernels/device/gpu.cuh"

namespace eb {

struct refine_task {
    const unsigned char *points; /* rows in their stored type, without gaps */
    eb_dtype dtype;
    unsigned d;
    int exponent;         /* points are multiplied by 2^exponent, as queries were */
    const float *queries; /* [× d] */
    const near_key *found;
    const uint32_t *found_count; /* [queries] */
    unsigned among, k;           /* points per query: found, and wanted */
    double *s;                   /* [queries × among] working memory */
    uint32_t *rows;  /* [queries × k] nearest first, among equally near ones the smaller row; EB_NO_POINT fills up */
    double *nearest; /* [queries × k] s of these rows */
};

eb_code launch_refine(const refine_task &task, size_t queries, eb_status *status);

} // namespace eb
