#include "kernels/tiled/binned.cuh"

namespace eb {

namespace {

/* Bins in shared memory: 64 octaves of s around the first distance that a block reads. Other distances are counted in
 * global memory. */
constexpr uint32_t window = 4096, threads = 256, columns_a_block = 8192;

constexpr const char *doing = "counting distances by bins";

template <class T> struct dense_rows {
    const T *s; /* [queries][columns] */
    uint32_t columns, first_column;
    const uint32_t *point, *self;
    double scale;
};

/* Counts one query's distances to some columns. range: the lowest and the highest bin in use. */
template <class T>
__global__ void __launch_bounds__(threads)
    count_bins(const dense_rows<T> dense, uint32_t *all, uint32_t *all_zeros, uint32_t *range)
{
    __shared__ uint32_t count[window];
    __shared__ uint32_t zeros, base;
    const T *s = dense.s + static_cast<size_t>(blockIdx.y) * dense.columns;
    const uint32_t begin = blockIdx.x * columns_a_block, end = min(begin + columns_a_block, dense.columns);
    const uint32_t self = dense.self ? dense.self[blockIdx.y] : UINT32_MAX;
    uint32_t *mine = all + static_cast<size_t>(blockIdx.y) * EB_BINS;
    for (uint32_t k = threadIdx.x; k < window; k += threads)
        count[k] = 0;
    if (threadIdx.x == 0) {
        const double seen = __dmul_rn(static_cast<double>(s[begin]), dense.scale);
        const uint32_t bin = seen > 0 ? eb_bin_of(seen) : 0;
        base = bin > window / 2 ? bin - window / 2 : 0;
        zeros = 0;
    }
    __syncthreads();
    uint32_t near = 0;
    for (uint32_t j = begin + threadIdx.x; j < end; j += threads) {
        const uint32_t column = dense.first_column + j;
        const double value = __dmul_rn(static_cast<double>(s[j]), dense.scale);
        if ((dense.point ? dense.point[column] : column) == self)
            continue;
        if (value > 0) {
            const uint32_t bin = eb_bin_of(value), at = bin - base;
            if (at < window) {
                atomicAdd(count + at, 1u);
            } else {
                atomicAdd(mine + bin, 1u);
                atomicMin(range, bin);
                atomicMax(range + 1, bin);
            }
        } else {
            near += value <= 0;
        }
    }
    if (near > 0)
        atomicAdd(&zeros, near);
    __syncthreads();
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t k = threadIdx.x; k < window; k += threads)
        if (count[k] > 0) {
            atomicAdd(mine + base + k, count[k]);
            low = min(low, base + k);
            high = base + k;
        }
    if (low <= high) {
        atomicMin(range, low);
        atomicMax(range + 1, high);
    }
    if (threadIdx.x == 0 && zeros > 0)
        atomicAdd(all_zeros + blockIdx.y, zeros);
}

} // namespace

template <class T>
eb_code binned_queries<T>::prepare(const uint32_t *self, size_t queries, double scale, cudaStream_t stream,
                                   eb_status *status)
{
    const uint32_t nothing[] = {UINT32_MAX, 0};
    queries_ = queries;
    self_ = self != nullptr;
    scale_ = scale;
    EB_TRY(row_.reserve(queries, doing, status));
    EB_TRY(count_.reserve(queries * EB_BINS, doing, status));
    EB_TRY(zeros_.reserve(queries, doing, status));
    EB_TRY(range_.reserve(2, doing, status));
    if (self_)
        EB_CUDA(cudaMemcpyAsync(row_.get(), self, queries * sizeof *self, cudaMemcpyHostToDevice, stream), doing);
    EB_CUDA(cudaMemcpyAsync(range_.get(), nothing, sizeof nothing, cudaMemcpyHostToDevice, stream), doing);
    EB_CUDA(cudaMemsetAsync(count_.get(), 0, queries * EB_BINS * sizeof(uint32_t), stream), doing);
    EB_CUDA(cudaMemsetAsync(zeros_.get(), 0, queries * sizeof(uint32_t), stream), doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    return EB_OK;
}

template <class T>
eb_code binned_queries<T>::take(const T *dense, size_t first, size_t queries, size_t column, size_t columns,
                                const uint32_t *point, cudaStream_t stream, eb_status *status)
{
    const dense_rows<T> rows{dense, static_cast<uint32_t>(columns),       static_cast<uint32_t>(column),
                             point, self_ ? row_.get() + first : nullptr, scale_};
    const dim3 grid(static_cast<unsigned>((columns + columns_a_block - 1) / columns_a_block),
                    static_cast<unsigned>(queries));
    count_bins<T>
        <<<grid, threads, 0, stream>>>(rows, count_.get() + first * EB_BINS, zeros_.get() + first, range_.get());
    EB_CUDA(cudaGetLastError(), doing);
    return EB_OK;
}

template <class T> eb_code binned_queries<T>::finish(eb_bins *out, cudaStream_t stream, eb_status *status)
{
    uint32_t range[2];
    EB_CUDA(cudaMemcpyAsync(range, range_.get(), sizeof range, cudaMemcpyDeviceToHost, stream), doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    EB_TRY(eb_bins_make(queries_, range[0], range[1], out, status));
    const size_t bytes = eb_bins_width(out) * sizeof(uint32_t);
    EB_CUDA(cudaMemcpyAsync(out->zeros, zeros_.get(), queries_ * sizeof(uint32_t), cudaMemcpyDeviceToHost, stream),
            doing);
    if (bytes > 0)
        EB_CUDA(cudaMemcpy2DAsync(out->count, bytes, count_.get() + out->low, EB_BINS * sizeof(uint32_t), bytes,
                                  queries_, cudaMemcpyDeviceToHost, stream),
                doing);
    EB_CUDA(cudaStreamSynchronize(stream), doing);
    return EB_OK;
}

template class binned_queries<float>;
template class binned_queries<double>;
template class binned_queries<uint32_t>;

} // namespace eb
