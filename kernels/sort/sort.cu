#include "kernels/sort/sort.cuh"

#include <climits>

#include "kernels/sort/cub.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

namespace eb {

namespace {

/* Makes CUB's two calls: one returns the room needed, one does the work. */
template <class call> eb_code in_room(sort_room &room, const char *what, eb_status *status, call work)
{
    size_t bytes = 0;
    EB_CUDA(work(nullptr, bytes), what);
    EB_TRY(room.reserve(bytes, what, status));
    EB_CUDA(work(room.get(), bytes), what);
    return EB_OK;
}

/* Values are moved and never compared, so their size is all that the sort needs to know. */
template <class value_type>
cudaError_t sort_both(void *room, size_t &bytes, const between_arrays &arrays, size_t count, int bits, int *current,
                      cudaStream_t stream)
{
    cub::DoubleBuffer<uint64_t> keys(arrays.key[0], arrays.key[1]);
    cub::DoubleBuffer<value_type> values(static_cast<value_type *>(arrays.value[0]),
                                         static_cast<value_type *>(arrays.value[1]));
    const cudaError_t error = cub::DeviceRadixSort::SortPairs(room, bytes, keys, values, count, 0, bits, stream);
    *current = keys.selector;
    return error;
}

cudaError_t sort_arrays(void *room, size_t &bytes, const between_arrays &arrays, size_t count, int bits, int *current,
                        cudaStream_t stream)
{
    if (arrays.value_bytes == sizeof(uint32_t))
        return sort_both<uint32_t>(room, bytes, arrays, count, bits, current, stream);
    if (arrays.value_bytes == sizeof(uint64_t))
        return sort_both<uint64_t>(room, bytes, arrays, count, bits, current, stream);
    cub::DoubleBuffer<uint64_t> keys(arrays.key[0], arrays.key[1]);
    const cudaError_t error = cub::DeviceRadixSort::SortKeys(room, bytes, keys, count, 0, bits, stream);
    *current = keys.selector;
    return error;
}

template <class value_type>
eb_code sum_values(const value_type *values, value_type *sums, size_t count, sort_room &room, const char *what,
                   cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(at, bytes, values, sums, count, stream);
    });
}

} // namespace

eb_code sort_keys(const uint64_t *key, uint64_t *sorted, size_t count, int bits, sort_room &room, const char *what,
                  cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(at, bytes, key, sorted, count, 0, bits, stream);
    });
}

eb_code sort_pairs(const uint64_t *key, uint64_t *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   int bits, sort_room &room, const char *what, cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(at, bytes, key, sorted, value, moved, count, 0, bits, stream);
    });
}

eb_code sort_pairs(const float *key, float *sorted, const uint32_t *value, uint32_t *moved, size_t count,
                   sort_room &room, const char *what, cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(at, bytes, key, sorted, value, moved, count, 0, 32, stream);
    });
}

eb_code reserve_between(const between_arrays &arrays, size_t most, sort_room &room, const char *what, eb_status *status)
{
    size_t bytes = 0;
    int current = 0;
    EB_CUDA(sort_arrays(nullptr, bytes, arrays, most, 64, &current, nullptr), what);
    return room.reserve(bytes, what, status);
}

eb_code sort_between(const between_arrays &arrays, size_t count, int bits, int *current, sort_room &room,
                     const char *what, cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return sort_arrays(at, bytes, arrays, count, bits, current, stream);
    });
}

eb_code sort_segments(const uint32_t *key, uint32_t *sorted, const double *value, double *moved, size_t count,
                      const uint64_t *begin, const uint64_t *end, size_t segments, sort_room &room, const char *what,
                      cudaStream_t stream, eb_status *status)
{
    if (count > INT_MAX || segments > INT_MAX) /* CUB numbers segments with int */
        return eb_fail(status, EB_INTERNAL, "%zu entries in %zu segments are too many for one sort while %s", count,
                       segments, what);
    const int items = static_cast<int>(count), ranges = static_cast<int>(segments);
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return value ? cub::DeviceSegmentedRadixSort::SortPairs(at, bytes, key, sorted, value, moved, items, ranges,
                                                                begin, end, 0, 32, stream)
                     : cub::DeviceSegmentedRadixSort::SortKeys(at, bytes, key, sorted, items, ranges, begin, end, 0, 32,
                                                               stream);
    });
}

eb_code sum_before(const uint32_t *values, uint32_t *sums, size_t count, sort_room &room, const char *what,
                   cudaStream_t stream, eb_status *status)
{
    return sum_values(values, sums, count, room, what, stream, status);
}

eb_code sum_before(const unsigned long long *values, unsigned long long *sums, size_t count, sort_room &room,
                   const char *what, cudaStream_t stream, eb_status *status)
{
    return sum_values(values, sums, count, room, what, stream, status);
}

eb_code find_runs(const uint64_t *key, uint64_t *run, uint32_t *length, uint32_t *runs, size_t count, sort_room &room,
                  const char *what, cudaStream_t stream, eb_status *status)
{
    return in_room(room, what, status, [&](void *at, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(at, bytes, key, run, length, runs, static_cast<int64_t>(count),
                                                  stream);
    });
}

} // namespace eb
