/* tensor_probe: raw results of every tensor-core instruction of sm_90, for test_gpu_tensor. It needs the CUDA runtime
 * and nothing else.
 *
 * An instruction multiplies A (M rows) with B (8 columns, each stored as a row) over 32 bytes of each, 128 for FP64,
 * and adds C: M is 16 for mma.sync, 64 for wgmma. Operands and sums are row-major, packed. Four instructions are a
 * group: on their own, or chained, where the group has the first one's C and one D.
 */
#include <cstdint>
#include <cuda_runtime.h>

#include "tests/gpu/tensor_probe.h"

namespace {

[[maybe_unused]] constexpr int group = EB_PROBE_GROUP;

/* ---- mma.sync: one warp a group ---- */

#define EB_MMA_F32(shape, types)                                                                                       \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "        \
                 "{%0,%1,%2,%3};"                                                                                      \
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define EB_MMA_F16(shape, types)                                                                                       \
    asm volatile("mma.sync.aligned." shape ".row.col.f16." types ".f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"      \
                 : "+r"(d[0]), "+r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define EB_MMA_S32(shape, types)                                                                                       \
    asm volatile("mma.sync.aligned." shape ".row.col.s32." types ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "        \
                 "{%0,%1,%2,%3};"                                                                                      \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <eb_probe path>
__device__ __forceinline__ void multiply(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    if constexpr (path == EB_MMA_F16_F16) {
        EB_MMA_F16("m16n8k16", "f16.f16");
    } else if constexpr (path == EB_MMA_E4M3_F16) {
        EB_MMA_F16("m16n8k32", "e4m3.e4m3");
    } else if constexpr (path == EB_MMA_E5M2_F16) {
        EB_MMA_F16("m16n8k32", "e5m2.e5m2");
    } else if constexpr (path == EB_MMA_S8) {
        EB_MMA_S32("m16n8k32", "s8.s8");
    } else {
        float f[4];
        for (int e = 0; e < 4; e++)
            f[e] = __uint_as_float(d[e]);
        if constexpr (path == EB_MMA_F16_F32)
            EB_MMA_F32("m16n8k16", "f16.f16");
        else if constexpr (path == EB_MMA_BF16)
            EB_MMA_F32("m16n8k16", "bf16.bf16");
        else if constexpr (path == EB_MMA_TF32)
            EB_MMA_F32("m16n8k8", "tf32.tf32");
        else if constexpr (path == EB_MMA_E4M3_F32)
            EB_MMA_F32("m16n8k32", "e4m3.e4m3");
        else
            EB_MMA_F32("m16n8k32", "e5m2.e5m2");
        for (int e = 0; e < 4; e++)
            d[e] = __float_as_uint(f[e]);
    }
}

/* Words of a lane's sums: element e of rows row, row + 8 and columns 2t, 2t + 1; two FP16 are a word. */
template <bool half> __device__ __forceinline__ size_t word_of(int row, int lane, int e)
{
    return half ? (row + 8 * e) * 4 + lane % 4 : (row + 8 * (e / 2)) * 8 + 2 * (lane % 4) + e % 2;
}

/* With g = lane/4 and t = lane%4, bytes 4t … 4t + 3 of row g, row g + 8, and the same 16 bytes further on. */
template <eb_probe path>
__global__ void mma_blocks(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out, size_t groups,
                           bool chained)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    constexpr bool half = path == EB_MMA_F16_F16 || path == EB_MMA_E4M3_F16 || path == EB_MMA_E5M2_F16;
    constexpr int elements = half ? 2 : 4, words = half ? 64 : 128;
    const size_t which = blockIdx.x * static_cast<size_t>(blockDim.x / 32) + threadIdx.x / 32;
    if (which >= groups)
        return;
    const int lane = static_cast<int>(threadIdx.x % 32), g = lane / 4, t = lane % 4;
    uint32_t d[4] = {};
    for (int s = 0; s < group; s++) {
        const size_t x = which * group + s;
        const uint32_t *rows = a + x * 128, *columns = b + x * 64;
        const uint32_t of_a[4] = {rows[g * 8 + t], rows[(g + 8) * 8 + t], rows[g * 8 + 4 + t],
                                  rows[(g + 8) * 8 + 4 + t]},
                       of_b[2] = {columns[g * 8 + t], columns[g * 8 + 4 + t]};
        if (s == 0 || !chained)
            for (int e = 0; e < elements; e++)
                d[e] = c[x * words + word_of<half>(g, lane, e)];
        multiply<path>(d, of_a, of_b);
        if (!chained || s + 1 == group)
            for (int e = 0; e < elements; e++)
                out[(chained ? which * group : x) * words + word_of<half>(g, lane, e)] = d[e];
    }
#endif
}

/* mma.m16n8k16 f64: A[g + 8·(e%2)][t + 4·(e/2)], B[t + 4·e][g]. */
__global__ void mma_blocks_f64(const double *a, const double *b, const double *c, double *out, size_t groups,
                               bool chained)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    const size_t which = blockIdx.x * static_cast<size_t>(blockDim.x / 32) + threadIdx.x / 32;
    if (which >= groups)
        return;
    const int lane = static_cast<int>(threadIdx.x % 32), g = lane / 4, t = lane % 4;
    double d[4] = {};
    for (int s = 0; s < group; s++) {
        const size_t x = which * group + s;
        double of_a[8], of_b[4];
        for (int e = 0; e < 8; e++)
            of_a[e] = a[x * 256 + (g + 8 * (e % 2)) * 16 + t + 4 * (e / 2)];
        for (int e = 0; e < 4; e++)
            of_b[e] = b[x * 128 + g * 16 + t + 4 * e];
        if (s == 0 || !chained)
            for (int e = 0; e < 4; e++)
                d[e] = c[x * 128 + word_of<false>(g, lane, e)];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
                     "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(of_a[0]), "d"(of_a[1]), "d"(of_a[2]), "d"(of_a[3]), "d"(of_a[4]), "d"(of_a[5]), "d"(of_a[6]),
                       "d"(of_a[7]), "d"(of_b[0]), "d"(of_b[1]), "d"(of_b[2]), "d"(of_b[3]));
        if (!chained || s + 1 == group)
            for (int e = 0; e < 4; e++)
                out[(chained ? which * group : x) * 128 + word_of<false>(g, lane, e)] = d[e];
    }
