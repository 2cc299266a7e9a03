#include "kernels/rows/pairs.cuh"

namespace eb {

namespace {

constexpr const char *making_room = "making room for results";

template <class T>
__global__ void take_near(const uint2 *pair, const double *s, uint64_t count, double threshold, hit_buffer<T> hits)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint2 mine = x < count ? pair[x] : make_uint2(0, 0);
    const double squared = x < count ? s[x] : 0;
    append<false>(hits, x < count && squared <= threshold, mine.x, mine.y, static_cast<T>(squared), lane);
}

template <class T>
__global__ void take_from(const uint2 *pair, const T *squared, uint64_t count, pairs_meaning m, uint32_t first,
                          hit_buffer<T> out)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint2 mine = x < count ? pair[x] : make_uint2(0, 0), points = points_of(m, mine);
    append<false>(out, x < count && (points.x >= first || points.y >= first), mine.x, mine.y,
                  x < count ? squared[x] : T{}, lane);
}

} // namespace

/* The allocation may fail because other programs have taken the free memory. With a limit, half the capacity is then
 * tried, again and again, as long as it is large enough to work with. */
template <class T> eb_code pair_store<T>::make_room(uint64_t capacity, eb_status *status)
{
    constexpr uint64_t least = 1 << 16;
    for (;; capacity /= 2) {
        capacity_ = 0;
        eb_code failed = pair_.reserve(capacity, making_room, status);
        if (!failed)
            failed = squared_.reserve(capacity, making_room, status);
        if (!failed)
            capacity_ = capacity;
        if (failed != EB_NO_MEMORY || limit_bytes_ == 0 || capacity / 2 < least)
            return failed;
    }
}

template <class T>
eb_code pair_store<T>::prepare(uint64_t capacity, uint64_t limit_bytes, cudaStream_t stream, eb_status *status)
{
    limit_bytes_ = limit_bytes;
    held_ = 0;
    EB_TRY(found_.reserve(1, making_room, status));
    const uint64_t most = limit_bytes / (sizeof(uint2) + sizeof(T));
    if (limit_bytes > 0 && capacity > most)
        capacity = most > 0 ? most : 1;
    if (capacity > capacity_)
        EB_TRY(make_room(capacity, status));
    return clear(stream, status);
}

template <class T> eb_code pair_store<T>::clear(cudaStream_t stream, eb_status *status)
{
    held_ = 0;
    EB_CUDA(cudaMemsetAsync(found_.get(), 0, sizeof(unsigned long long), stream), making_room);
    return EB_OK;
}

template <class T> eb_code pair_store<T>::counted(uint64_t *found, cudaStream_t stream, eb_status *status)
{
    EB_CUDA(cudaMemcpyAsync(&found_host_, found_.get(), sizeof(unsigned long long), cudaMemcpyDeviceToHost, stream),
            "reading the number of results");
    EB_CUDA(cudaStreamSynchronize(stream), "running the join kernel");
    *found = found_host_;
    return EB_OK;
}

template <class T> eb_code pair_store<T>::forget(cudaStream_t stream, eb_status *status)
{
    found_host_ = held_;
    EB_CUDA(cudaMemcpyAsync(found_.get(), &found_host_, sizeof(unsigned long long), cudaMemcpyHostToDevice, stream),
            making_room);
    EB_CUDA(cudaStreamSynchronize(stream), making_room);
    return EB_OK;
}

template <class T> eb_code pair_store<T>::grow(uint64_t needed, uint64_t ahead, cudaStream_t stream, eb_status *status)
{
    constexpr uint64_t pair_bytes = sizeof(uint2) + sizeof(T);
    if (needed <= capacity_)
        return EB_OK;
    if (limit_bytes_ > 0 && needed * pair_bytes > limit_bytes_)
        return eb_fail(status, EB_NO_MEMORY, "%llu results so far need %llu bytes on the GPU; the limit is %llu",
                       static_cast<unsigned long long>(needed), static_cast<unsigned long long>(needed * pair_bytes),
                       static_cast<unsigned long long>(limit_bytes_));
    const uint64_t wished = needed + ahead, most = limit_bytes_ > 0 ? limit_bytes_ / pair_bytes : wished;
    const uint64_t wanted = wished < most ? wished : most;
    device_array<uint2> pair;
    device_array<T> squared;
    EB_TRY(pair.reserve(wanted, making_room, status));
    EB_TRY(squared.reserve(wanted, making_room, status));
    EB_CUDA(cudaMemcpyAsync(pair.get(), pair_.get(), held_ * sizeof(uint2), cudaMemcpyDeviceToDevice, stream),
            making_room);
    EB_CUDA(cudaMemcpyAsync(squared.get(), squared_.get(), held_ * sizeof(T), cudaMemcpyDeviceToDevice, stream),
            making_room);
    EB_CUDA(cudaStreamSynchronize(stream), making_room);
    pair_.swap(pair);
    squared_.swap(squared);
    capacity_ = wanted;
    return EB_OK;
}

