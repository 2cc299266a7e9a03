#include "kernels/tiled/intervals.cuh"

#include <cstdlib>
#include <cstring>

namespace eb {

namespace {

/* The first interval whose threshold is not below s; edges when s is beyond all of them. */
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

template <class T>
__global__ void classify(const T *squared, uint64_t hits, const double *threshold, const unsigned char *keep,
                         uint32_t edges, unsigned long long *count, unsigned long long *kept, double *kept_value,
                         uint32_t *kept_interval)
{
    const uint64_t x = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
    if (x >= hits)
        return;
    const double s = static_cast<double>(squared[x]);
    const uint32_t interval = interval_of(s, threshold, edges);
    if (interval == edges)
        return;
    atomicAdd(count + interval, 1ull);
    if (keep[interval]) {
        const unsigned long long at = atomicAdd(kept, 1ull);
        kept_value[at] = s;
        kept_interval[at] = interval;
    }
}

constexpr const char *doing = "counting distances";

} // namespace

template <class T>
eb_code interval_counter<T>::prepare(const eb_distance_pass *pass, cudaStream_t stream, eb_status *status)
{
    edges_ = pass->edges;
    std::vector<double> threshold(edges_);
    std::vector<unsigned char> keep(edges_);
    for (size_t k = 0; k < edges_; k++) {
        threshold[k] = eb_squared_threshold(pass->eps[k]);
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
    classify<T><<<static_cast<unsigned>((held + 255) / 256), 256, 0, stream>>>(hits.buffer().squared, held,
                                                                               threshold_.get(), keep_.get(),
                                                                               static_cast<uint32_t>(edges_),
                                                                               count_.get(), kept_count_.get(),
                                                                               kept_value_.get(), kept_interval_.get());
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
