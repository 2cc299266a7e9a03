#include "kernels/tiled/intervals.cuh"

#include <cstdlib>
#include <cstring>

namespace eb {

namespace {

struct kept_hits {
    unsigned long long *held;
    double *value;
    uint32_t *interval;
};

/* Returns the first interval whose threshold is at least s; `edges` if s is above all of them. */
__device__ uint32_t interval_of(double s, const double *threshold, uint32_t edges)
{
    uint32_t low = 0, high = edges;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (s <= threshold[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

constexpr uint32_t threads = 256, edges_in_shared = 12288;

/* Appends kept distances, one atomic for the 32 lanes of a warp. */
__device__ void keep_hit(bool wanted, double s, uint32_t interval, const kept_hits &kept)
{
    const unsigned who = __ballot_sync(~0u, wanted), lane = threadIdx.x % 32;
    unsigned long long at = 0;
    if (who == 0)
        return;
    if (lane == 0)
        at = atomicAdd(kept.held, static_cast<unsigned long long>(__popc(who)));
    at = __shfl_sync(~0u, at, 0) + __popc(who & ((1u << lane) - 1));
    if (wanted) {
        kept.value[at] = s;
        kept.interval[at] = interval;
    }
}

/* Counts hits by interval. There are few intervals and many hits, so a block first counts in shared memory, if that has
 * room. */
template <class T>
__global__ void __launch_bounds__(threads)
    classify(const T *squared, double scale, uint64_t hits, const double *threshold, const unsigned char *keep,
             uint32_t edges, unsigned long long *count, kept_hits kept)
{
    extern __shared__ uint32_t own[]; /* [edges] if there is room */
    const bool shared = edges <= edges_in_shared;
    for (uint32_t k = threadIdx.x; shared && k < edges; k += threads)
        own[k] = 0;
    __syncthreads();
    const uint64_t stride = static_cast<uint64_t>(gridDim.x) * threads;
    for (uint64_t first = blockIdx.x * static_cast<uint64_t>(threads); first < hits; first += stride) {
        const uint64_t x = first + threadIdx.x;
        const double s = x < hits ? __dmul_rn(static_cast<double>(squared[x]), scale) : 0;
        const uint32_t interval = x < hits ? interval_of(s, threshold, edges) : edges;
        if (interval < edges && shared)
            atomicAdd(own + interval, 1u);
        else if (interval < edges)
            atomicAdd(count + interval, 1ull);
        keep_hit(interval < edges && keep[interval], s, interval, kept);
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; shared && k < edges; k += threads)
        if (own[k] > 0)
            atomicAdd(count + k, static_cast<unsigned long long>(own[k]));
}

constexpr const char *doing = "counting distances";

} // namespace

template <class T>
eb_code interval_counter<T>::prepare(const eb_distance_pass *pass, threshold_of verdict, double scale,
                                     cudaStream_t stream, eb_status *status)
{
    edges_ = pass->edges;
    scale_ = scale;
    std::vector<double> threshold(edges_);
    std::vector<unsigned char> keep(edges_);
    for (size_t k = 0; k < edges_; k++) {
        threshold[k] = verdict(pass->eps[k]);
        keep[k] = pass->keep[k];
    }
    kept_.assign(edges_, {});
    EB_TRY(threshold_.reserve(edges_, doing, status));
    EB_TRY(keep_.reserve(edges_, doing, status));
    EB_TRY(count_.reserve(edges_, doing, status));
    EB_TRY(kept_count_.reserve(1, doing, status));
    EB_CUDA(cudaMemcpyAsync(threshold_.get(), threshold.data(), edges_ * sizeof(double), cudaMemcpyHostToDevice,
                            stream),
            doing);
    EB_CUDA(cudaMemcpyAsync(keep_.get(), keep.data(), edges_, cudaMemcpyHostToDevice, stream), doing);
    EB_CUDA(cudaMemsetAsync(count_.get(), 0, edges_ * sizeof(unsigned long long), stream), doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    return EB_OK;
}

template <class T> eb_code interval_counter<T>::take(const pair_store<T> &hits, cudaStream_t stream, eb_status *status)
{
    const uint64_t held = hits.held();
    if (held == 0)
        return EB_OK;
    EB_TRY(kept_value_.reserve(held, doing, status));
    EB_TRY(kept_interval_.reserve(held, doing, status));
    EB_CUDA(cudaMemsetAsync(kept_count_.get(), 0, sizeof(unsigned long long), stream), doing);
    constexpr uint64_t most_blocks = 1024;
    const uint64_t blocks = (held + threads - 1) / threads;
    const size_t shared = edges_ <= edges_in_shared ? edges_ * sizeof(uint32_t) : 0;
    classify<T><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, shared, stream>>>(
        hits.buffer().squared, scale_, held, threshold_.get(), keep_.get(), static_cast<uint32_t>(edges_), count_.get(),
        {kept_count_.get(), kept_value_.get(), kept_interval_.get()});
    EB_CUDA(cudaGetLastError(), doing);
    unsigned long long kept = 0;
    EB_CUDA(cudaMemcpyAsync(&kept, kept_count_.get(), sizeof kept, cudaMemcpyDeviceToHost, stream), doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    std::vector<double> value(kept);
    std::vector<uint32_t> interval(kept);
    EB_CUDA(cudaMemcpyAsync(value.data(), kept_value_.get(), kept * sizeof(double), cudaMemcpyDeviceToHost, stream),
            doing);
    EB_CUDA(cudaMemcpyAsync(interval.data(), kept_interval_.get(), kept * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                            stream),
            doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    for (size_t x = 0; x < kept; x++)
        kept_[interval[x]].push_back(value[x]);
    return EB_OK;
}

template <class T> eb_code interval_counter<T>::finish(eb_distance_pass *pass, cudaStream_t stream, eb_status *status)
{
    std::vector<unsigned long long> count(edges_);
    EB_CUDA(cudaMemcpyAsync(count.data(), count_.get(), edges_ * sizeof(unsigned long long), cudaMemcpyDeviceToHost,
                            stream),
            doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    for (size_t k = 0; k < edges_; k++) {
        pass->pairs[k] = count[k];
        pass->kept[k] = nullptr;
    }
    for (size_t k = 0; k < edges_; k++) {
        if (!pass->keep[k])
            continue;
        if (kept_[k].size() != count[k])
            return eb_fail(status, EB_INTERNAL, "interval %zu: %llu distances counted, %zu kept", k, count[k],
                           kept_[k].size());
        const size_t bytes = kept_[k].size() * sizeof(double);
        pass->kept[k] = static_cast<double *>(std::malloc(bytes > 0 ? bytes : 1));
        if (!pass->kept[k])
            return eb_fail_memory(status, "the kept distances", bytes);
        if (bytes > 0)
            std::memcpy(pass->kept[k], kept_[k].data(), bytes);
    }
    return EB_OK;
}

template class interval_counter<float>;
template class interval_counter<double>;
template class interval_counter<uint32_t>;

} // namespace eb
