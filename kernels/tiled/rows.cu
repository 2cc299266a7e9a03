#include "kernels/tiled/rows.cuh"

#include <mutex>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

extern "C" {
#include "core/base/clock.h"
}

namespace eb {

namespace {

constexpr const char *building = "building the neighbour table";
constexpr size_t delivered_entries = size_t{1} << 22; /* of a table on the host side of the link at a time */

/* Pinned buffers for a table on its way, made once and lent: pinning takes longer than many a download. */
struct delivery_buffers {
    pinned_array<uint32_t> column[2];
    pinned_array<double> squared[2];
};

class borrowed_buffers {
  public:
    borrowed_buffers()
    {
        const std::lock_guard<std::mutex> alone(shelf().lock);
        if (shelf().free.empty()) {
            buffers_ = new delivery_buffers;
            return;
        }
        buffers_ = shelf().free.back();
        shelf().free.pop_back();
    }
    ~borrowed_buffers()
    {
        const std::lock_guard<std::mutex> alone(shelf().lock);
        shelf().free.push_back(buffers_);
    }
    borrowed_buffers(const borrowed_buffers &) = delete;
    borrowed_buffers &operator=(const borrowed_buffers &) = delete;
    delivery_buffers &get() const { return *buffers_; }

  private:
    struct buffer_shelf {
        std::mutex lock;
        std::vector<delivery_buffers *> free;
    };
    static buffer_shelf &shelf()
    {
        static buffer_shelf *shelf =
            new buffer_shelf; /* never freed: the driver may be gone before static objects are */
        return *shelf;
    }
    delivery_buffers *buffers_;
};

uint32_t bits_for(uint64_t values) /* bits that number 0 … values − 1 */
{
    uint32_t bits = 1;
    while (bits < 63 && (uint64_t{1} << bits) < values)
        bits++;
    return bits;
}

unsigned blocks_for(uint64_t items) { return static_cast<unsigned>((items + 255) / 256); }

__device__ uint64_t thread_number() { return blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x; }

/* The points of a pair of places. */
__host__ __device__ uint2 points_of(const pairs_meaning &m, uint2 places)
{
    if (m.point)
        return make_uint2(m.point[places.x], m.point[places.y]);
    return make_uint2(places.x, places.y - m.first_column);
}

__host__ __device__ bool is_wanted(const pairs_meaning &m, uint32_t row)
{
    return row >= m.row_begin && row < m.row_end;
}

/* One key an entry: row, then column. */
struct key_layout {
    uint32_t column_bits, row_bits;
    uint64_t row_begin;
    __device__ uint64_t key(uint64_t row, uint64_t column) const { return (row - row_begin) << column_bits | column; }
};

/* Each pair becomes one or two keys; those of rows that are not wanted become the largest key and sort to the end. */
template <class T>
__global__ void make_keys(const uint2 *pair, const T *squared, uint64_t hits, pairs_meaning m, key_layout layout,
                          uint64_t *key, T *value)
{
    const uint64_t x = thread_number();
    if (x >= hits)
        return;
    const uint2 p = points_of(m, pair[x]);
    const T s = squared[x];
    const uint64_t outside = ~uint64_t{0};
    key[x] = is_wanted(m, p.x) ? layout.key(p.x, p.y) : outside;
    value[x] = s;
    if (m.mirrored) {
        key[hits + x] = is_wanted(m, p.y) ? layout.key(p.y, p.x) : outside;
        value[hits + x] = s;
    }
}

template <class T> __global__ void make_self_keys(uint64_t rows, key_layout layout, uint64_t *key, T *value)
{
    const uint64_t x = thread_number();
    if (x >= rows)
        return;
    key[x] = layout.key(layout.row_begin + x, layout.row_begin + x);
    value[x] = 0;
}

/* Sorted keys to columns and row starts: an entry that begins a row also begins the empty rows before it, and the last
 * one ends all that are left. */
template <class T>
__global__ void split_keys(const uint64_t *key, const T *value, uint64_t entries, uint64_t rows, uint32_t column_bits,
                           unsigned long long *offset, uint32_t *column, double *squared)
{
    const uint64_t x = thread_number();
    if (x >= entries)
        return;
    const uint64_t row = key[x] >> column_bits;
    for (uint64_t r = x == 0 ? 0 : (key[x - 1] >> column_bits) + 1; r <= row; r++)
        offset[r] = x;
    for (uint64_t r = row + 1; x + 1 == entries && r <= rows; r++)
        offset[r] = entries;
    column[x] = static_cast<uint32_t>(key[x] & ((uint64_t{1} << column_bits) - 1));
    squared[x] = static_cast<double>(value[x]);
}

__global__ void count_valid(const uint64_t *key, uint64_t entries, unsigned long long *valid)
{
    const uint64_t x = thread_number();
    const bool last = x < entries && key[x] != ~uint64_t{0} && (x + 1 == entries || key[x + 1] == ~uint64_t{0});
    if (last)
        *valid = x + 1;
}

__global__ void count_ends(const uint2 *pair, uint64_t hits, pairs_meaning m, unsigned long long *entries)
{
    const uint64_t x = thread_number();
    uint32_t ends = 0;
    if (x < hits) {
        const uint2 p = points_of(m, pair[x]);
        ends = is_wanted(m, p.x) + (m.mirrored && is_wanted(m, p.y));
    }
    add_count(entries, __reduce_add_sync(~0u, ends), static_cast<int>(threadIdx.x) % 32);
}

/* The table in device memory. */
struct device_table {
    device_array<unsigned long long> offset;
    device_array<uint32_t> column;
    device_array<double> squared;
};

/* Keys and values of one table, before and after sorting. */
template <class T> struct table_keys {
    device_array<uint64_t> key, sorted;
    device_array<T> value, value_sorted;

    eb_code reserve(uint64_t keys, eb_status *status)
    {
        EB_TRY(key.reserve(keys, building, status));
        EB_TRY(sorted.reserve(keys, building, status));
        EB_TRY(value.reserve(keys, building, status));
        return value_sorted.reserve(keys, building, status);
    }

    /* One bit more than a key has, so that keys of rows that are not wanted sort behind all others. */
    eb_code sort(uint64_t keys, const key_layout &layout, cudaStream_t stream, eb_status *status)
    {
        device_array<unsigned char> scratch;
        size_t bytes = 0;
        const int bits = static_cast<int>(layout.column_bits + layout.row_bits) + 1;
        EB_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key.get(), sorted.get(), value.get(),
                                                value_sorted.get(), keys, 0, bits, stream),
                building);
        EB_TRY(scratch.reserve(bytes, building, status));
        EB_CUDA(cub::DeviceRadixSort::SortPairs(scratch.get(), bytes, key.get(), sorted.get(), value.get(),
                                                value_sorted.get(), keys, 0, bits, stream),
                building);
        return EB_OK;
    }
};

