/* mma_probe: raw tensor-core results for given inputs, for test_gpu_mma. */
#include "kernels/device/gpu.cuh"
#include "kernels/parts/fragments.h"
#include "kernels/parts/mma.cuh"

namespace eb {

namespace {

/* One warp an instruction; layout as in fragments.h. a: 16 × 16 row-major, b: 8 columns of 16, c and d: 16 × 8
 * row-major. */
__global__ void multiply_blocks(const uint16_t *a, const uint16_t *b, const float *c, float *d, size_t count)
{
    const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x / 32) + threadIdx.x / 32;
    if (x >= count)
        return;
    const int lane = static_cast<int>(threadIdx.x % 32);
    uint16_t of_a[8], of_b[4];
    float sum[4];
    for (int e = 0; e < 8; e++)
        of_a[e] = a[x * 256 + eb_f16_a_row(lane, e) * 16 + eb_f16_a_column(lane, e)];
    for (int e = 0; e < 4; e++) {
        of_b[e] = b[x * 128 + eb_f16_b_column(lane, e) * 16 + eb_f16_b_row(lane, e)];
        sum[e] = c[x * 128 + eb_f16_c_row(lane, e) * 8 + eb_f16_c_column(lane, e)];
    }
    uint32_t fragment[4], columns[2];
    for (int r = 0; r < 4; r++)
        fragment[r] = of_a[2 * r] | static_cast<uint32_t>(of_a[2 * r + 1]) << 16;
    for (int r = 0; r < 2; r++)
        columns[r] = of_b[2 * r] | static_cast<uint32_t>(of_b[2 * r + 1]) << 16;
    mma_f16(sum, fragment, columns[0], columns[1]);
    for (int e = 0; e < 4; e++)
        d[x * 128 + eb_f16_c_row(lane, e) * 8 + eb_f16_c_column(lane, e)] = sum[e];
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
