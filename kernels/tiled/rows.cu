#include "kernels/tiled/rows.cuh"

#include <vector>

#include "kernels/tiled/delivery.cuh"
#include "kernels/tiled/row_maker.cuh"

extern "C" {
#include "core/base/clock.h"
#include "core/join/row_chunks.h"
}

namespace eb {

namespace {

constexpr uint64_t most_entries = uint64_t{1} << 25; /* of a chunk: 0.4 GB to download, some 7 ms */

/* Rows in chunks; rows without entries are in none where they would be a chunk of their own. */
struct row_chunks {
    std::vector<size_t> first, end;
    std::vector<uint64_t> begin{0}; /* chunk k is entries begin[k] … begin[k + 1] − 1 */
};

row_chunks plan_chunks(const uint64_t *offsets, size_t rows, uint64_t most)
{
    row_chunks chunks;
    for (size_t first = 0, end; first < rows; first = end) {
        end = eb_chunk_end(offsets, rows, first, eb_chunk_room(chunks.first.size(), most));
        if (offsets[end] == offsets[first])
            continue;
        chunks.first.push_back(first);
        chunks.end.push_back(end);
        chunks.begin.push_back(offsets[end]);
    }
    return chunks;
}

uint64_t longest_row(const uint64_t *offsets, size_t rows)
{
    uint64_t longest = 0;
    for (size_t r = 0; r < rows; r++)
        longest = offsets[r + 1] - offsets[r] > longest ? offsets[r + 1] - offsets[r] : longest;
    return longest;
}

/* As large chunks as there is memory for, on a device that may be full. */
template <class T>
eb_code prepare_chunks(row_maker<T> &maker, const eb_row_places &places, uint64_t memory, uint64_t *most,
                       eb_status *status)
{
    const uint64_t all = maker.offsets()[maker.rows()], longest = longest_row(maker.offsets(), maker.rows());
    const uint64_t fits = memory / row_maker<T>::bytes_an_entry(places.distance_bytes);
    uint64_t room = all < most_entries ? all : most_entries;
    room = memory > 0 && fits < room ? fits : room;
    for (;;) {
        *most = room > longest ? room : longest;
        const eb_code failed = maker.prepare(*most, places.distance_bytes, places.unit, status);
        if (failed != EB_NO_MEMORY || *most == longest)
            return failed;
        room = *most / 2;
    }
}

template <class T>
eb_code fill(row_maker<T> &maker, const eb_row_places &places, uint64_t memory, cudaStream_t stream,
             const eb_context *context, eb_status *status)
{
    uint64_t most = 0;
    EB_TRY(prepare_chunks(maker, places, memory, &most, status));
    const row_chunks chunks = plan_chunks(maker.offsets(), maker.rows(), most);
    delivered_rows rows;
    rows.begin = chunks.begin;
    rows.fresh = places.fresh;
    rows.stream = stream;
    rows.arrays.push_back({{maker.columns(0), maker.columns(1)},
                           reinterpret_cast<unsigned char *>(places.columns),
                           sizeof *places.columns});
    if (places.distance_bytes > 0)
        rows.arrays.push_back({{maker.distances(0), maker.distances(1)},
                               static_cast<unsigned char *>(places.distances),
                               places.distance_bytes});
    rows.make = [&](size_t chunk, eb_status *why) {
        return maker.make(chunks.first[chunk], chunks.end[chunk], chunk % 2, why);
    };
    EB_TRY(deliver(rows, context, status));
    return maker.check(status);
}

__global__ void count_ends(const uint2 *pair, uint64_t hits, pairs_meaning m, unsigned long long *entries)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    const uint32_t ends = x < hits ? wanted_ends(m, points_of(m, pair[x])) : 0;
    add_count(entries, __reduce_add_sync(~0u, ends), static_cast<int>(threadIdx.x) % 32);
}

} // namespace

template <class T>
eb_code deliver_rows(const pair_store<T> &hits, const pairs_meaning &meaning, uint64_t memory, const eb_sink *sink,
                     cudaStream_t stream, const eb_context *context, eb_status *status)
{
    const double start = eb_now_s();
    row_maker<T> maker(hits, meaning, stream);
    eb_row_places places;
    EB_TRY(maker.count(status));
    EB_TRY(sink->place(sink->context, meaning.row_begin, maker.rows(), maker.offsets(), &places, status));
    const double placed = eb_now_s();
    eb_figures_add(context->figures, &eb_figure_table, placed - start);
    const eb_code failed = fill(maker, places, memory, stream, context, status);
    const eb_code ended = sink->placed(sink->context, failed ? nullptr : status);
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - placed);
    return failed ? failed : ended;
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
        count_ends<<<static_cast<unsigned>((hits.held() + 255) / 256), 256, 0, stream>>>(hits.buffer().pair,
                                                                                         hits.held(), meaning,
                                                                                         counter.get());
    EB_CUDA(cudaGetLastError(), what);
    EB_CUDA(cudaMemcpyAsync(&counted, counter.get(), sizeof counted, cudaMemcpyDeviceToHost, stream), what);
    EB_CUDA(cudaStreamSynchronize(stream), what);
    *entries = counted;
    return EB_OK;
}

template eb_code deliver_rows(const pair_store<float> &, const pairs_meaning &, uint64_t, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code deliver_rows(const pair_store<double> &, const pairs_meaning &, uint64_t, const eb_sink *,
                              cudaStream_t, const eb_context *, eb_status *);
template eb_code deliver_hits(const pair_store<float> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code deliver_hits(const pair_store<double> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code count_entries(const pair_store<float> &, const pairs_meaning &, uint64_t *, cudaStream_t, eb_status *);
template eb_code count_entries(const pair_store<double> &, const pairs_meaning &, uint64_t *, cudaStream_t,
                               eb_status *);

} // namespace eb