template <class T>
eb_code split_table(const table_keys<T> &k, uint64_t entries, uint64_t rows, const key_layout &layout,
                    device_table &table, cudaStream_t stream, eb_status *status)
{
    EB_TRY(table.offset.reserve(rows + 1, building, status));
    EB_TRY(table.column.reserve(entries, building, status));
    EB_TRY(table.squared.reserve(entries, building, status));
    if (entries == 0)
        EB_CUDA(cudaMemsetAsync(table.offset.get(), 0, (rows + 1) * sizeof(unsigned long long), stream), building);
    else
        split_keys<T><<<blocks_for(entries), 256, 0, stream>>>(k.sorted.get(), k.value_sorted.get(), entries, rows,
                                                               layout.column_bits, table.offset.get(),
                                                               table.column.get(), table.squared.get());
    EB_CUDA(cudaGetLastError(), building);
    EB_CUDA(cudaStreamSynchronize(stream), building);
    return EB_OK;
}

template <class T>
eb_code build_table(const pair_store<T> &hits, const pairs_meaning &m, device_table &table, cudaStream_t stream,
                    eb_status *status)
{
    const uint64_t found = hits.held(), rows = m.row_end - m.row_begin, selves = m.self ? rows : 0;
    const uint64_t keys = (m.mirrored ? 2 : 1) * found + selves;
    const key_layout layout{bits_for(m.columns), bits_for(rows), m.row_begin};
    table_keys<T> k;
    device_array<unsigned long long> valid;
    EB_TRY(k.reserve(keys, status));
    EB_TRY(valid.reserve(1, building, status));
    EB_CUDA(cudaMemsetAsync(valid.get(), 0, sizeof(unsigned long long), stream), building);
    const hit_buffer<T> buffer = hits.buffer();
    if (found > 0)
        make_keys<T><<<blocks_for(found), 256, 0, stream>>>(buffer.pair, buffer.squared, found, m, layout, k.key.get(),
                                                            k.value.get());
    if (selves > 0)
        make_self_keys<T><<<blocks_for(rows), 256, 0, stream>>>(rows, layout, k.key.get() + (keys - rows),
                                                                k.value.get() + (keys - rows));
    EB_CUDA(cudaGetLastError(), building);
    unsigned long long counted = 0;
    if (keys > 0) {
        EB_TRY(k.sort(keys, layout, stream, status));
        count_valid<<<blocks_for(keys), 256, 0, stream>>>(k.sorted.get(), keys, valid.get());
        EB_CUDA(cudaMemcpyAsync(&counted, valid.get(), sizeof counted, cudaMemcpyDeviceToHost, stream), building);
        EB_CUDA(cudaStreamSynchronize(stream), building);
    }
    k.key.release();
    k.value.release();
    return split_table(k, counted, rows, layout, table, stream, status);
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
                const eb_context *context, eb_status *status)
{
    const char *what = "downloading the neighbour table";
    double start = eb_now_s();
    std::vector<uint64_t> offset(rows + 1);
    EB_CUDA(cudaMemcpyAsync(offset.data(), table.offset.get(), offset.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                            stream),
            what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    uint64_t room = offset[rows] < delivered_entries ? offset[rows] : delivered_entries;
    for (size_t r = 0; r < rows; r++)
        room = offset[r + 1] - offset[r] > room ? offset[r + 1] - offset[r] : room;
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - start);
    start = eb_now_s();
    if (sink->expect)
        EB_TRY(sink->expect(sink->context, offset[rows], status));
    eb_figures_add(context->figures, &eb_figure_table, eb_now_s() - start);
    start = eb_now_s();
    const borrowed_buffers borrowed;
    pinned_array<uint32_t> *const column = borrowed.get().column;
    pinned_array<double> *const squared = borrowed.get().squared;
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
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - start);
    for (int b = 0; begin < rows; b ^= 1) {
        EB_TRY(eb_job_check(context->job, status));
        start = eb_now_s();
        EB_CUDA(cudaStreamSynchronize(stream), what);
        const size_t next_end = end < rows ? rows_that_fit(offset, end, room) : end;
        if (end < rows)
            EB_TRY(fetch(end, next_end, b ^ 1));
        const double fetched = eb_now_s();
        eb_figures_add(context->figures, &eb_figure_download, fetched - start);
        local.resize(end - begin + 1); /* from here on it is the table that takes time */
        for (size_t r = begin; r <= end; r++)
            local[r - begin] = offset[r] - offset[begin];
        EB_TRY(sink->rows(sink->context, row_begin + begin, end - begin, local.data(), column[b].get(),
                          squared[b].get(), status));
        eb_figures_add(context->figures, &eb_figure_table, eb_now_s() - fetched);
        begin = end;
        end = next_end;
    }
    return EB_OK;
}

} // namespace

