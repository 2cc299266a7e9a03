/* refine: of the points that codes found for a query, those that are nearest by FP64 distances to the points as they
 * are stored (kernels/inverted/cpu/refine.h has the sums, bit for bit).
 */
#pragma once

#include "kernels/inverted/cuda/select.cuh"

#include "kernels/device/gpu.cuh"

namespace eb {

struct refine_task {
    const unsigned char *points; /* rows as they are stored, one behind the other */
    eb_dtype dtype;
    unsigned d;
    int exponent;         /* points are taken times 2^exponent, as queries were */
    const float *queries; /* [× d] */
    const near_key *found;
    const uint32_t *found_count; /* [queries] */
    unsigned among, k;           /* of found, of the answer: a query */
    double *s;                   /* [queries × among] room */
    uint32_t *rows;  /* [queries × k] nearest first, of equally near the smaller row; EB_NO_POINT fills up */
    double *nearest; /* [queries × k] their s */
};

eb_code launch_refine(const refine_task &task, size_t queries, eb_status *status);

} // namespace eb
