/* truth: computes FP64's squared distances of single pairs (t = pₖ − qₖ, s ← fma(t, t, s), k ascending) from stored
 * points.
 *
 * A warp takes 32 pairs and 32 dimensions at a time: it reads each row's piece as one, writes the differences to shared
 * memory, and then each lane sums one pair. The cost is L2 bandwidth: two rows per pair.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

/* Points of one side of pairs: number `first` + k is row k, or row point[k]. */
struct stored_points {
    const void *rows; /* packed; aligned to an element */
    eb_dtype dtype;
    uint32_t d;
    size_t row_bytes;
    const uint32_t *point; /* nullptr: row k */
    uint32_t first;
};

/* Computes s[x] of pair[x], x < count. counted: on the device, number of pairs present if fewer; nullptr: all. Both
 * sides have the same type. */
eb_code measure_pairs(const uint2 *pair, uint64_t count, const unsigned long long *counted, const stored_points &a,
                      const stored_points &b, double *s, cudaStream_t stream, eb_status *status);

/* Computes s[x · columns + y] of rows x < rows of one side and y < columns of the other. */
eb_code measure_all(const stored_points &a, size_t rows, const stored_points &b, size_t columns, double *s,
                    cudaStream_t stream, eb_status *status);

} // namespace eb
