#include "kernels/tensor/cuda/frame.cuh"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernels/upload/convert.cuh"

namespace eb {

namespace {

constexpr const char *finding = "finding the frame of the points", *preparing = "preparing points";

/* ---- sums over rows ---- */

/* A block has 32 dimensions. Its first warp adds the rows of a stage while all warps fetch the next one. */
constexpr uint32_t sum_columns = 32, sum_stage = 64, sum_threads = 512, rows_a_fetch = sum_threads / sum_columns,
                   sum_fetches = sum_stage / rows_a_fetch;
static_assert(sum_stage % rows_a_fetch == 0);

/* Rows of a launch, so that none takes longer than 100 ms. */
constexpr size_t rows_a_launch = size_t{1} << 22;

template <class stored>
__global__ void __launch_bounds__(sum_threads) add_stored(const stored *rows, uint32_t count, uint32_t d, double *sums)
{
    using number = decltype(wide(stored{}));
    __shared__ number staged[2][sum_stage][sum_columns];
    const uint32_t lane = threadIdx.x % sum_columns, own = threadIdx.x / sum_columns;
    const uint32_t column = blockIdx.x * sum_columns + lane;
    number ahead[sum_fetches];
    const auto fetch = [&](uint32_t first) {
#pragma unroll
        for (uint32_t f = 0; f < sum_fetches; f++) {
            const uint32_t row = first + own + f * rows_a_fetch;
            ahead[f] = row < count && column < d ? wide(rows[static_cast<size_t>(row) * d + column]) : number{};
        }
    };
    double sum = own == 0 && column < d ? sums[column] : 0;
    fetch(0);
    for (uint32_t first = 0, buffer = 0; first < count; first += sum_stage, buffer ^= 1) {
#pragma unroll
        for (uint32_t f = 0; f < sum_fetches; f++)
            staged[buffer][own + f * rows_a_fetch][lane] = ahead[f];
        __syncthreads(); /* the first warp has also added the other buffer */
        fetch(first + sum_stage);
        const uint32_t here = own > 0 ? 0 : min(sum_stage, count - first);
#pragma unroll 8
        for (uint32_t r = 0; r < here; r++)
            sum = __dadd_rn(sum, static_cast<double>(staged[buffer][r][lane]));
    }
    if (own == 0 && column < d)
        sums[column] = sum;
}

/* ---- sizes ---- */

__device__ unsigned long long bits_of(double x) { return static_cast<unsigned long long>(__double_as_longlong(x)); }

__device__ double greatest_over_warp(double x)
{
    for (int step = 16; step > 0; step /= 2)
        x = fmax(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

__device__ double least_over_warp(double x)
{
    for (int step = 16; step > 0; step /= 2)
        x = fmin(x, __shfl_xor_sync(~0u, x, step));
    return x;
}

__global__ void __launch_bounds__(256) sizes_of(const double *y, uint32_t values, frame_sizes *sizes)
{
    double greatest = 0, least = INFINITY;
    for (size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < values;
         k += static_cast<size_t>(gridDim.x) * blockDim.x) {
        const double size = fabs(y[k]);
        greatest = size > greatest ? size : greatest;
        least = size > 0 && size < least ? size : least;
    }
    greatest = greatest_over_warp(greatest);
    least = least_over_warp(least);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&sizes->greatest, bits_of(greatest));
        atomicMin(&sizes->least, bits_of(least));
    }
}

/* One lane a point, k ascending; 32 coordinates of 32 points are staged, so that reads are whole rows. */
__global__ void __launch_bounds__(32) lengths_of(const double *y, uint32_t count, uint32_t d, frame_sizes *sizes)
{
    __shared__ double staged[32][33];
    const uint32_t lane = threadIdx.x, first = blockIdx.x * 32;
    double square = 0;
    for (uint32_t k = 0; k < d; k += 32) {
        __syncwarp();
        for (uint32_t r = 0; r < 32; r++)
            staged[r][lane] = first + r < count && k + lane < d ? y[static_cast<size_t>(first + r) * d + k + lane] : 0;
        __syncwarp();
        for (uint32_t c = 0; c < 32; c++)
            square = __dadd_rn(square, __dmul_rn(staged[lane][c], staged[lane][c]));
    }
    const double longest = greatest_over_warp(__dsqrt_rn(square)); /* fmax leaves NaN out */
    if (lane == 0 && longest > 0)
        atomicMax(&sizes->longest, bits_of(longest));
}

/* ---- one point ---- */

struct frame_steps {
    const double *centre, *signs; /* [d]; nullptr: none */
    double factor;                /* 2^power, 1 if it is not in the range of numbers */
    int far_power;                /* that power then; otherwise 0 */
};

__device__ double scaled_by(const frame_steps &f, double y)
{
    return f.far_power != 0 ? ldexp(y, f.far_power) : __dmul_rn(y, f.factor);
}

template <class stored>
__global__ void frame_coordinates(const stored *rows, uint32_t values, uint32_t d, frame_steps f, double *y)
{
    const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, k = at % d;
    if (at >= values)
        return;
    double x = wide(rows[at]);
    if (f.centre)
        x = __dsub_rn(x, f.centre[k]);
    y[at] = f.signs ? __dmul_rn(x, f.signs[k]) : scaled_by(f, x);
}

/* One stage of a product with a Hadamard matrix. half: a power of two. */
__device__ __forceinline__ void add_and_subtract(double *y, uint32_t size, uint32_t half)
{
    for (uint32_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
        const uint32_t k = (i & ~(half - 1)) * 2 + (i & (half - 1));
        const double a = y[k], b = y[k + half];
        y[k] = __dadd_rn(a, b);
        y[k + half] = __dsub_rn(a, b);
    }
    __syncthreads();
}

constexpr uint32_t most_staged = 4096; /* coordinates, 32 KB */

/* Multiplies `size` coordinates of a row by a Hadamard matrix: the stages of near coordinates in shared memory. */
__device__ void mix_block(double *y, uint32_t size, const frame_steps &f, double *staged)
{
    const uint32_t at_once = min(size, most_staged);
    for (uint32_t first = 0; first < size; first += at_once) {
        for (uint32_t k = threadIdx.x; k < at_once; k += blockDim.x)
            staged[k] = y[first + k];
        __syncthreads();
        for (uint32_t half = 1; half < at_once; half *= 2)
            add_and_subtract(staged, at_once, half);
        for (uint32_t k = threadIdx.x; k < at_once; k += blockDim.x)
            y[first + k] = staged[k];
        __syncthreads();
    }
    for (uint32_t half = at_once; half < size; half *= 2)
        add_and_subtract(y, size, half);
    const double length = __ddiv_rn(1, __dsqrt_rn(size));
    for (uint32_t k = threadIdx.x; k < size; k += blockDim.x)
        y[k] = scaled_by(f, __dmul_rn(y[k], length));
}

/* One block a row. */
__global__ void __launch_bounds__(256) mix_rows(double *y, uint32_t d, frame_steps f)
{
    __shared__ double staged[most_staged];
    double *row = y + static_cast<size_t>(blockIdx.x) * d;
    for (uint32_t begin = 0; begin < d;) {
        const uint32_t size = 1u << (31 - __clz(static_cast<int>(d - begin)));
        mix_block(row + begin, size, f, staged);
        begin += size;
    }
}

eb_code copy_table(const double *from, size_t count, device_array<double> &to, cudaStream_t stream, eb_status *status)
{
    EB_TRY(to.reserve(count, preparing, status));
    EB_CUDA(cudaMemcpyAsync(to.get(), from, count * sizeof *from, cudaMemcpyHostToDevice, stream), preparing);
    EB_CUDA(cudaStreamSynchronize(stream), preparing);
    return EB_OK;
}

} // namespace

eb_code add_rows(eb_dtype dtype, const unsigned char *rows, size_t count, size_t d, double *sums, cudaStream_t stream,
                 eb_status *status)
{
    for (size_t at = 0; at < count; at += rows_a_launch) {
        const auto here = static_cast<uint32_t>(std::min(rows_a_launch, count - at));
        with_stored_type(dtype, [&](auto value) {
            const auto *from = reinterpret_cast<const decltype(value) *>(rows) + at * d;
            add_stored<<<blocks_for(d, sum_columns), sum_threads, 0, stream>>>(from, here, static_cast<uint32_t>(d),
                                                                               sums);
        });
        EB_CUDA(cudaGetLastError(), finding);
    }
    return EB_OK;
}

eb_code take_sizes(const double *y, size_t count, size_t d, bool lengths, frame_sizes *sizes, cudaStream_t stream,
                   eb_status *status)
{
    const auto values = static_cast<uint32_t>(count * d);
    sizes_of<<<std::min(blocks_for(values, 256), 2048u), 256, 0, stream>>>(y, values, sizes);
    EB_CUDA(cudaGetLastError(), finding);
    if (lengths)
        lengths_of<<<blocks_for(count, 32), 32, 0, stream>>>(y, static_cast<uint32_t>(count), static_cast<uint32_t>(d),
                                                             sizes);
    EB_CUDA(cudaGetLastError(), finding);
    return EB_OK;
}

eb_code device_frame::copy(const eb_frame *frame, cudaStream_t stream, eb_status *status)
{
    frame_ = frame;
    if (frame->centre)
        EB_TRY(copy_table(frame->centre, frame->d, centre_, stream, status));
    if (!frame->rung->rotated)
        return EB_OK;
    std::vector<double> signs(frame->d);
    for (size_t k = 0; k < frame->d; k++)
        signs[k] = eb_frame_sign(k);
    return copy_table(signs.data(), frame->d, signs_, stream, status);
}

eb_code device_frame::apply(eb_dtype dtype, const unsigned char *rows, size_t count, bool scaled, double *y,
                            cudaStream_t stream, eb_status *status) const
{
    const int power = scaled ? frame_->power : 0;
    const bool in_range = std::abs(power) < 1000; /* as in eb_frame_apply */
    const frame_steps f = {centre_.get(), signs_.get(), std::ldexp(1, in_range ? power : 0), in_range ? 0 : power};
    const auto d = static_cast<uint32_t>(frame_->d), values = static_cast<uint32_t>(count * d);
    with_stored_type(dtype, [&](auto value) {
        frame_coordinates<<<blocks_for(values, 256), 256, 0, stream>>>(reinterpret_cast<const decltype(value) *>(rows),
                                                                       values, d, f, y);
    });
    EB_CUDA(cudaGetLastError(), preparing);
    if (f.signs)
        mix_rows<<<static_cast<unsigned>(count), std::clamp(d / 64 * 32, 32u, 256u), 0, stream>>>(y, d, f);
    EB_CUDA(cudaGetLastError(), preparing);
    return EB_OK;
}

} // namespace eb
