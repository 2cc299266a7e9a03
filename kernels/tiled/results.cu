#include "kernels/tiled/results.cuh"

#include <cstdlib>
#include <mutex>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

extern "C" {
#include "core/base/clock.h"
}

namespace eb {

namespace {

constexpr double launch_target_s = 0.05;
constexpr uint64_t fewest_tiles = 64;                 /* a launch */
constexpr size_t delivered_entries = size_t{1} << 21; /* of a table on the host side of the link at a time */

/* Pinned buffers for the table on its way, made once: pinning takes longer than many a download. One delivery at a
 * time. */
struct delivery_buffers {
    std::mutex busy;
    pinned_array<uint32_t> column[2];
    pinned_array<double> squared[2];
};

delivery_buffers &delivery()
{
    static delivery_buffers *buffers =
        new delivery_buffers; /* never freed: the driver may be gone before static objects are */
    return *buffers;
}

uint32_t bits_for(uint64_t values) /* bits that number 0 … values − 1 */
{
    uint32_t bits = 1;
    while (bits < 63 && (uint64_t{1} << bits) < values)
        bits++;
    return bits;
}

unsigned blocks_for(uint64_t items) { return static_cast<unsigned>((items + 255) / 256); }

/* One key an ordered pair: row, then column. */
struct key_layout {
    uint32_t column_bits, row_bits;
    uint64_t row_begin, row_end;
    __device__ uint64_t key(uint64_t row, uint64_t column) const { return (row - row_begin) << column_bits | column; }
    __device__ bool holds(uint64_t row) const { return row >= row_begin && row < row_end; }
};

/* Each hit becomes one or two keys; those of rows outside the range become the largest key and sort to the end. */
template <class T>
__global__ void make_keys(const uint2 *pair, const T *squared, uint64_t hits, bool mirrored, key_layout layout,
                          uint64_t *key, T *value)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x >= hits)
        return;
    const uint2 p = pair[x];
    const T s = squared[x];
    const uint64_t outside = ~uint64_t{0};
    key[x] = layout.holds(p.x) ? layout.key(p.x, p.y) : outside;
    value[x] = s;
    if (mirrored) {
        key[hits + x] = layout.holds(p.y) ? layout.key(p.y, p.x) : outside;
        value[hits + x] = s;
    }
}

template <class T> __global__ void make_self_keys(uint64_t rows, key_layout layout, uint64_t *key, T *value)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x >= rows)
        return;
    key[x] = layout.key(layout.row_begin + x, layout.row_begin + x);
    value[x] = 0;
}

/* Sorted keys to columns and row starts. Every row holds at least itself, so every row starts somewhere. */
template <class T>
__global__ void split_keys(const uint64_t *key, const T *value, uint64_t entries, uint64_t rows, uint32_t column_bits,
                           unsigned long long *offset, uint32_t *column, double *squared)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x >= entries)
        return;
    const uint64_t row = key[x] >> column_bits;
    if (x == 0 || key[x - 1] >> column_bits != row)
        offset[row] = x;
    if (x + 1 == entries)
        offset[rows] = entries;
    column[x] = static_cast<uint32_t>(key[x] & ((uint64_t{1} << column_bits) - 1));
    squared[x] = static_cast<double>(value[x]);
}

__global__ void count_valid(const uint64_t *key, uint64_t entries, unsigned long long *valid)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    const bool last = x < entries && key[x] != ~uint64_t{0} && (x + 1 == entries || key[x + 1] == ~uint64_t{0});
    if (last)
        *valid = x + 1;
}

/* The table in device memory. */
struct device_table {
    device_array<unsigned long long> offset;
    device_array<uint32_t> column;
    device_array<double> squared;
};