#endif
}

/* ---- wgmma: one warpgroup a group ---- */

/* Rows of 128 bytes hold the four instructions' operands. Chunk c of row r, 16 bytes, is at place c ⊕ (r mod 8). */
[[maybe_unused]] __device__ __forceinline__ void store_rows(uint4 *shared, const uint4 *rows, int count, size_t stride)
{
    for (int k = static_cast<int>(threadIdx.x); k < count * 8; k += 128) {
        const int row = k / 8, chunk = k % 8;
        shared[row * 8 + (chunk ^ row % 8)] = rows[(chunk / 2) * stride + row * 2 + chunk % 2];
    }
}

/* Descriptor of a K-major operand in rows of 128 bytes, swizzled, 8 rows in 1024 bytes. */
[[maybe_unused]] __device__ __forceinline__ uint64_t operand(const void *shared)
{
    const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(shared));
    return (address & 0x3ffff) >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}
[[maybe_unused]] constexpr uint64_t operand_step = 32 >> 4;

#define EB_WGMMA(types, names, last)                                                                                   \
    "{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8" types          \
    " " names ", p" last "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
#define EB_WGMMA_F32(types, last)                                                                                      \
    asm volatile(EB_WGMMA(types, "{%0,%1,%2,%3}, %4, %5", last)                                                        \
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])                                                      \
                 : "l"(a), "l"(b)                                                                                      \
                 : "memory")
#define EB_WGMMA_F16(types, last)                                                                                      \
    asm volatile(EB_WGMMA(types, "{%0,%1}, %2, %3", last) : "+r"(d[0]), "+r"(d[1]) : "l"(a), "l"(b) : "memory")
