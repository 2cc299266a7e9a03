#include "kernels/tiled/order.cuh"

#include "kernels/sort/sort.cuh"

namespace eb {

namespace {

constexpr const char *ordering = "ordering the points";

__global__ void number_points(uint32_t *point, size_t count)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        point[k] = static_cast<uint32_t>(k);
}

/* A thread copies 16 bytes at a time. */
__global__ void gather(const uint4 *rows, size_t chunks, const uint32_t *point, size_t count, size_t padded, uint4 *out)
{
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; x < padded * chunks; x += step) {
        const size_t row = x / chunks;
        out[x] = row < count ? rows[point[row] * chunks + x % chunks] : make_uint4(0, 0, 0, 0);
    }
}

__global__ void gather_single(const float *values, const uint32_t *point, size_t count, float *out)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        out[k] = values[point[k]];
}

__global__ void number_blocks(const uint32_t *point, size_t count, size_t block, float *number)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        number[k] = static_cast<float>(point[k] / block);
}

unsigned blocks_for(size_t items) { return static_cast<unsigned>((items + 255) / 256); }

} // namespace

eb_code order_by(const float *key, size_t count, size_t block, uint32_t *point, cudaStream_t stream, eb_status *status)
{
    device_array<uint32_t> number;
    device_array<float> sorted, block_of;
    sort_room scratch;
    EB_TRY(number.reserve(count, ordering, status));
    EB_TRY(sorted.reserve(count, ordering, status));
    number_points<<<blocks_for(count), 256, 0, stream>>>(number.get(), count);
    EB_CUDA(cudaGetLastError(), ordering);
    if (block == 0)
        return sort_pairs(key, sorted.get(), number.get(), point, count, scratch, ordering, stream, status);
    /* Sorts are stable: by the key, then by the block. */
    EB_TRY(block_of.reserve(count, ordering, status));
    EB_TRY(sort_pairs(key, sorted.get(), number.get(), point, count, scratch, ordering, stream, status));
    number_blocks<<<blocks_for(count), 256, 0, stream>>>(point, count, block, block_of.get());
    EB_CUDA(cudaGetLastError(), ordering);
    EB_CUDA(cudaMemcpyAsync(number.get(), point, count * sizeof *point, cudaMemcpyDeviceToDevice, stream), ordering);
    return sort_pairs(block_of.get(), sorted.get(), number.get(), point, count, scratch, ordering, stream, status);
}

eb_code order_as_stored(size_t count, uint32_t *point, cudaStream_t stream, eb_status *status)
{
    number_points<<<blocks_for(count), 256, 0, stream>>>(point, count);
    EB_CUDA(cudaGetLastError(), ordering);
    return EB_OK;
}

eb_code gather_rows(const void *rows, size_t row_bytes, const uint32_t *point, size_t count, size_t padded, void *out,
                    cudaStream_t stream, eb_status *status)
{
    gather<<<2048, 256, 0, stream>>>(static_cast<const uint4 *>(rows), row_bytes / sizeof(uint4), point, count, padded,
                                     static_cast<uint4 *>(out));
    EB_CUDA(cudaGetLastError(), ordering);
    return EB_OK;
}

eb_code gather_values(const float *values, const uint32_t *point, size_t count, float *out, cudaStream_t stream,
                      eb_status *status)
{
    gather_single<<<blocks_for(count), 256, 0, stream>>>(values, point, count, out);
    EB_CUDA(cudaGetLastError(), ordering);
    return EB_OK;
}

} // namespace eb
