#include "kernels/quantised/cuda/matrices.cuh"

#include <numeric>

#include "kernels/filters/filter.cuh"
#include "kernels/parts/pick.h"
#include "kernels/ted/cuda/kernel.cuh"

extern "C" {
#include "core/base/random.h"
}

namespace eb {

namespace {

constexpr const char *finding = "finding principal axes";

/* out[r][c] = ⟨a[r], b[c]⟩, c < columns, with ted's block tile. */
__global__ void __launch_bounds__(ted_threads, 2)
    products_of_rows(const double *a, const double *b, uint32_t length, uint32_t columns, double *out)
{
    extern __shared__ __align__(1024) unsigned char shared_raw[];
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const uint32_t row0 = blockIdx.x * ted_tile, column0 = blockIdx.y * ted_columns;
    ted_warp products(warp, lane);
    multiply_tile(products, a + static_cast<size_t>(row0) * length, b + static_cast<size_t>(column0) * length,
                  length * sizeof(double), shared_address(shared_raw), thread);
    /* With g = lane / 4 and t = lane % 4 a lane has rows g and g + 8 of 16, and columns 2t and 2t + 1 of each 8. */
    const uint32_t row = row0 + static_cast<uint32_t>(warp / 2 * ted_warp_rows + lane / 4),
                   column = column0 + static_cast<uint32_t>(warp % 2 * ted_warp_columns + lane % 4 * 2);
#pragma unroll
    for (uint32_t m = 0; m < ted_row_blocks; m++)
#pragma unroll
        for (uint32_t c = 0; c < ted_column_blocks; c++)
#pragma unroll
            for (uint32_t half = 0; half < 2; half++)
                if (column + 8 * c < columns)
                    *reinterpret_cast<double2 *>(out + static_cast<size_t>(row + 16 * m + 8 * half) * columns + column +
                                                 8 * c) =
                        make_double2(products.d[m][c][2 * half], products.d[m][c][2 * half + 1]);
}

__device__ __forceinline__ double within(double x, double most) { return x > -most ? x < most ? x : most : -most; }

__global__ void turn_rows(const double *in, uint32_t rows, uint32_t in_length, uint32_t length, uint32_t columns,
                          double most, double *out)
{
    const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    const uint32_t r = static_cast<uint32_t>(x % length), k = static_cast<uint32_t>(x / length);
    if (k < columns)
        out[x] = r < rows && k < in_length ? within(in[static_cast<size_t>(r) * in_length + k], most) : 0;
}

__global__ void random_values(uint32_t count, uint32_t columns, uint32_t rows, uint32_t length, double *out)
{
    const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    const uint32_t r = static_cast<uint32_t>(x / length), k = static_cast<uint32_t>(x % length);
    if (r >= rows)
        return;
    const int64_t bits = static_cast<int64_t>(eb_pick_hash((x + 1) * EB_RANDOM_STEP));
    out[x] = r < count && k < columns ? static_cast<double>(bits) * 0x1p-63 : 0;
}

__global__ void cosines(uint32_t count, uint32_t stride, uint32_t length, double *out)
{
    const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    const uint32_t j = static_cast<uint32_t>(x / length), k = static_cast<uint32_t>(x % length);
    if (j >= length)
        return;
    const uint32_t frequency = k * stride % count;
    const double turns = (j + 0.5) * frequency / count;
    out[x] = j < count && k < count ? sqrt((frequency > 0 ? 2.0 : 1.0) / count) * cospi(turns) : 0;
}

/* A stride near the golden section of `count`, coprime to it. */
size_t stride_among(size_t count)
{
    size_t stride = static_cast<size_t>(0.618 * static_cast<double>(count)) | 1;
    while (std::gcd(stride, count) != 1)
        stride++;
    return stride;
}

constexpr uint32_t summing_threads = 128;

/* The sum over all threads of a block, in each of them. */
__device__ double add_over_block(double x)
{
    __shared__ double of_warp[summing_threads / 32];
    x = add_over_warp(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    double sum = 0;
    for (uint32_t w = 0; w < summing_threads / 32; w++)
        sum += of_warp[w];
    return sum;
}

/* sums[0]: the trace, sums[1]: the sum of squares of a d × d matrix. */
__global__ void __launch_bounds__(summing_threads)
    sum_square(const double *square, uint32_t d, uint32_t length, double *sums)
{
    double squares = 0;
    const double *row = square + static_cast<size_t>(blockIdx.x) * length;
    for (uint32_t k = threadIdx.x; k < d; k += summing_threads)
        squares += row[k] * row[k];
    squares = add_over_block(squares);
    if (threadIdx.x == 0) {
        atomicAdd(&sums[0], row[blockIdx.x]);
        atomicAdd(&sums[1], squares);
    }
}

__global__ void add_to_diagonal(double *square, uint32_t d, uint32_t length, double more)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < d)
        square[static_cast<size_t>(k) * length + k] += more;
}

/* Subtracts from each vector after `from` its projection on `from`, with one block per vector. */
__global__ void __launch_bounds__(summing_threads) take_out(double *vectors, uint32_t from, uint32_t length)
{
    const double *along = vectors + static_cast<size_t>(from) * length;
    double *mine = vectors + static_cast<size_t>(from + 1 + blockIdx.x) * length;
    double square = 0, product = 0;
    for (uint32_t k = threadIdx.x; k < length; k += summing_threads) {
        square += along[k] * along[k];
        product += along[k] * mine[k];
    }
    square = add_over_block(square);
    product = add_over_block(product);
    const double share = square > 0 ? product / square : 0;
    for (uint32_t k = threadIdx.x; k < length; k += summing_threads)
        mine[k] -= share * along[k];
}

__global__ void __launch_bounds__(summing_threads) make_unit(double *vectors, uint32_t length)
{
    double *mine = vectors + static_cast<size_t>(blockIdx.x) * length, square = 0;
    for (uint32_t k = threadIdx.x; k < length; k += summing_threads)
        square += mine[k] * mine[k];
    square = add_over_block(square);
    const double by = square > 0 ? 1 / sqrt(square) : 0;
    for (uint32_t k = threadIdx.x; k < length; k += summing_threads)
        mine[k] *= by;
}

__global__ void quotients(double *values, size_t count, double by)
{
    const size_t k = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (k < count)
        values[k] /= by;
}

} // namespace