#define EB_WGMMA_S32(types)                                                                                            \
    asm volatile(EB_WGMMA(types, "{%0,%1,%2,%3}, %4, %5", "")                                                          \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                      \
                 : "l"(a), "l"(b)                                                                                      \
                 : "memory")

template <eb_probe path> __device__ __forceinline__ void multiply_shared(uint32_t (&d)[4], uint64_t a, uint64_t b)
{
    if constexpr (path == EB_WGMMA_F16_F16) {
        EB_WGMMA_F16("k16.f16.f16.f16", ", 1, 1, 0, 0");
    } else if constexpr (path == EB_WGMMA_E4M3_F16) {
        EB_WGMMA_F16("k32.f16.e4m3.e4m3", ", 1, 1");
    } else if constexpr (path == EB_WGMMA_E5M2_F16) {
        EB_WGMMA_F16("k32.f16.e5m2.e5m2", ", 1, 1");
    } else if constexpr (path == EB_WGMMA_S8) {
        EB_WGMMA_S32("k32.s32.s8.s8");
    } else {
        float f[4];
        for (int e = 0; e < 4; e++)
            f[e] = __uint_as_float(d[e]);
        if constexpr (path == EB_WGMMA_F16_F32)
            EB_WGMMA_F32("k16.f32.f16.f16", ", 1, 1, 0, 0");
        else if constexpr (path == EB_WGMMA_BF16)
            EB_WGMMA_F32("k16.f32.bf16.bf16", ", 1, 1, 0, 0");
        else if constexpr (path == EB_WGMMA_TF32)
            EB_WGMMA_F32("k8.f32.tf32.tf32", ", 1, 1");
        else if constexpr (path == EB_WGMMA_E4M3_F32)
            EB_WGMMA_F32("k32.f32.e4m3.e4m3", ", 1, 1");
        else
            EB_WGMMA_F32("k32.f32.e5m2.e5m2", ", 1, 1");
        for (int e = 0; e < 4; e++)
            d[e] = __float_as_uint(f[e]);
    }
}

/* Warp w has rows 16w + g and 16w + g + 8. */
template <eb_probe path>
__global__ void __launch_bounds__(128)
    wgmma_blocks(const uint4 *a, const uint4 *b, const uint32_t *c, uint32_t *out, size_t groups, bool chained)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    constexpr bool half = path == EB_WGMMA_F16_F16 || path == EB_WGMMA_E4M3_F16 || path == EB_WGMMA_E5M2_F16;
    constexpr int elements = half ? 2 : 4, words = half ? 256 : 512;
    __shared__ __align__(1024) uint4 shared[(64 + 8) * 8];
    const size_t which = blockIdx.x;
    const int lane = static_cast<int>(threadIdx.x % 32), row = static_cast<int>(threadIdx.x / 32) * 16 + lane / 4;
    store_rows(shared, a + which * group * 128, 64, 128);
    store_rows(shared + 64 * 8, b + which * group * 16, 8, 16);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint32_t d[4] = {};
    for (int s = 0; s < group; s++) {
        const size_t x = which * group + s;
        if (s == 0 || !chained)
            for (int e = 0; e < elements; e++)
                d[e] = c[x * words + word_of<half>(row, lane, e)];
        multiply_shared<path>(d, operand(shared) + s * operand_step, operand(shared + 64 * 8) + s * operand_step);
        if (!chained || s + 1 == group)
            for (int e = 0; e < elements; e++)
                out[(chained ? which * group : x) * words + word_of<half>(row, lane, e)] = d[e];
    }
#endif
}

/* ---- launching ---- */

using kernel = void (*)(const uint32_t *, const uint32_t *, const uint32_t *, uint32_t *, size_t, bool);
using shared_kernel = void (*)(const uint4 *, const uint4 *, const uint32_t *, uint32_t *, size_t, bool);