template <class T> eb_code pair_store<T>::add(const pair_store &other, cudaStream_t stream, eb_status *status)
{
    const uint64_t all = held_ + other.held_;
    EB_TRY(grow(all, all / 2, stream, status));
    EB_CUDA(cudaMemcpyAsync(pair_.get() + held_, other.pair_.get(), other.held_ * sizeof(uint2),
                            cudaMemcpyDeviceToDevice, stream),
            making_room);
    EB_CUDA(cudaMemcpyAsync(squared_.get() + held_, other.squared_.get(), other.held_ * sizeof(T),
                            cudaMemcpyDeviceToDevice, stream),
            making_room);
    held_ = all;
    return EB_OK;
}

template <class T>
eb_code settle_pairs(pair_store<T> &hits, pair_store<T> *unsure, bool *fits, cudaStream_t stream, eb_status *status)
{
    uint64_t found = 0, doubtful = 0;
    EB_TRY(hits.counted(&found, stream, status));
    if (unsure)
        EB_TRY(unsure->counted(&doubtful, stream, status));
    *fits = found <= hits.capacity() && (!unsure || doubtful <= unsure->capacity());
    if (*fits) {
        hits.keep(found);
        if (unsure)
            unsure->keep(doubtful);
        return EB_OK;
    }
    EB_TRY(hits.forget(stream, status));
    if (unsure)
        EB_TRY(unsure->forget(stream, status));
    if (found > hits.capacity())
        EB_TRY(hits.grow(found, found / 2, stream, status));
    return unsure && doubtful > unsure->capacity() ? unsure->grow(doubtful, doubtful / 2, stream, status) : EB_OK;
}

template <class T>
eb_code decide_pairs(pair_store<T> &unsure, const stored_points &a, const stored_points &b, double threshold,
                     pair_store<T> &hits, cudaStream_t stream, eb_status *status)
{
    const uint64_t held = unsure.held();
    if (held == 0)
        return EB_OK;
    uint64_t found = 0;
    device_array<double> s;
    EB_TRY(hits.grow(hits.held() + held, 0, stream, status));
    EB_TRY(s.reserve(held < decided_at_once ? held : decided_at_once, making_room, status));
    for (uint64_t first = 0; first < held; first += decided_at_once) {
        const uint64_t count = held - first < decided_at_once ? held - first : decided_at_once;
        const uint2 *pair = unsure.buffer().pair + first;
        EB_TRY(measure_pairs(pair, count, nullptr, a, b, s.get(), stream, status));
        take_near<T><<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(pair, s.get(), count, threshold,
                                                                                     hits.buffer());
        EB_CUDA(cudaGetLastError(), "deciding pairs near ε");
    }
    EB_TRY(hits.counted(&found, stream, status));
    hits.keep(found);
    return unsure.clear(stream, status);
}

/* A piece is copied aside before what is kept of it is written to the front, which never passes the piece's begin. */
template <class T>
eb_code drop_below(pair_store<T> &hits, const pairs_meaning &meaning, uint32_t first, cudaStream_t stream,
                   eb_status *status)
{
    const char *what = "dropping pairs of finished rows";
    const uint64_t held = hits.held(), room = held < decided_at_once ? held : decided_at_once;
    const hit_buffer<T> all = hits.buffer();
    device_array<uint2> pair;
    device_array<T> squared;
    uint64_t kept = 0;
    if (held == 0)
        return EB_OK;
    EB_TRY(pair.reserve(room, what, status));
    EB_TRY(squared.reserve(room, what, status));
    EB_TRY(hits.clear(stream, status));
    for (uint64_t done = 0; done < held; done += room) {
        const uint64_t count = held - done < room ? held - done : room;
        EB_CUDA(cudaMemcpyAsync(pair.get(), all.pair + done, count * sizeof(uint2), cudaMemcpyDeviceToDevice, stream),
                what);
        EB_CUDA(cudaMemcpyAsync(squared.get(), all.squared + done, count * sizeof(T), cudaMemcpyDeviceToDevice, stream),
                what);
        take_from<T><<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(pair.get(), squared.get(), count,
                                                                                     meaning, first, all);
        EB_CUDA(cudaGetLastError(), what);
    }
    EB_TRY(hits.counted(&kept, stream, status));
    hits.keep(kept);
    return EB_OK;
}

template class pair_store<float>;
template class pair_store<double>;
template class pair_store<uint32_t>;
template eb_code drop_below(pair_store<float> &, const pairs_meaning &, uint32_t, cudaStream_t, eb_status *);
template eb_code drop_below(pair_store<double> &, const pairs_meaning &, uint32_t, cudaStream_t, eb_status *);
template eb_code drop_below(pair_store<uint32_t> &, const pairs_meaning &, uint32_t, cudaStream_t, eb_status *);
template eb_code settle_pairs(pair_store<float> &, pair_store<float> *, bool *, cudaStream_t, eb_status *);
template eb_code settle_pairs(pair_store<double> &, pair_store<double> *, bool *, cudaStream_t, eb_status *);
template eb_code settle_pairs(pair_store<uint32_t> &, pair_store<uint32_t> *, bool *, cudaStream_t, eb_status *);
template eb_code decide_pairs(pair_store<float> &, const stored_points &, const stored_points &, double,
                              pair_store<float> &, cudaStream_t, eb_status *);
template eb_code decide_pairs(pair_store<double> &, const stored_points &, const stored_points &, double,
                              pair_store<double> &, cudaStream_t, eb_status *);

} // namespace eb
