/* limits: measures what this GPU can reach at best. epsbench shows every rate as a share of such a limit, too.
 *
 * Arithmetic limits are loops of one instruction on registers, with enough independent chains to hide its latency. The
 * operands are not zero: zeros draw less power and run faster than real data. Memory limits are plain copies. Each
 * limit is the best of three launches of some 10 ms after a warm-up.
 */
#include "kernels/device/gpu.cuh"
#include "kernels/parts/mma.cuh"
#include "kernels/parts/wgmma.cuh"

extern "C" {
#include "kernels/device/cuda.h"
}

namespace eb {

namespace {

constexpr int chains = 8, limit_threads = 256;

/* Different operand bits for each thread: FP16 values in ±[1, 2). */
__device__ uint32_t operand_f16(uint32_t seed)
{
    uint32_t z = (seed + blockIdx.x * 4099u + threadIdx.x) * 0x9e3779b9u;
    z ^= z >> 15;
    z *= 0x85ebca6bu;
    z ^= z >> 13;
    return (z & 0x83ff83ffu) | 0x3c003c00u;
}

__device__ double operand_f64(uint32_t seed)
{
    return 1.0 + 0x1p-32 * static_cast<double>(operand_f16(seed) * 2654435761u);
}

__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) { mma_f16(d, a, b0, b1); }
__device__ void multiply(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    mma_bytes<false>(d, a, b0, b1);
}

template <class value> __global__ void __launch_bounds__(limit_threads) mma_loop(int rounds, float *sink)
{
    const uint32_t a[4] = {operand_f16(1), operand_f16(2), operand_f16(3), operand_f16(4)};
    const uint32_t b0 = operand_f16(5), b1 = operand_f16(6);
    value d[chains][4] = {};
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int c = 0; c < chains; c++)
            multiply(d[c], a, b0, b1);
    float sum = 0;
#pragma unroll
    for (int c = 0; c < chains; c++)
        sum += static_cast<float>(d[c][0]) + static_cast<float>(d[c][1]) + static_cast<float>(d[c][2]) +
               static_cast<float>(d[c][3]);
    if (sum == 12345.678f) /* never true; keeps the compiler from removing the loop */
        *sink = sum;
}

/* The wgmma loop has two warpgroups. Each multiplies its own 64 rows by the same 256 columns, again and again over 128
 * bytes of each row and column. */
[[maybe_unused]] constexpr int wgmma_rows = 2 * 64 + 256, wgmma_steps = 4;
constexpr double wgmma_flops_a_thread = 2.0 * 64 * 256 * 16 * wgmma_steps / 128; /* FP16; bytes do twice as many */

[[maybe_unused]] __device__ void multiply(float (&d)[32][4], uint64_t a, uint64_t b, int accumulate)
{
    wgmma_f16(d, a, b, accumulate);
}
[[maybe_unused]] __device__ void multiply(int (&d)[32][4], uint64_t a, uint64_t b, int accumulate)
{
    wgmma_bytes<false>(d, a, b, accumulate);
}

template <class value> __global__ void __launch_bounds__(limit_threads) wgmma_loop(int rounds, float *sink)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ __align__(1024) uint32_t rows[wgmma_rows * 32]; /* 128 bytes a row: all of a block's 48 KB */
    for (uint32_t x = threadIdx.x; x < wgmma_rows * 32; x += limit_threads)
        rows[x] = operand_f16(x * 31 + 7);
    shared_fence();
    __syncthreads();
    const uint32_t start = shared_address(rows);
    const uint64_t a = operand(start + threadIdx.x / 128 * 64 * 128), b = operand(start + 2 * 64 * 128);
    value d[32][4];
    for (int r = 0; r < rounds; r++) {
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < wgmma_steps; step++)
            multiply(d, a + step * operand_step, b + step * operand_step, r > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    float sum = 0;
    for (int c = 0; c < 32; c++)
        sum += static_cast<float>(d[c][0]) + static_cast<float>(d[c][1]) + static_cast<float>(d[c][2]) +
               static_cast<float>(d[c][3]);
    if (sum == 12345.678f)
        *sink = sum;
#endif
}

__global__ void __launch_bounds__(limit_threads) tensor_f64_loop(int rounds, float *sink)
{
    double a[8], b[4], d[chains][4] = {};
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = operand_f64(static_cast<uint32_t>(k));
#pragma unroll
    for (int k = 0; k < 4; k++)
        b[k] = operand_f64(static_cast<uint32_t>(k + 8));
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int c = 0; c < chains; c++)
            mma_f64(d[c], a, b);
    double sum = 0;
    for (int c = 0; c < chains; c++)
        sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    if (sum == 12345.678)
        *sink = static_cast<float>(sum);
}

__global__ void __launch_bounds__(limit_threads) f64_loop(int rounds, float *sink)
{
    const double x = operand_f64(1), y = operand_f64(2) - 1.5;
    double d[chains];
#pragma unroll
    for (int c = 0; c < chains; c++)
        d[c] = operand_f64(static_cast<uint32_t>(c + 3));
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int c = 0; c < chains; c++)
            d[c] = __fma_rn(d[c], y, x);
    double sum = 0;
    for (int c = 0; c < chains; c++)
        sum += d[c];
    if (sum == 12345.678)
        *sink = static_cast<float>(sum);
}

