/* Rung 6, wgmma: Hopper's tensor cores read both operands from shared memory, and the TMA unit copies them there.
 *
 * New: a block computes 128 × 256 products; each of its two warpgroups computes 64 × 256 of them by wgmma m64n256k16,
 * and no operand passes through registers. A separate warp copies slices of 64 dimensions into four stages, 128 rows
 * per call, swizzled as in fasted.cuh. Barriers in shared memory show when a stage is full and when it is free. map:
 * the points as a tensor map; the other arguments as in mma.cuh.
 *
 * Launch: blocks of 384 threads with ladder_wgmma_bytes of shared memory, 32 blocks for each square of 1024 × 1024
 * pairs; sm_90a.
 * What limits it: (p, q) and (q, p) are both computed, and tests of the sums wait for the last product.
 */
#pragma once

#include <cuda.h>
#include <stdint.h>

#define F(k) "+f"(s[k]), "+f"(s[k + 1]), "+f"(s[k + 2]), "+f"(s[k + 3])
#define S(k) F(k), F(k + 4), F(k + 8), F(k + 12)

namespace ladder_wgmma_parts {

constexpr uint32_t slice = 64, stages = 4, box = 128 * 128, stage = 3 * box; /* bytes: 128 rows left, 2 × 128 right */

/* s (64 × 256) += a (64 × 16) · bᵀ (256 × 16); a and b are shared addresses, swizzled, eight rows in 1024 bytes. */
__device__ void multiply(float (&s)[128], uint32_t a, uint32_t b)
{
    constexpr uint64_t layout = uint64_t{1} << 16 | uint64_t{64} << 32 | uint64_t{1} << 62;
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
                 "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"
                 "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,"
                 "%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,"
                 "%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,"
                 "%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
                 : S(0), S(16), S(32), S(48), S(64), S(80), S(96), S(112)
                 : "l"(layout | (a & 0x3ffff) >> 4), "l"(layout | (b & 0x3ffff) >> 4));
}

__device__ void wait(uint32_t barrier, uint32_t parity)
{
    asm volatile(
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @!done bra again; }" ::"r"(
            barrier),
        "r"(parity)
        : "memory");
}

__device__ void copy(uint32_t to, const CUtensorMap *map, uint32_t k, uint32_t row, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(k), "r"(row), "r"(barrier)
                 : "memory");
}

} // namespace ladder_wgmma_parts

constexpr uint32_t ladder_wgmma_bytes = ladder_wgmma_parts::stages * ladder_wgmma_parts::stage + 1024;

__global__ __launch_bounds__(384) void ladder_wgmma(const __grid_constant__ CUtensorMap map, const float *norms,
                                                    uint32_t n, uint32_t d, float limit, uint32_t *neighbours)
{
    using namespace ladder_wgmma_parts;
    extern __shared__ char buffers[];
    __shared__ __align__(8) uint64_t full_[stages], free_[stages];
    const uint32_t base = ((uint32_t)__cvta_generic_to_shared(buffers) + 1023) / 1024 * 1024,
                   full = (uint32_t)__cvta_generic_to_shared(full_), free = (uint32_t)__cvta_generic_to_shared(free_),
                   squares = (n + 1023) / 1024, of_square = blockIdx.x / 32,
                   row = (of_square / squares * 8 + blockIdx.x % 32 / 4) * 128,
                   column = (of_square % squares * 4 + blockIdx.x % 4) * 256;
    if (row >= n || column >= n)
        return;
    for (uint32_t k = 0; k < stages && threadIdx.x == 0; k++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; mbarrier.init.shared::cta.b64 [%1], 256;" ::"r"(full +
                                                                                                             8 * k),
                     "r"(free + 8 * k));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    if (threadIdx.x >= 256) { /* the copying warp; one thread of it copies */
        for (uint32_t k = 0, turn = 0; k < d && threadIdx.x == 256; k += slice, turn++) {
            const uint32_t at = turn % stages, to = base + at * stage, barrier = full + 8 * at;
            if (turn >= stages)
                wait(free + 8 * at, turn / stages % 2 ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(stage)
                         : "memory");
            copy(to, &map, k, row, barrier);
            copy(to + box, &map, k, column, barrier);
            copy(to + 2 * box, &map, k, column + 128, barrier);
        }
        return;
    }
    float s[128] = {};
    const uint32_t group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, g = threadIdx.x % 32 / 4,
                   t = threadIdx.x % 4;
    for (uint32_t k = 0, turn = 0; k < d; k += slice, turn++) {
        const uint32_t at = turn % stages, left = base + at * stage + group * (box / 2);
        wait(full + 8 * at, turn / stages % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (uint32_t step = 0; step < slice / 16; step++) /* 16 dimensions are 32 bytes */
            multiply(s, left + 32 * step, base + at * stage + box + 32 * step);
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(free + 8 * at) : "memory");
    }
    for (int half = 0; half < 2; half++) {
        const uint32_t i = row + 64 * group + 16 * warp + 8 * half + g;
        uint32_t hits = 0;
        for (int c = 0; c < 32; c++)
            for (int e = 0; e < 2; e++)
                hits += (norms[i] + norms[column + 8 * c + 2 * t + e]) - 2 * s[4 * c + 2 * half + e] <= limit;
        hits += __shfl_xor_sync(~0u, hits, 1);
        hits += __shfl_xor_sync(~0u, hits, 2);
        if (t == 0 && hits > 0)
            atomicAdd(neighbours + i, hits);
    }
}

#undef F
#undef S