template <class T>
eb_code deliver_rows(const pair_store<T> &hits, const pairs_meaning &meaning, const eb_sink *sink, cudaStream_t stream,
                     const eb_context *context, eb_status *status)
{
    device_table table;
    const double before = eb_now_s();
    EB_TRY(build_table(hits, meaning, table, stream, status));
    eb_figures_add(context->figures, &eb_figure_table, eb_now_s() - before);
    return deliver(table, meaning.row_end - meaning.row_begin, meaning.row_begin, sink, stream, context, status);
}

template <class T>
eb_code deliver_hits(const pair_store<T> &hits, const pairs_meaning &meaning, const eb_sink *sink, cudaStream_t stream,
                     const eb_context *context, eb_status *status)
{
    constexpr uint64_t at_once = uint64_t{1} << 20;
    const char *what = "downloading pairs";
    const double start = eb_now_s();
    const hit_buffer<T> buffer = hits.buffer();
    pairs_meaning m = meaning;
    std::vector<uint2> pair;
    std::vector<T> squared;
    std::vector<eb_hit> hit;
    std::vector<uint32_t> point(m.point ? m.rows_of_all : 0);
    if (m.point) {
        EB_CUDA(cudaMemcpy(point.data(), m.point, point.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost), what);
        m.point = point.data();
    }
    for (uint64_t done = 0; done < hits.held(); done += at_once) {
        EB_TRY(eb_job_check(context->job, status));
        const uint64_t count = hits.held() - done < at_once ? hits.held() - done : at_once;
        pair.resize(count);
        squared.resize(count);
        EB_CUDA(cudaMemcpyAsync(pair.data(), buffer.pair + done, count * sizeof(uint2), cudaMemcpyDeviceToHost, stream),
                what);
        EB_CUDA(cudaMemcpyAsync(squared.data(), buffer.squared + done, count * sizeof(T), cudaMemcpyDeviceToHost,
                                stream),
                what);
        EB_CUDA(cudaStreamSynchronize(stream), what);
        hit.clear();
        for (uint64_t k = 0; k < count; k++) {
            uint2 p = points_of(m, pair[k]);
            const bool first = is_wanted(m, p.x), second = m.self && is_wanted(m, p.y);
            if (!m.mirrored && second && p.x > p.y) /* it comes from its other end, too */
                continue;
            if (!first)
                p = make_uint2(p.y, p.x);
            if (first || second)
                hit.push_back({p.x, p.y, static_cast<double>(squared[k])});
        }
        EB_TRY(sink->hits(sink->context, 0, hit.data(), hit.size(), status));
    }
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - start);
    return EB_OK;
}

