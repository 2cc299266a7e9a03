/* sort: CUB's device-wide sorts, sums and runs, for the types that engines have.
 *
 * Only sort.cu includes CUB's device-wide headers: to read them takes nvcc 6 seconds, and a sort of one more type 2.
 *
 * Each function enqueues its work on `stream`. Sorts ascend and are stable; of a 64-bit key they look at the lowest
 * `bits`. Counts have 64 bits. `room` grows as needed, and is in use until the stream has done the call: the next call
 * with the same room must be on the same stream. `what` tells in errors what was being done.
 */
#pragma once

#include "kernels/device/gpu.cuh"

namespace eb {

using sort_room = device_array<unsigned char>; /* what a call works in */

eb_code sort_keys(const uint64_t *key, uint64_t *sorted, size_t count, int bits, sort_room &room, const char *what,
                  cudaStream_t stream, eb_status *status);

/* value → moved: numbers that go with the keys. */
eb_code sort_pairs(const uint64_t *key, uint64_t *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   int bits, sort_room &room, const char *what, cudaStream_t stream, eb_status *status);
eb_code sort_pairs(const float *key, float *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   sort_room &room, const char *what, cudaStream_t stream, eb_status *status);

/* Two arrays of keys, two of values of 0 (there are none), 4 or 8 bytes. A sort reads the first ones, writes both, and
 * *current tells which ones are sorted. No room beyond that of reserve_between is needed for `most` or fewer. */
struct between_arrays {
    uint64_t *key[2];
    void *value[2];
    size_t value_bytes;
};
eb_code reserve_between(const between_arrays &arrays, size_t most, sort_room &room, const char *what,
                        eb_status *status);
eb_code sort_between(const between_arrays &arrays, size_t count, int bits, int *current, sort_room &room,
                     const char *what, cudaStream_t stream, eb_status *status);

/* Each of `segments` ranges begin[s] … end[s] − 1 by itself, of `count` < 2^31 places; places in no segment stay
 * unwritten. value nullptr: there are none. */
eb_code sort_segments(const uint32_t *key, uint32_t *sorted, const double *value, double *moved, size_t count,
                      const uint64_t *begin, const uint64_t *end, size_t segments, sort_room &room, const char *what,
                      cudaStream_t stream, eb_status *status);

/* sums[k]: Σ of values before k. Both arrays may be the same. */
eb_code sum_before(const uint32_t *values, uint32_t *sums, size_t count, sort_room &room, const char *what,
                   cudaStream_t stream, eb_status *status);
eb_code sum_before(const unsigned long long *values, unsigned long long *sums, size_t count, sort_room &room,
                   const char *what, cudaStream_t stream, eb_status *status);

/* Of equal keys next to each other one in `run`, how many there were in `length`; the number of runs in *runs. All are
 * on the device. */
eb_code find_runs(const uint64_t *key, uint64_t *run, uint32_t *length, uint32_t *runs, size_t count, sort_room &room,
                  const char *what, cudaStream_t stream, eb_status *status);

} // namespace eb
