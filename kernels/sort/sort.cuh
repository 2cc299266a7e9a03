/* sort: CUB's device-wide sorts, sums and runs, for the types that engines need.
 *
 * Only sort.cu includes CUB's device-wide headers: nvcc takes 6 seconds to read them, and 2 for each further type.
 *
 * Each function enqueues its work on `stream`. Sorts ascend and are stable; of a 64-bit key they compare the lowest
 * `bits`. Counts have 64 bits. `room` grows as needed and is in use until the stream has done the call, so the next
 * call with the same room must be on the same stream. `what` names the work in error messages.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

using sort_room = device_array<unsigned char>; /* a call's temporary memory */

eb_code sort_keys(const uint64_t *key, uint64_t *sorted, size_t count, int bits, sort_room &room, const char *what,
                  cudaStream_t stream, eb_status *status);

/* value → moved: numbers that move with the keys. */
eb_code sort_pairs(const uint64_t *key, uint64_t *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   int bits, sort_room &room, const char *what, cudaStream_t stream, eb_status *status);
eb_code sort_pairs(const float *key, float *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   sort_room &room, const char *what, cudaStream_t stream, eb_status *status);

/* Two arrays of keys and two of values; values have 0 (no values), 4 or 8 bytes. A sort reads the first arrays, writes
 * both, and sets *current to the sorted ones. After reserve_between for `most`, sorts of up to `most` keys need no more
 * room. */
struct between_arrays {
    uint64_t *key[2];
    void *value[2];
    size_t value_bytes;
};
eb_code reserve_between(const between_arrays &arrays, size_t most, sort_room &room, const char *what,
                        eb_status *status);
eb_code sort_between(const between_arrays &arrays, size_t count, int bits, int *current, sort_room &room,
                     const char *what, cudaStream_t stream, eb_status *status);

/* Sorts each of `segments` ranges begin[s] … end[s] − 1 on its own, with `count` < 2^31 places in all. Places outside
 * all segments stay unwritten. value nullptr: keys only. */
eb_code sort_segments(const uint32_t *key, uint32_t *sorted, const double *value, double *moved, size_t count,
                      const uint64_t *begin, const uint64_t *end, size_t segments, sort_room &room, const char *what,
                      cudaStream_t stream, eb_status *status);

/* sums[k] = Σ of values before k. Both arrays may be the same. */
eb_code sum_before(const uint32_t *values, uint32_t *sums, size_t count, sort_room &room, const char *what,
                   cudaStream_t stream, eb_status *status);
eb_code sum_before(const unsigned long long *values, unsigned long long *sums, size_t count, sort_room &room,
                   const char *what, cudaStream_t stream, eb_status *status);

/* Finds runs of equal neighbouring keys: the key in `run`, the run's length in `length`, the number of runs in *runs.
 * All are on the device. */
eb_code find_runs(const uint64_t *key, uint64_t *run, uint32_t *length, uint32_t *runs, size_t count, sort_room &room,
                  const char *what, cudaStream_t stream, eb_status *status);

} // namespace eb