template <class T>
eb_code count_entries(const pair_store<T> &hits, const pairs_meaning &meaning, uint64_t *entries, cudaStream_t stream,
                      eb_status *status)
{
    const char *what = "counting pairs";
    device_array<unsigned long long> counter;
    unsigned long long counted = 0;
    EB_TRY(counter.reserve(1, what, status));
    EB_CUDA(cudaMemsetAsync(counter.get(), 0, sizeof counted, stream), what);
    if (hits.held() > 0)
        count_ends<<<blocks_for(hits.held()), 256, 0, stream>>>(hits.buffer().pair, hits.held(), meaning,
                                                                counter.get());
    EB_CUDA(cudaGetLastError(), what);
    EB_CUDA(cudaMemcpyAsync(&counted, counter.get(), sizeof counted, cudaMemcpyDeviceToHost, stream), what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    *entries = counted;
    return EB_OK;
}

template eb_code deliver_rows(const pair_store<float> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code deliver_rows(const pair_store<double> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code deliver_hits(const pair_store<float> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code deliver_hits(const pair_store<double> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code count_entries(const pair_store<float> &, const pairs_meaning &, uint64_t *, cudaStream_t, eb_status *);
template eb_code count_entries(const pair_store<double> &, const pairs_meaning &, uint64_t *, cudaStream_t,
                               eb_status *);

} // namespace eb
