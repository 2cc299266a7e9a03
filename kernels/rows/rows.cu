#include "kernels/rows/rows.cuh"

#include <vector>

#include "kernels/rows/exchange.cuh"
#include "kernels/rows/made_rows.cuh"
#include "kernels/rows/row_maker.cuh"

extern "C" {
#include "core/base/clock.h"
}

namespace eb {

namespace {

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
    row_maker<T> maker(hits, meaning, stream);
    return deliver_made_rows(maker, meaning.row_begin, memory, sink, stream, context, status);
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
            if (!m.mirrored && second && p.x > p.y) /* the pair also comes from its other end */
                continue;
            if (!first)
                p = make_uint2(p.y, p.x);
            if (first || second)
                hit.push_back({p.x, p.y, static_cast<double>(squared[k]) * m.scale});
        }
        EB_TRY(sink->hits(sink->context, 0, hit.data(), hit.size(), status));
    }
    eb_figures_add(context->figures, &eb_figure_download, eb_now_s() - start);
    return EB_OK;
}

template <class T>
eb_code deliver_share(const pair_store<T> &hits, const pairs_meaning &meaning, const eb_share &share, uint64_t memory,
                      const eb_sink *sink, cudaStream_t stream, const eb_context *context, eb_status *status)
{
    if (!sink->place)
        return deliver_hits(hits, meaning, sink, stream, context, status);
    if (share.parts == 1)
        return deliver_rows(hits, meaning, memory, sink, stream, context, status);
    if (!computes_all_parts(share))
        return deliver_hits(hits, meaning, sink, stream, context, status);
    pair_store<T> own;
    pairs_meaning of_own = meaning;
    EB_TRY(exchange_pairs(hits, share, own, of_own, stream, context, status));
    return deliver_rows(own, of_own, memory, sink, stream, context, status);
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

template eb_code deliver_share(const pair_store<float> &, const pairs_meaning &, const eb_share &, uint64_t,
                               const eb_sink *, cudaStream_t, const eb_context *, eb_status *);
template eb_code deliver_share(const pair_store<double> &, const pairs_meaning &, const eb_share &, uint64_t,
                               const eb_sink *, cudaStream_t, const eb_context *, eb_status *);
template eb_code deliver_share(const pair_store<uint32_t> &, const pairs_meaning &, const eb_share &, uint64_t,
                               const eb_sink *, cudaStream_t, const eb_context *, eb_status *);
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
template eb_code deliver_rows(const pair_store<uint32_t> &, const pairs_meaning &, uint64_t, const eb_sink *,
                              cudaStream_t, const eb_context *, eb_status *);
template eb_code deliver_hits(const pair_store<uint32_t> &, const pairs_meaning &, const eb_sink *, cudaStream_t,
                              const eb_context *, eb_status *);
template eb_code count_entries(const pair_store<uint32_t> &, const pairs_meaning &, uint64_t *, cudaStream_t,
                               eb_status *);

} // namespace eb