eb_code multiply(const double *a, size_t rows, const double *b, size_t length, size_t columns, double *out,
                 cudaStream_t stream, eb_status *status)
{
    EB_CUDA(cudaFuncSetAttribute(products_of_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, ted_shared_bytes),
            finding);
    const dim3 grid(blocks_for(rows, ted_tile), blocks_for(columns, ted_columns));
    products_of_rows<<<grid, ted_threads, ted_shared_bytes, stream>>>(a, b, static_cast<uint32_t>(length),
                                                                      static_cast<uint32_t>(columns), out);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code turn(const double *in, size_t rows, size_t in_length, size_t length, size_t columns, double most, double *out,
             cudaStream_t stream, eb_status *status)
{
    turn_rows<<<blocks_for(length * columns, 256), 256, 0, stream>>>(in, static_cast<uint32_t>(rows),
                                                                     static_cast<uint32_t>(in_length),
                                                                     static_cast<uint32_t>(length),
                                                                     static_cast<uint32_t>(columns), most, out);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code fill_at_random(size_t count, size_t columns, size_t rows, size_t length, double *out, cudaStream_t stream,
                       eb_status *status)
{
    random_values<<<blocks_for(rows * length, 256), 256, 0, stream>>>(static_cast<uint32_t>(count),
                                                                      static_cast<uint32_t>(columns),
                                                                      static_cast<uint32_t>(rows),
                                                                      static_cast<uint32_t>(length), out);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code fill_with_cosines(size_t count, size_t length, double *out, cudaStream_t stream, eb_status *status)
{
    const uint32_t stride = static_cast<uint32_t>(stride_among(count));
    cosines<<<blocks_for(length * length, 256), 256, 0, stream>>>(static_cast<uint32_t>(count), stride,
                                                                  static_cast<uint32_t>(length), out);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code sum_matrix(const double *square, size_t d, size_t length, double sums[2], cudaStream_t stream,
                   eb_status *status)
{
    device_array<double> both;
    EB_TRY(both.reserve(2, finding, status));
    EB_CUDA(cudaMemsetAsync(both.get(), 0, 2 * sizeof(double), stream), finding);
    sum_square<<<static_cast<unsigned>(d), summing_threads, 0, stream>>>(square, static_cast<uint32_t>(d),
                                                                         static_cast<uint32_t>(length), both.get());
    EB_CUDA(cudaGetLastError(), finding);
    EB_CUDA(cudaMemcpyAsync(sums, both.get(), 2 * sizeof(double), cudaMemcpyDeviceToHost, stream), finding);
    EB_CUDA(cudaStreamSynchronize(stream), finding);
    return EB_OK;
}

eb_code steady(double *square, size_t d, size_t length, double more, cudaStream_t stream, eb_status *status)
{
    add_to_diagonal<<<blocks_for(d, 256), 256, 0, stream>>>(square, static_cast<uint32_t>(d),
                                                            static_cast<uint32_t>(length), more);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code orthogonalise(double *vectors, size_t count, size_t length, cudaStream_t stream, eb_status *status)
{
    for (uint32_t k = 0; k + 1 < count; k++)
        take_out<<<static_cast<unsigned>(count - 1 - k), summing_threads, 0, stream>>>(vectors, k,
                                                                                       static_cast<uint32_t>(length));
    make_unit<<<static_cast<unsigned>(count), summing_threads, 0, stream>>>(vectors, static_cast<uint32_t>(length));
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code divide(double *values, size_t count, double by, cudaStream_t stream, eb_status *status)
{
    quotients<<<blocks_for(count, 256), 256, 0, stream>>>(values, count, by);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

} // namespace eb
