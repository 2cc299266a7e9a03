/* mma_probe: raw tensor-core results for given inputs, for test_gpu_mma. */
#include "kernels/device/gpu.cuh"
#include "kernels/parts/mma.cuh"

namespace eb {

namespace {

/* One warp an instruction; fragment layout as in mma.cuh. a: 16 × 16 row-major, b: 8 columns of 16, c and d: 16 × 8
 * row-major. */
__global__ void multiply_blocks(const uint16_t *a, const uint16_t *b, const float *c, float *d, size_t count)
{
    const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x / 32) + threadIdx.x / 32;
    if (x >= count)
        return;
    const int lane = static_cast<int>(threadIdx.x % 32), g = lane / 4, t = lane % 4;
    const uint32_t *a_rows = reinterpret_cast<const uint32_t *>(a + x * 256),
                   *b_columns = reinterpret_cast<const uint32_t *>(b + x * 128);
    /* Two neighbouring FP16 of a row share a register; a row is 8 registers. */
    const uint32_t fragment[4] = {a_rows[g * 8 + t], a_rows[(g + 8) * 8 + t], a_rows[g * 8 + 4 + t],
                                  a_rows[(g + 8) * 8 + 4 + t]};
    const size_t corner = x * 128;
    float sum[4] = {c[corner + g * 8 + 2 * t], c[corner + g * 8 + 2 * t + 1], c[corner + (g + 8) * 8 + 2 * t],
                    c[corner + (g + 8) * 8 + 2 * t + 1]};
    mma_f16(sum, fragment, b_columns[g * 8 + t], b_columns[g * 8 + 4 + t]);
    d[corner + g * 8 + 2 * t] = sum[0];
    d[corner + g * 8 + 2 * t + 1] = sum[1];
    d[corner + (g + 8) * 8 + 2 * t] = sum[2];
    d[corner + (g + 8) * 8 + 2 * t + 1] = sum[3];
}

template <class T> eb_code to_device(device_array<T> &array, const T *host, size_t count, eb_status *status)
{
    EB_TRY(array.reserve(count, "copying mma inputs", status));
    EB_CUDA(cudaMemcpy(array.get(), host, count * sizeof(T), cudaMemcpyHostToDevice), "copying mma inputs");
    return EB_OK;
}

} // namespace

} // namespace eb

extern "C" eb_code test_mma_f16(int device, const uint16_t *a, const uint16_t *b, const float *c, float *d,
                                size_t count, eb_status *status)
{
    using namespace eb;
    EB_CUDA(cudaSetDevice(device), "choosing the GPU");
    device_array<uint16_t> a_array, b_array;
    device_array<float> c_array, d_array;
    EB_TRY(to_device(a_array, a, count * 256, status));
    EB_TRY(to_device(b_array, b, count * 128, status));
    EB_TRY(to_device(c_array, c, count * 128, status));
    EB_TRY(d_array.reserve(count * 128, "making room for mma results", status));
    multiply_blocks<<<static_cast<unsigned>((count + 3) / 4), 128>>>(a_array.get(), b_array.get(), c_array.get(),
                                                                     d_array.get(), count);
    EB_CUDA(cudaGetLastError(), "starting the mma probe");
    EB_CUDA(cudaMemcpy(d, d_array.get(), count * 128 * sizeof(float), cudaMemcpyDeviceToHost), "reading mma results");
    return EB_OK;
}
