/* wgmma: Hopper's warpgroup instructions: mma from shared memory, copies by the TMA unit, barriers in shared memory.
 * sm_90a only.
 *
 * wgmma m64n256k16, FP16 in, FP32 accumulate: the four warps of a warpgroup compute D (64 × 256) += A (64 × 16) · Bᵀ
 * (256 × 16). Both operands are in shared memory, in rows of 128 bytes swizzled as in stage.cuh (chunk c of row r at
 * place c ⊕ (r mod 8)), groups of 8 rows 1024 bytes apart, or in shorter rows, as the TMA unit swizzles them. Warp w
 * holds rows 16w + g and 16w + g + 8 (g = lane/4), and of each 8 columns 2t and 2t + 1 (t = lane%4): d[c] =
 * D[16w+g][8c+2t], D[16w+g][8c+2t+1], D[16w+g+8][8c+2t], D[16w+g+8][8c+2t+1], as mma.sync's blocks (mma.cuh). The sums
 * have mma.sync's bits: 16 products and the previous sum are aligned together.
 *
 * Accumulators must not be accessed between fence and wait.
 */
#pragma once

#include <cstdint>

#include <cuda.h>

namespace eb {

/* ---- operands ---- */

/* Descriptor of a matrix of rows of 128, 64 or 32 bytes, swizzled, at a shared address that is a multiple of 1024. The
 * address is in its lower word, in units of 16 bytes. */
__device__ __forceinline__ uint32_t operand_place(uint32_t address) { return (address & 0x3ffff) >> 4 | 1u << 16; }
template <int row = 128> __device__ __forceinline__ uint64_t operand_at(uint32_t place)
{
    constexpr uint64_t eight_rows = 8 * row >> 4, swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
    return place | eight_rows << 32 | swizzle << 62;
}
__device__ __forceinline__ uint64_t operand(uint32_t address) { return operand_at(operand_place(address)); }
/* Added to a descriptor: 16 FP16 dimensions further, or 32 bytes. */
constexpr uint64_t operand_step = 32 >> 4;

/* Makes threads' writes to shared memory visible to wgmma and the TMA unit. */
__device__ __forceinline__ void shared_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending> __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/* The accumulators of a thread, as an instruction's operands and as their names in its text: of 32, 64, 128 and 256
 * columns 16, 32, 64 and 128. */
#define EB_FOUR(constraint, k) constraint(d[k][0]), constraint(d[k][1]), constraint(d[k][2]), constraint(d[k][3])
#define EB_SIXTEEN(constraint, k)                                                                                      \
    EB_FOUR(constraint, k), EB_FOUR(constraint, k + 1), EB_FOUR(constraint, k + 2), EB_FOUR(constraint, k + 3)
#define EB_32(constraint) EB_SIXTEEN(constraint, 0), EB_SIXTEEN(constraint, 4)
#define EB_64(constraint) EB_32(constraint), EB_SIXTEEN(constraint, 8), EB_SIXTEEN(constraint, 12)
#define EB_128(constraint)                                                                                             \
    EB_64(constraint), EB_SIXTEEN(constraint, 16), EB_SIXTEEN(constraint, 20), EB_SIXTEEN(constraint, 24),             \
        EB_SIXTEEN(constraint, 28)
#define EB_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define EB_NAMES_32 EB_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define EB_NAMES_64                                                                                                    \
    EB_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                   \
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define EB_NAMES_128                                                                                                   \
    EB_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                   \
                "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                     \
                "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "         \
                "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/* accumulate 0: d's earlier contents are ignored. names: those of the accumulators; a_b, p: of the operands after them.
 * The last immediates of 16-bit types say that neither operand is transposed. */
#define EB_WGMMA(name, sums, shape, names, a_b, p, last, ...)                                                          \
    __device__ __forceinline__ void name(sums, uint64_t a, uint64_t b, int accumulate)                                 \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, " p ", 0; wgmma.mma_async.sync.aligned." shape " {" names         \
                     "}, " a_b ", p" last "; }"                                                                        \
                     : __VA_ARGS__                                                                                     \
                     : "l"(a), "l"(b), "r"(accumulate));                                                               \
    }
#define EB_K_MAJOR ", 1, 1"
#define EB_NOT_TRANSPOSED ", 1, 1, 0, 0"
#define EB_B_NOT_TRANSPOSED ", 1, 1, 0"

/* FP32 sums of 256, 128 and 32 columns; of 32 with A in registers, as mma.sync has it. */
#define EB_WGMMA_256(name, types, last)                                                                                \
    EB_WGMMA(name, float(&d)[32][4], "m64n256" types, EB_NAMES_128, "%128, %129", "%130", last, EB_128("+f"))
#define EB_WGMMA_128(name, types, last)                                                                                \
    EB_WGMMA(name, float(&d)[16][4], "m64n128" types, EB_NAMES_64, "%64, %65", "%66", last, EB_64("+f"))
#define EB_WGMMA_32(name, types, last)                                                                                 \
    __device__ __forceinline__ void name(float(&d)[4][4], const uint32_t(&a)[4], uint64_t b, int accumulate)           \
    {                                                                                                                  \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %21, 0; wgmma.mma_async.sync.aligned.m64n32" types                \
                     " {" EB_NAMES_16 "}, {%16, %17, %18, %19}, %20, p" last "; }"                                     \
                     : EB_SIXTEEN("+f", 0)                                                                             \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));                           \
    }
#define EB_WGMMA_TYPES(of, halves)                                                                                     \
    of(wgmma_f16, "k16.f32.f16.f16", halves) of(wgmma_bf16, "k16.f32.bf16.bf16", halves)                               \
        of(wgmma_tf32, "k8.f32.tf32.tf32", EB_K_MAJOR) of(wgmma_e4m3, "k32.f32.e4m3.e4m3", EB_K_MAJOR)                 \
            of(wgmma_e5m2, "k32.f32.e5m2.e5m2", EB_K_MAJOR)
