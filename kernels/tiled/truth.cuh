/* truth: squared distances of single pairs as the truth computes them (DESIGN: t = pₖ − qₖ, s ← fma(t, t, s), k
 * ascending), from points as they are stored.
 *
 * A warp takes 32 pairs and 32 dimensions of them at a time: it reads each row's piece as one, writes the differences
 * into shared memory, and then each lane adds up a pair of its own. Two rows a pair are what it costs: L2 bandwidth.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Points of one side of pairs: number `first` + k is row k, or row point[k]. */
struct stored_points {
    const void *rows; /* packed, at multiples of an element */
    eb_dtype dtype;
    uint32_t d;
    size_t row_bytes;
    const uint32_t *point; /* nullptr: row k */
    uint32_t first;
};

/* s[x] of pair[x], x < count; where `counted` is given (on the device) of that many at most. Both sides are of one
 * type. */
eb_code measure_pairs(const uint2 *pair, uint64_t count, const unsigned long long *counted, const stored_points &a,
                      const stored_points &b, double *s, cudaStream_t stream, eb_status *status);

/* s[x · columns + y] of rows x < rows of one side and y < columns of the other. */
eb_code measure_all(const stored_points &a, size_t rows, const stored_points &b, size_t columns, double *s,
                    cudaStream_t stream, eb_status *status);

} // namespace eb
