/* mma: the PTX instructions of the tensor-core engines, each with its fragment layout.
 *
 * mma.sync m16n8k16, FP16 in, FP32 accumulate: D (16 × 8) += A (16 × 16, row-major) · B (16 × 8, column-major). With g
 * = lane/4 and t = lane%4, a lane holds D[g][2t], D[g][2t+1], D[g+8][2t], D[g+8][2t+1]. Point j of the right operand is
 * column j of B, so B column-major is the points' own row-major order: nothing is transposed.
 *
 * ldmatrix.x4 distributes four 8 × 8 matrices of FP16; lane l gives the address of the 16-byte row l%8 of matrix l/8.
 * For A the matrices are (rows 0–7, k 0–7), (rows 8–15, k 0–7), (rows 0–7, k 8–15), (rows 8–15, k 8–15): lane l points
 * at row l%16, chunk l/16. For two neighbouring B blocks they are (n 0–7, k 0–7), (n 0–7, k 8–15), (n 8–15, k 0–7), (n
 * 8–15, k 8–15): row l%8 + 8·(l/16), chunk (l/8)%2.
 *
 * mma.m16n8k16 f64 (sm_90): with g = lane/4, t = lane%4 a lane holds A[g + 8·(e%2)][t + 4·(e/2)] for e = 0 … 7, B[t +
 * 4·e][g] for e = 0 … 3, and D[g][2t], D[g][2t+1], D[g+8][2t], D[g+8][2t+1]. m16n8k4, and m8n8k4 on sm_80, process four
 * dimensions of it in the same ascending order of k. All chain IEEE FMAs, so the bits agree.
 */
#pragma once

#include <cstdint>

namespace eb {

__device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void load_matrices(uint32_t (&fragment)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(address));
}

/* Loads two matrices: lanes 0–15 give their rows' addresses. */
__device__ __forceinline__ void load_two_matrices(uint32_t &first, uint32_t &second, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(first), "=r"(second) : "r"(address));
}

/* All with mma_f16's layout: two 16-bit coordinates, one of TF32 or four of FP8 in a register. FP8 from sm_89 on. */
#define EB_MMA_F32(name, types)                                                                                        \
    __device__ __forceinline__ void name(float(&d)[4], const uint32_t(&a)[4], uint32_t b0, uint32_t b1)                \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned." types ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"            \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                  \
    }
EB_MMA_F32(mma_f16, "m16n8k16.row.col.f32.f16.f16")
EB_MMA_F32(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16")
EB_MMA_F32(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32")
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
EB_MMA_F32(mma_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3")
EB_MMA_F32(mma_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2")
#else
__device__ __forceinline__ void mma_e4m3(float (&)[4], const uint32_t (&)[4], uint32_t, uint32_t) {}
__device__ __forceinline__ void mma_e5m2(float (&)[4], const uint32_t (&)[4], uint32_t, uint32_t) {}
#endif
#undef EB_MMA_F32

/* With FP16 sums, two in a register: d[0] holds row g's of columns 2t and 2t + 1, d[1] row g + 8's. */
#define EB_MMA_F16(name, types)                                                                                        \
    __device__ __forceinline__ void name(uint32_t(&d)[2], const uint32_t(&a)[4], uint32_t b0, uint32_t b1)             \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned." types ".f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"                        \
                     : "+r"(d[0]), "+r"(d[1])                                                                          \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                  \
    }
EB_MMA_F16(mma_f16, "m16n8k16.row.col.f16.f16.f16")
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
EB_MMA_F16(mma_e4m3, "m16n8k32.row.col.f16.e4m3.e4m3")
EB_MMA_F16(mma_e5m2, "m16n8k32.row.col.f16.e5m2.e5m2")
#else
__device__ __forceinline__ void mma_e4m3(uint32_t (&)[2], const uint32_t (&)[4], uint32_t, uint32_t) {}
__device__ __forceinline__ void mma_e5m2(uint32_t (&)[2], const uint32_t (&)[4], uint32_t, uint32_t) {}
#endif
#undef EB_MMA_F16

/* m16n8k32 of bytes, exact while the sums fit 32 bits. Fragments have mma_f16's layout, with two bytes in place of an
 * FP16. */
template <bool is_signed>
__device__ __forceinline__ void mma_bytes(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if constexpr (is_signed)
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Four dimensions: A[g][t], A[g + 8][t], B[t][g]. */
__device__ __forceinline__ void mma_f64_step(double (&d)[4], double upper, double lower, double b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(upper), "d"(lower), "d"(b));
#else
#pragma unroll
    for (int half = 0; half < 2; half++)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                     : "d"(half ? lower : upper), "d"(b));
#endif
}

__device__ __forceinline__ void mma_f64(double (&d)[4], const double (&a)[8], const double (&b)[4])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
                 "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
                   "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
#pragma unroll
    for (int step = 0; step < 4; step++)
        mma_f64_step(d, a[2 * step], a[2 * step + 1], b[step]);
#endif
}

/* Copies 16 bytes from global to shared memory, past L1 (.cg): tiles are reused from shared memory, not from L1. */
__device__ __forceinline__ void copy_async(uint32_t shared, const void *global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
}

__device__ __forceinline__ void copy_async_8(uint32_t shared, const void *global)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(global));
}

__device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;"); }

/* Waits until at most `pending` of this thread's newest groups are in flight. */
template <int pending> __device__ __forceinline__ void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(pending));
}

} // namespace eb