EB_WGMMA_TYPES(EB_WGMMA_256, EB_NOT_TRANSPOSED)
EB_WGMMA_TYPES(EB_WGMMA_128, EB_NOT_TRANSPOSED)
EB_WGMMA_TYPES(EB_WGMMA_32, EB_B_NOT_TRANSPOSED)

/* FP16 sums of 256 columns, two in a register: d[c][0] holds row g's of columns 8c + 2t and 8c + 2t + 1, d[c][1] row g
 * + 8's. */
#define EB_TWO(k) "+r"(d[k][0]), "+r"(d[k][1])
#define EB_EIGHT(k) EB_TWO(k), EB_TWO(k + 1), EB_TWO(k + 2), EB_TWO(k + 3)
#define EB_WGMMA_F16(name, types, last)                                                                                \
    EB_WGMMA(name, uint32_t(&d)[32][2], "m64n256" types, EB_NAMES_64, "%64, %65", "%66", last, EB_EIGHT(0),            \
             EB_EIGHT(4), EB_EIGHT(8), EB_EIGHT(12), EB_EIGHT(16), EB_EIGHT(20), EB_EIGHT(24), EB_EIGHT(28))
EB_WGMMA_F16(wgmma_f16, "k16.f16.f16.f16", EB_NOT_TRANSPOSED)
EB_WGMMA_F16(wgmma_e4m3, "k32.f16.e4m3.e4m3", EB_K_MAJOR)
EB_WGMMA_F16(wgmma_e5m2, "k32.f16.e5m2.e5m2", EB_K_MAJOR)

/* m64n256k32 and m64n128k32 of bytes, with sums modulo 2^32. */
EB_WGMMA(wgmma_signed, int (&d)[32][4], "m64n256k32.s32.s8.s8", EB_NAMES_128, "%128, %129", "%130", "", EB_128("+r"))
EB_WGMMA(wgmma_unsigned, int (&d)[32][4], "m64n256k32.s32.u8.u8", EB_NAMES_128, "%128, %129", "%130", "", EB_128("+r"))
EB_WGMMA(wgmma_signed, int (&d)[16][4], "m64n128k32.s32.s8.s8", EB_NAMES_64, "%64, %65", "%66", "", EB_64("+r"))
EB_WGMMA(wgmma_unsigned, int (&d)[16][4], "m64n128k32.s32.u8.u8", EB_NAMES_64, "%64, %65", "%66", "", EB_64("+r"))
template <bool is_signed, int blocks>
__device__ __forceinline__ void wgmma_bytes(int (&d)[blocks][4], uint64_t a, uint64_t b, int accumulate)
{
    if constexpr (is_signed)
        wgmma_signed(d, a, b, accumulate);
    else
        wgmma_unsigned(d, a, b, accumulate);
}

#undef EB_FOUR
#undef EB_SIXTEEN
#undef EB_32
#undef EB_64
#undef EB_128
#undef EB_NAMES_16
#undef EB_NAMES_32
#undef EB_NAMES_64
#undef EB_NAMES_128
#undef EB_WGMMA
#undef EB_K_MAJOR
#undef EB_NOT_TRANSPOSED
#undef EB_WGMMA_256
#undef EB_WGMMA_128
#undef EB_WGMMA_32
#undef EB_WGMMA_TYPES
#undef EB_WGMMA_F16
#undef EB_TWO
#undef EB_EIGHT

/* ---- registers, moved from the copying warpgroup to the computing ones ---- */

template <int registers> __device__ __forceinline__ void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

/* ---- barriers in shared memory: a phase ends after all arrivals and all announced bytes ---- */

__device__ __forceinline__ void barrier_make(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
__device__ __forceinline__ void barrier_announce(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/* The address of the same place in block `block` of the cluster. */
__device__ __forceinline__ uint32_t address_in_block(uint32_t address, uint32_t block)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
}
/* Arrives at a barrier of any block of the cluster. With .release.cluster the arrival would cost device-wide fences, an
 * eighth to a third of the kernel's time. It is not needed: wgmma has finished reading the stage, and what
 * warps read themselves is their own block's, for which the usual release does. */
__device__ __forceinline__ void barrier_arrive_there(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    uint32_t passed;
    do /* each try waits for a while */
        asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 "
                     "%0, 1, 0, done; }"
                     : "=r"(passed)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    while (passed == 0);
}

/* Tests without waiting. */
__device__ __forceinline__ bool barrier_has_passed(uint32_t barrier, uint32_t parity)
{
    uint32_t passed;
    asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 "
                 "%0, 1, 0, done; }"
                 : "=r"(passed)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return passed != 0;
}

/* Waits for the `threads` threads that use barrier number `id`. */
__device__ __forceinline__ void group_barrier(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ uint32_t block_in_cluster()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ __forceinline__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}

/* ---- copies to shared memory: a box of the tensor `map` from (column, row); its bytes count at the barrier ---- */

/* Copies plain bytes: addresses and size are multiples of 16. */
__device__ __forceinline__ void copy_bytes(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void copy_box(uint32_t to, const CUtensorMap *map, uint32_t column, uint32_t row,
                                         uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            to),
        "l"(map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}
/* Copies into the same place of every block of the cluster named in `blocks`; the bytes count at each block's own
 * barrier. */
__device__ __forceinline__ void copy_box_to(uint16_t blocks, uint32_t to, const CUtensorMap *map, uint32_t column,
                                            uint32_t row, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], "
                 "[%4], %5;" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier), "h"(blocks)
                 : "memory");
}

} // namespace eb