/* FLOP/s of the best of three launches. The number of rounds grows until a launch takes 10 ms. */
eb_code arithmetic_limit(void (*kernel)(int, float *), double flops_a_thread_round, int sms, float *sink, eb_job *job,
                         double *out, eb_status *status)
{
    const unsigned blocks = static_cast<unsigned>(sms) * 4;
    stopwatch watch;
    double seconds = 0, best = 0;
    int rounds = 256;
    for (int trial = 0; trial < 3;) {
        EB_TRY(eb_job_check(job, status));
        EB_TRY(watch.start(nullptr, status));
        kernel<<<blocks, limit_threads>>>(rounds, sink);
        EB_CUDA(cudaGetLastError(), "measuring the GPU's limits");
        EB_TRY(watch.stop(nullptr, &seconds, status));
        if (seconds < 0.01 && rounds < (1 << 28)) {
            rounds *= 2;
            continue;
        }
        const double rate = flops_a_thread_round * chains * rounds * blocks * limit_threads / seconds;
        best = rate > best ? rate : best;
        trial++;
    }
    *out = best;
    return EB_OK;
}

/* Bytes a second of the best of three copies, after a warm-up copy. */
eb_code copy_limit(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, eb_job *job, double *out,
                   eb_status *status)
{
    stopwatch watch;
    double seconds = 0, best = 0;
    for (int trial = 0; trial < 4; trial++) {
        EB_TRY(eb_job_check(job, status));
        EB_TRY(watch.start(nullptr, status));
        EB_CUDA(cudaMemcpyAsync(to, from, bytes, kind, nullptr), "measuring the GPU's copies");
        EB_TRY(watch.stop(nullptr, &seconds, status));
        const double rate = static_cast<double>(bytes) / seconds;
        best = trial > 0 && rate > best ? rate : best;
    }
    *out = best;
    return EB_OK;
}

eb_code measure_limits(int device, eb_job *job, double *limit, eb_status *status)
{
    EB_CUDA(cudaSetDevice(device), "choosing the GPU");
    int sms = 0;
    EB_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "asking the GPU for its size");
    constexpr size_t device_bytes = size_t{1} << 30, host_bytes = size_t{64} << 20;
    device_array<float> sink;
    EB_TRY(sink.reserve(1, "measuring the GPU's limits", status));
    int major = 0;
    EB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
            "asking the GPU for its architecture");
    const auto measure = [&](eb_limit which, void (*kernel)(int, float *), double flops_a_thread_round) {
        return arithmetic_limit(kernel, flops_a_thread_round, sms, sink.get(), job, &limit[which], status);
    };
    /* A warp's m16n8k16 is 2·16·8·16 FLOPs, shared by 32 threads. */
    EB_TRY(measure(EB_LIMIT_MMA_F16, mma_loop<float>, 2.0 * 16 * 8 * 16 / 32));
    EB_TRY(measure(EB_LIMIT_MMA_I8, mma_loop<int>, 2.0 * 16 * 8 * 32 / 32));
    if (major == 9) {
        EB_TRY(measure(EB_LIMIT_WGMMA_F16, wgmma_loop<float>, wgmma_flops_a_thread / chains));
        EB_TRY(measure(EB_LIMIT_WGMMA_I8, wgmma_loop<int>, 2 * wgmma_flops_a_thread / chains));
    }
    EB_TRY(measure(EB_LIMIT_MMA_F64, tensor_f64_loop, 2.0 * 16 * 8 * 16 / 32));
    EB_TRY(measure(EB_LIMIT_F64, f64_loop, 2));
    device_array<unsigned char> from, to;
    pinned_array<unsigned char> host;
    EB_TRY(from.reserve(device_bytes, "measuring the GPU's copies", status));
    EB_TRY(to.reserve(device_bytes, "measuring the GPU's copies", status));
    EB_TRY(host.reserve(host_bytes, "measuring the GPU's copies", status));
    EB_CUDA(cudaMemset(from.get(), 0x5a, device_bytes), "measuring the GPU's copies");
    EB_TRY(
        copy_limit(to.get(), from.get(), device_bytes, cudaMemcpyDeviceToDevice, job, &limit[EB_LIMIT_COPY], status));
    limit[EB_LIMIT_COPY] *= 2; /* each byte is read and written */
    EB_TRY(copy_limit(to.get(), host.get(), host_bytes, cudaMemcpyHostToDevice, job, &limit[EB_LIMIT_UPLOAD], status));
    return copy_limit(host.get(), from.get(), host_bytes, cudaMemcpyDeviceToHost, job, &limit[EB_LIMIT_DOWNLOAD],
                      status);
}

} // namespace

} // namespace eb

extern "C" eb_code eb_cuda_limits(int device, eb_job *job, double limit[EB_LIMITS], eb_status *status)
{
    for (int k = 0; k < EB_LIMITS; k++)
        limit[k] = 0;
    return eb::measure_limits(device, job, limit, status);
}