template <class T>
eb_code build_table(const hit_store<T> &hits, const key_layout &layout, bool mirrored, device_table &table,
                    uint64_t *entries, cudaStream_t stream, eb_status *status)
{
    const char *what = "building the neighbour table";
    const uint64_t found = hits.held(), rows = layout.row_end - layout.row_begin;
    const uint64_t keys = (mirrored ? 2 : 1) * found + rows;
    device_array<uint64_t> key, sorted;
    device_array<T> value, value_sorted;
    device_array<unsigned char> scratch;
    device_array<unsigned long long> valid;
    EB_TRY(key.reserve(keys, what, status));
    EB_TRY(sorted.reserve(keys, what, status));
    EB_TRY(value.reserve(keys, what, status));
    EB_TRY(value_sorted.reserve(keys, what, status));
    EB_TRY(valid.reserve(1, what, status));
    const hit_buffer<T> buffer = hits.buffer();
    if (found > 0)
        make_keys<T><<<blocks_for(found), 256, 0, stream>>>(buffer.pair, buffer.squared, found, mirrored, layout,
                                                            key.get(), value.get());
    make_self_keys<T>
        <<<blocks_for(rows), 256, 0, stream>>>(rows, layout, key.get() + (keys - rows), value.get() + (keys - rows));
    EB_CUDA(cudaGetLastError(), what);
    size_t scratch_bytes = 0;
    /* One bit more than a key has, so that keys of rows outside sort behind all others. */
    const int bits = static_cast<int>(layout.column_bits + layout.row_bits) + 1;
    EB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, scratch_bytes, key.get(), sorted.get(), value.get(),
                                            value_sorted.get(), keys, 0, bits, stream),
            what);
    EB_TRY(scratch.reserve(scratch_bytes, what, status));
    EB_CUDA(cub::DeviceRadixSort::SortPairs(scratch.get(), scratch_bytes, key.get(), sorted.get(), value.get(),
                                            value_sorted.get(), keys, 0, bits, stream),
            what);
    count_valid<<<blocks_for(keys), 256, 0, stream>>>(sorted.get(), keys, valid.get());
    unsigned long long counted = 0;
    EB_CUDA(cudaMemcpyAsync(&counted, valid.get(), sizeof counted, cudaMemcpyDeviceToHost, stream), what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    key.release();
    value.release();
    EB_TRY(table.offset.reserve(rows + 1, what, status));
    EB_TRY(table.column.reserve(counted, what, status));
    EB_TRY(table.squared.reserve(counted, what, status));
    split_keys<T><<<blocks_for(counted), 256, 0, stream>>>(sorted.get(), value_sorted.get(), counted, rows,
                                                           layout.column_bits, table.offset.get(), table.column.get(),
                                                           table.squared.get());
    EB_CUDA(cudaGetLastError(), what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    *entries = counted;
    return EB_OK;
}

/* Rows [begin, end) with at most `room` entries, at least one row. */
size_t rows_that_fit(const std::vector<uint64_t> &offset, size_t begin, uint64_t room)
{
    size_t end = begin + 1;
    while (end + 1 < offset.size() && offset[end + 1] - offset[begin] <= room)
        end++;
    return end;
}

/* Downloads the table piece by piece through two pinned buffers: one is filled while the sink works on the other. */
eb_code deliver(const device_table &table, size_t rows, size_t row_begin, const eb_sink *sink, cudaStream_t stream,
                eb_job *job, eb_timing *timing, eb_status *status)
{
    const char *what = "downloading the neighbour table";
    double start = eb_now_s();
    std::vector<uint64_t> offset(rows + 1);
    EB_CUDA(cudaMemcpyAsync(offset.data(), table.offset.get(), offset.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                            stream),
            what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    uint64_t room = delivered_entries;
    for (size_t r = 0; r < rows; r++)
        room = offset[r + 1] - offset[r] > room ? offset[r + 1] - offset[r] : room;
    if (sink->expect)
        EB_TRY(sink->expect(sink->context, offset[rows], status));
    delivery_buffers &buffers = delivery();
    const std::lock_guard<std::mutex> alone(buffers.busy);
    pinned_array<uint32_t> *const column = buffers.column;
    pinned_array<double> *const squared = buffers.squared;
    for (int b = 0; b < 2; b++) {
        EB_TRY(column[b].reserve(room, what, status));
        EB_TRY(squared[b].reserve(room, what, status));
    }
    auto fetch = [&](size_t begin, size_t end, int b) -> eb_code {
        const uint64_t entries = offset[end] - offset[begin];
        EB_CUDA(cudaMemcpyAsync(column[b].get(), table.column.get() + offset[begin], entries * sizeof(uint32_t),
                                cudaMemcpyDeviceToHost, stream),
                what);
        EB_CUDA(cudaMemcpyAsync(squared[b].get(), table.squared.get() + offset[begin], entries * sizeof(double),
                                cudaMemcpyDeviceToHost, stream),
                what);
        return EB_OK;
    };
    std::vector<uint64_t> local;
    size_t begin = 0, end = rows_that_fit(offset, 0, room);
    EB_TRY(fetch(begin, end, 0));
    eb_timing_add(&timing->download_s, eb_now_s() - start);
    for (int b = 0; begin < rows; b ^= 1) {
        EB_TRY(eb_job_check(job, status));
        start = eb_now_s();
        EB_CUDA(cudaStreamSynchronize(stream), what);
        const size_t next_end = end < rows ? rows_that_fit(offset, end, room) : end;
        if (end < rows)
            EB_TRY(fetch(end, next_end, b ^ 1));
        const double fetched = eb_now_s();
        eb_timing_add(&timing->download_s, fetched - start);
        local.resize(end - begin + 1);
        for (size_t r = begin; r <= end; r++)
            local[r - begin] = offset[r] - offset[begin];
        EB_TRY(sink->rows(sink->context, row_begin + begin, end - begin, local.data(), column[b].get(),
                          squared[b].get(), status));
        begin = end;
        end = next_end;
    }
    return EB_OK;
}

} // namespace

void launch_pace::took(uint64_t tiles, double seconds)
{
    tile_s_ = seconds / static_cast<double>(tiles);
    const double wanted = static_cast<double>(tiles) * launch_target_s / (seconds > 1e-6 ? seconds : 1e-6);
    const double most = 8.0 * static_cast<double>(tiles_);
    tiles_ = static_cast<uint64_t>(wanted < most ? wanted : most);
    if (tiles_ < fewest_tiles)
        tiles_ = fewest_tiles;
}

bool launch_pace::take_fewer(uint64_t tiles)
{
    if (tiles <= fewest_tiles)
        return false;
    tiles_ = tiles / 2 > fewest_tiles ? tiles / 2 : fewest_tiles;
    return true;
}

template <class T>
eb_code hit_store<T>::prepare(uint64_t capacity, uint64_t limit_bytes, cudaStream_t stream, eb_status *status)
{
    limit_bytes_ = limit_bytes;
    held_ = 0;
    EB_TRY(found_.reserve(1, "preparing for results", status));
    EB_TRY(found_host_.reserve(1, "preparing for results", status));
    const uint64_t most = limit_bytes / (sizeof(uint2) + sizeof(T));
    if (limit_bytes > 0 && capacity > most)
        capacity = most > 0 ? most : 1;
    if (capacity > capacity_) {
        EB_TRY(pair_.reserve(capacity, "making room for results", status));
        EB_TRY(squared_.reserve(capacity, "making room for results", status));
        capacity_ = capacity;
    }
    return clear(stream, status);
}

template <class T> eb_code hit_store<T>::clear(cudaStream_t stream, eb_status *status)
{
    held_ = 0;
    EB_CUDA(cudaMemsetAsync(found_.get(), 0, sizeof(unsigned long long), stream), "preparing for results");
    return EB_OK;
}

template <class T> eb_code hit_store<T>::counted(uint64_t *found, cudaStream_t stream, eb_status *status)
{
    EB_CUDA(cudaMemcpyAsync(found_host_.get(), found_.get(), sizeof(unsigned long long), cudaMemcpyDeviceToHost,
                            stream),
            "reading the number of results");
    EB_CUDA(cudaStreamSynchronize(stream), "running the join kernel");
    *found = *found_host_.get();
    return EB_OK;
}

template <class T> eb_code hit_store<T>::settle(bool *fits, cudaStream_t stream, eb_status *status)
{
    uint64_t found = 0;
    EB_TRY(counted(&found, stream, status));
    *fits = found <= capacity_;
    if (*fits) {
        held_ = found;
        return EB_OK;
    }
    *found_host_.get() = held_;
    EB_CUDA(cudaMemcpyAsync(found_.get(), found_host_.get(), sizeof(unsigned long long), cudaMemcpyHostToDevice,
                            stream),
            "making room for results");
    EB_CUDA(cudaStreamSynchronize(stream), "making room for results");
    return grow(found + found / 2, stream, status);
}

template <class T> eb_code hit_store<T>::grow(uint64_t wanted, cudaStream_t stream, eb_status *status)
{
    if (limit_bytes_ > 0 && wanted * (sizeof(uint2) + sizeof(T)) > limit_bytes_)
        return eb_fail(status, EB_NO_MEMORY, "%llu results so far need %llu bytes on the GPU; the limit is %llu",
                       static_cast<unsigned long long>(wanted),
                       static_cast<unsigned long long>(wanted * (sizeof(uint2) + sizeof(T))),
                       static_cast<unsigned long long>(limit_bytes_));
    device_array<uint2> pair;
    device_array<T> squared;
    EB_TRY(pair.reserve(wanted, "making room for results", status));
    EB_TRY(squared.reserve(wanted, "making room for results", status));
    EB_CUDA(cudaMemcpyAsync(pair.get(), pair_.get(), held_ * sizeof(uint2), cudaMemcpyDeviceToDevice, stream),
            "making room for results");
    EB_CUDA(cudaMemcpyAsync(squared.get(), squared_.get(), held_ * sizeof(T), cudaMemcpyDeviceToDevice, stream),
            "making room for results");
    EB_CUDA(cudaStreamSynchronize(stream), "making room for results");
    pair_.swap(pair);
    squared_.swap(squared);
    capacity_ = wanted;
    return EB_OK;
}

template <class T>
eb_code deliver_rows(const hit_store<T> &hits, size_t n, size_t row_begin, size_t row_end, bool mirrored,
                     const eb_sink *sink, cudaStream_t stream, eb_job *job, eb_timing *timing, eb_status *status)
{
    const key_layout layout{bits_for(n), bits_for(row_end - row_begin), row_begin, row_end};
    device_table table;
    uint64_t entries = 0;
    const double before = eb_now_s();
    EB_TRY(build_table(hits, layout, mirrored, table, &entries, stream, status));
    eb_timing_add(&timing->table_s, eb_now_s() - before);
    return deliver(table, row_end - row_begin, row_begin, sink, stream, job, timing, status);
}

template class hit_store<float>;
template class hit_store<double>;
template eb_code deliver_rows(const hit_store<float> &, size_t, size_t, size_t, bool, const eb_sink *, cudaStream_t,
                              eb_job *, eb_timing *, eb_status *);
template eb_code deliver_rows(const hit_store<double> &, size_t, size_t, size_t, bool, const eb_sink *, cudaStream_t,
                              eb_job *, eb_timing *, eb_status *);

} // namespace eb
