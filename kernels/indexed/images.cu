#include "kernels/indexed/images.cuh"

#include "kernels/tiled/order.cuh"

namespace eb {

namespace {

constexpr const char *making = "making room for the points";
constexpr unsigned blocks = 4096, threads = 256;

__device__ __forceinline__ size_t thread_number() { return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; }

__global__ void round_values(double *values, size_t count)
{
    for (size_t x = thread_number(); x < count; x += size_t{blocks} * threads)
        values[x] = static_cast<double>(static_cast<float>(values[x]));
}

template <class real>
__global__ void project(const double *points, size_t n, size_t d, const uint32_t *order, size_t d_padded, real *image)
{
    for (size_t x = thread_number(); x < n * d_padded; x += size_t{blocks} * threads) {
        const size_t i = x / d_padded, c = x % d_padded;
        image[x] = c < d ? static_cast<real>(points[i * d + order[c]]) : static_cast<real>(0);
    }
}

} // namespace

eb_code round_to_single(double *values, size_t count, cudaStream_t stream, eb_status *status)
{
    round_values<<<blocks, threads, 0, stream>>>(values, count);
    EB_CUDA(cudaGetLastError(), "rounding the points to FP32");
    return EB_OK;
}

eb_code point_images::make(const double *points, size_t n, size_t d, const std::vector<uint32_t> &order,
                           size_t d_padded, bool single, cudaStream_t stream, eb_status *status)
{
    device_array<uint32_t> on_device;
    n_ = n;
    d_padded_ = d_padded;
    row_bytes_ = d_padded * (single ? sizeof(float) : sizeof(double));
    EB_TRY(stored_.reserve(n * d_padded, making, status));
    EB_TRY(sorted_.reserve(n * d_padded, making, status));
    EB_TRY(on_device.reserve(d, making, status));
    EB_CUDA(cudaMemcpyAsync(on_device.get(), order.data(), d * sizeof(uint32_t), cudaMemcpyHostToDevice, stream),
            making);
    if (single)
        project<<<blocks, threads, 0, stream>>>(points, n, d, on_device.get(), d_padded,
                                                reinterpret_cast<float *>(stored_.get()));
    else
        project<<<blocks, threads, 0, stream>>>(points, n, d, on_device.get(), d_padded, stored_.get());
    EB_CUDA(cudaGetLastError(), making);
    EB_CUDA(cudaStreamSynchronize(stream), making); /* before the array of the order is freed */
    return EB_OK;
}

eb_code point_images::place(const uint32_t *point, cudaStream_t stream, eb_status *status)
{
    return gather_rows(stored_.get(), row_bytes_, point, n_, n_, sorted_.get(), stream, status);
}

} // namespace eb