void launch(eb_probe path, const void *a, const void *b, const void *c, void *d, size_t groups, bool chained)
{
    static const kernel mma[] = {mma_blocks<EB_MMA_F16_F32>,  mma_blocks<EB_MMA_BF16>,     mma_blocks<EB_MMA_TF32>,
                                 mma_blocks<EB_MMA_E4M3_F32>, mma_blocks<EB_MMA_E5M2_F32>, mma_blocks<EB_MMA_F16_F16>,
                                 mma_blocks<EB_MMA_E4M3_F16>, mma_blocks<EB_MMA_E5M2_F16>, mma_blocks<EB_MMA_S8>};
    static const shared_kernel wgmma[] = {wgmma_blocks<EB_WGMMA_F16_F32>,  wgmma_blocks<EB_WGMMA_BF16>,
                                          wgmma_blocks<EB_WGMMA_TF32>,     wgmma_blocks<EB_WGMMA_E4M3_F32>,
                                          wgmma_blocks<EB_WGMMA_E5M2_F32>, wgmma_blocks<EB_WGMMA_F16_F16>,
                                          wgmma_blocks<EB_WGMMA_E4M3_F16>, wgmma_blocks<EB_WGMMA_E5M2_F16>,
                                          wgmma_blocks<EB_WGMMA_S8>};
    const unsigned warps = static_cast<unsigned>((groups + 3) / 4);
    if (path == EB_MMA_F64)
        mma_blocks_f64<<<warps, 128>>>(static_cast<const double *>(a), static_cast<const double *>(b),
                                       static_cast<const double *>(c), static_cast<double *>(d), groups, chained);
    else if (path < EB_MMA_F64)
        mma[path]<<<warps, 128>>>(static_cast<const uint32_t *>(a), static_cast<const uint32_t *>(b),
                                  static_cast<const uint32_t *>(c), static_cast<uint32_t *>(d), groups, chained);
    else
        wgmma[path - EB_WGMMA_F16_F32]<<<static_cast<unsigned>(groups), 128>>>(static_cast<const uint4 *>(a),
                                                                               static_cast<const uint4 *>(b),
                                                                               static_cast<const uint32_t *>(c),
                                                                               static_cast<uint32_t *>(d), groups,
                                                                               chained);
}

} // namespace

extern "C" const char *test_tensor_device(char *name, size_t size, bool *is_sm90)
{
    cudaDeviceProp properties;
    const cudaError_t failed = cudaGetDeviceProperties(&properties, 0);
    if (failed != cudaSuccess)
        return cudaGetErrorString(failed);
    for (size_t k = 0; k < size; k++)
        name[k] = k + 1 < size && k < sizeof properties.name ? properties.name[k] : '\0';
    *is_sm90 = properties.major == 9 && properties.minor == 0;
    return nullptr;
}

extern "C" const char *test_tensor_run(eb_probe path, const eb_probe_sizes *bytes, const void *a, const void *b,
                                       const void *c, void *d, size_t groups, bool chained)
{
    void *on_gpu[4] = {};
    const size_t size[4] = {bytes->a, bytes->b, bytes->c, bytes->c};
    const void *from[3] = {a, b, c};
    cudaError_t failed = cudaSuccess;
    for (int k = 0; k < 4 && failed == cudaSuccess; k++)
        failed = cudaMalloc(&on_gpu[k], size[k]);
    for (int k = 0; k < 3 && failed == cudaSuccess; k++)
        failed = cudaMemcpy(on_gpu[k], from[k], size[k], cudaMemcpyHostToDevice);
    if (failed == cudaSuccess) {
        launch(path, on_gpu[0], on_gpu[1], on_gpu[2], on_gpu[3], groups, chained);
        failed = cudaGetLastError();
    }
    if (failed == cudaSuccess)
        failed = cudaMemcpy(d, on_gpu[3], size[3], cudaMemcpyDeviceToHost);
    for (void *memory : on_gpu)
        cudaFree(memory);
    return failed == cudaSuccess ? nullptr : cudaGetErrorString(failed);
}
