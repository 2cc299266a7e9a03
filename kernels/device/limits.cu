/* limits: measures what this GPU can reach at best. epsbench shows every rate as a share of such a limit, too.
 *
 * Arithmetic limits are loops of one instruction on registers, with enough independent chains to hide its latency. The
 * operands are not zero: zeros draw less power and run faster than real data. Memory limits are plain copies. Each
 * limit is the best of three launches of some 10 ms after a warm-up.
 */
#include <type_traits>

#include "kernels/device/gpu.cuh"
#include "kernels/parts/mma.cuh"
#include "kernels/parts/wgmma.cuh"

extern "C" {
#include "kernels/device/cuda.h"
}

namespace eb {

namespace {

constexpr int chains = 8, limit_threads = 256;

/* Other bits for each thread and seed. */
__device__ uint32_t random_bits(uint32_t seed)
{
    uint32_t z = (seed + blockIdx.x * 4099u + threadIdx.x) * 0x9e3779b9u;
    z ^= z >> 15;
    z *= 0x85ebca6bu;
    return z ^ z >> 13;
}

__device__ double operand_f64(uint32_t seed) { return 1.0 + 0x1p-32 * static_cast<double>(random_bits(seed)); }

/* A type of tensor cores: coordinates in 32 bytes, a register of values in ±[1, 2), and its instructions. */
#define EB_LIMIT_TYPE(name, call, sum, coordinates, random, ones)                                                      \
    struct name {                                                                                                      \
        using value = sum;                                                                                             \
        static constexpr int length = coordinates;                                                                     \
        static __device__ uint32_t operands(uint32_t seed) { return (random_bits(seed) & (random)) | (ones); }         \
        static __device__ void multiply(value (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)               \
        {                                                                                                              \
            mma_##call(d, a, b0, b1);                                                                                  \
        }                                                                                                              \
        template <int columns>                                                                                         \
        static __device__ void multiply(value (&d)[columns][4], uint64_t a, uint64_t b, int accumulate)                \
        {                                                                                                              \
            wgmma_##call(d, a, b, accumulate);                                                                         \
        }                                                                                                              \
    };
EB_LIMIT_TYPE(of_f16, f16, float, 16, 0x83ff83ffu, 0x3c003c00u)
EB_LIMIT_TYPE(of_bf16, bf16, float, 16, 0x807f807fu, 0x3f803f80u)
EB_LIMIT_TYPE(of_tf32, tf32, float, 8, 0x807fffffu, 0x3f800000u)
EB_LIMIT_TYPE(of_e4m3, e4m3, float, 32, 0x87878787u, 0x38383838u)
EB_LIMIT_TYPE(of_bytes, bytes<false>, int, 32, 0xffffffffu, 0u)
#undef EB_LIMIT_TYPE

template <class type> __global__ void __launch_bounds__(limit_threads) mma_loop(int rounds, float *sink)
{
    const uint32_t a[4] = {type::operands(1), type::operands(2), type::operands(3), type::operands(4)};
    /* FP8 is computed by FP16's instructions on sm_90: equal products would be computed once. So each chain has columns
     * of its own then, which change for all that the compiler knows. Elsewhere that would take a sixth of the rate. */
    constexpr bool changes = std::is_same_v<type, of_e4m3>;
    const uint32_t nothing = static_cast<uint32_t>(rounds) >> 30, b1 = type::operands(6);
    uint32_t b0[chains];
    typename type::value d[chains][4] = {};
#pragma unroll
    for (int c = 0; c < chains; c++)
        b0[c] = type::operands(7 + (changes ? static_cast<uint32_t>(c) : 0));
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int c = 0; c < chains; c++) {
            type::multiply(d[c], a, b0[c], b1);
            if constexpr (changes)
                b0[c] += nothing;
        }
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
template <class type> __global__ void __launch_bounds__(limit_threads) wgmma_loop(int rounds, float *sink)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ __align__(1024) uint32_t rows[wgmma_rows * 32]; /* 128 bytes a row: all of a block's 48 KB */
    for (uint32_t x = threadIdx.x; x < wgmma_rows * 32; x += limit_threads)
        rows[x] = type::operands(x * 31 + 7);
    shared_fence();
    __syncthreads();
    const uint32_t start = shared_address(rows);
    const uint64_t a = operand(start + threadIdx.x / 128 * 64 * 128), b = operand(start + 2 * 64 * 128);
    typename type::value d[32][4];
    for (int r = 0; r < rounds; r++) {
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < wgmma_steps; step++)
            type::multiply(d, a + step * operand_step, b + step * operand_step, r > 0 || step > 0);
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

/* FLOPs of a thread per chain and round: a warp's m16n8 with the coordinates of 32 bytes, shared by 32 threads; a
 * warpgroup's m64n256 over 128 bytes, shared by 128, spread over the chains that arithmetic_limit counts. */
template <class type> constexpr double mma_flops = 2.0 * 16 * 8 * type::length / 32;
template <class type> constexpr double wgmma_flops = 2.0 * 64 * 256 * type::length * wgmma_steps / 128 / chains;

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
    int major = 0, minor = 0;
    EB_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
            "asking the GPU for its architecture");
    EB_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
            "asking the GPU for its architecture");
    const auto measure = [&](eb_limit which, void (*kernel)(int, float *), double flops_a_thread_round) {
        return arithmetic_limit(kernel, flops_a_thread_round, sms, sink.get(), job, &limit[which], status);
    };
    EB_TRY(measure(EB_LIMIT_MMA_F16, mma_loop<of_f16>, mma_flops<of_f16>));
    EB_TRY(measure(EB_LIMIT_MMA_BF16, mma_loop<of_bf16>, mma_flops<of_bf16>));
    EB_TRY(measure(EB_LIMIT_MMA_TF32, mma_loop<of_tf32>, mma_flops<of_tf32>));
    if (10 * major + minor >= 89)
        EB_TRY(measure(EB_LIMIT_MMA_FP8, mma_loop<of_e4m3>, mma_flops<of_e4m3>));
    EB_TRY(measure(EB_LIMIT_MMA_I8, mma_loop<of_bytes>, mma_flops<of_bytes>));
    if (major == 9) {
        EB_TRY(measure(EB_LIMIT_WGMMA_F16, wgmma_loop<of_f16>, wgmma_flops<of_f16>));
        EB_TRY(measure(EB_LIMIT_WGMMA_BF16, wgmma_loop<of_bf16>, wgmma_flops<of_bf16>));
        EB_TRY(measure(EB_LIMIT_WGMMA_TF32, wgmma_loop<of_tf32>, wgmma_flops<of_tf32>));
        EB_TRY(measure(EB_LIMIT_WGMMA_FP8, wgmma_loop<of_e4m3>, wgmma_flops<of_e4m3>));
        EB_TRY(measure(EB_LIMIT_WGMMA_I8, wgmma_loop<of_bytes>, wgmma_flops<of_bytes>));
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
