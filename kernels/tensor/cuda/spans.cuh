/* spans: multiplies a warpgroup's tile whose sums are promoted: added to FP32 sums outside the tensor core, to nearest,
 * every `span` steps of 32 bytes. m: the warpgroup's multiplier (fasted/cuda/warpgroup.cuh).
 *
 * A warpgroup's 64 × 256 FP32 sums and as many outside it are more than a thread's registers. So a slice is multiplied
 * by an eighth of the columns after the other, with 128 registers outside and 2 × 16 inside: an eighth is multiplied
 * while the one before is added. Its rows are in registers: from shared memory they would be read eight times. Spans of
 * two or three slices are multiplied twice, by half of the columns each time; the other warpgroup multiplies while this
 * one adds. Longer spans keep the sums inside in local memory from slice to slice. FP16 sums take half of the registers
 * and need no parts.
 */
#pragma once

#include <cuda_fp16.h>

#include "kernels/parts/stage.cuh"
#include "kernels/parts/wgmma.cuh"

namespace eb {

/* Four FP16 sums. */
static __device__ __forceinline__ void widen(uint32_t upper, uint32_t lower, float (&out)[4])
{
    const float2 two = __half22float2(*reinterpret_cast<const __half2 *>(&upper)),
                 next = __half22float2(*reinterpret_cast<const __half2 *>(&lower));
    out[0] = two.x;
    out[1] = two.y;
    out[2] = next.x;
    out[3] = next.y;
}

constexpr uint32_t steps_a_slice = row_bytes / 32;
constexpr uint64_t second_half = 128 * row_bytes >> 4; /* added to a descriptor: 128 rows further */
constexpr uint64_t one_eighth = 32 * row_bytes >> 4;
constexpr uint32_t longest_halved_span = 3; /* slices, of four stages */

/* Keeps uses of sums after the wait for their wgmma: the compiler does not know that the wait is for them. */
__device__ __forceinline__ void arrived(float (&t)[16][4])
{
#pragma unroll
    for (int c = 0; c < 16; c++)
        asm volatile("" : "+f"(t[c][0]), "+f"(t[c][1]), "+f"(t[c][2]), "+f"(t[c][3])::"memory");
}
__device__ __forceinline__ void arrived(uint32_t (&t)[32][2])
{
#pragma unroll
    for (int c = 0; c < 32; c++)
        asm volatile("" : "+r"(t[c][0]), "+r"(t[c][1])::"memory");
}

/* Adds the sums of half of the columns, from column 8 · first on, to d. */
template <int first> __device__ __forceinline__ void add_half(float (&d)[32][4], const float (&t)[16][4])
{
#pragma unroll
    for (int c = 0; c < 16; c++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            d[first + c][e] = __fadd_rn(d[first + c][e], t[c][e]);
}

template <class sums> __device__ __forceinline__ void clear(sums &d)
{
#pragma unroll
    for (int c = 0; c < 32; c++)
        d[c][0] = d[c][1] = d[c][2] = d[c][3] = 0;
}

/* Multiplies `count` slices by half of the columns. at: descriptors of the first slice, which has arrived. Taking turns
 * with the other group was slower. */
template <class instruction, class multiplier, class operands>
__device__ __forceinline__ void multiply_half(multiplier &m, float (&t)[16][4], operands at, uint32_t first,
                                              uint32_t count, uint64_t half)
{
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0)
            at = m.await(first + k);
        wgmma_fence();
#pragma unroll
        for (uint32_t step = 0; step < steps_a_slice; step++)
            instruction::multiply(t, at.a + step * operand_step, at.b + half + step * operand_step, k > 0 || step > 0);
        wgmma_commit();
    }
    wgmma_wait<0>();
    arrived(t);
}

/* Spans of `span` slices. */
template <class instruction, class multiplier>
__device__ __forceinline__ void multiply_in_halves(multiplier &m, float (&d)[32][4], uint32_t span)
{
    clear(d);
    for (uint32_t first = 0; first < m.slices(); first += span) {
        const uint32_t count = min(span, m.slices() - first);
        const auto at = m.await(first);
        float t[16][4];
        multiply_half<instruction>(m, t, at, first, count, 0);
        add_half<0>(d, t);
        multiply_half<instruction>(m, t, at, first, count, second_half);
        for (uint32_t k = 0; k < count; k++)
            m.release();
        add_half<16>(d, t);
    }
}

/* A warp's fragments of a slice of A: 16 rows. */
using held_slice = uint32_t[steps_a_slice][4];

static __device__ __forceinline__ void hold(held_slice &a, uint32_t rows)
{
    const uint32_t lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
    for (uint32_t step = 0; step < steps_a_slice; step++)
        load_matrices(a[step], rows + row * row_bytes + (2 * step + lane / 16 ^ row % 8) * 16);
}

/* Starts to multiply a slice by an eighth of the columns. */
template <class instruction>
__device__ __forceinline__ void start_eighth(float (&t)[4][4], const held_slice &a, uint64_t b)
{
    wgmma_fence();
#pragma unroll
    for (uint32_t step = 0; step < steps_a_slice; step++)
        instruction::multiply_held(t, a[step], b + step * operand_step, step > 0);
    wgmma_commit();
}

/* Spans of one slice. An eighth of the columns is multiplied while the one before is added. */
template <class instruction, class multiplier>
__device__ __forceinline__ void multiply_in_eighths(multiplier &m, float (&d)[32][4])
{
    held_slice a;
    auto at = m.await(0);
    hold(a, at.rows);
    clear(d);
    for (uint32_t k = 0;; k++) {
        const bool last = k + 1 == m.slices();
        held_slice next;
        float t[2][4][4];
        start_eighth<instruction>(t[0], a, at.b);
#pragma unroll
        for (int p = 0; p < 8; p++) {
            if (p < 7) {
                start_eighth<instruction>(t[(p + 1) % 2], a, at.b + (p + 1) * one_eighth);
                wgmma_wait<1>();
            } else {
                if (!last) {
                    at = m.await(k + 1);
                    hold(next, at.rows);
                }
                wgmma_wait<0>();
                m.release();
            }
#pragma unroll
            for (int c = 0; c < 4; c++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    d[4 * p + c][e] = __fadd_rn(d[4 * p + c][e], t[p % 2][c][e]);
        }
        if (last)
            return;
#pragma unroll
        for (uint32_t step = 0; step < steps_a_slice; step++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                a[step][e] = next[step][e];
    }
}

/* Spans of one or two steps. */
template <uint32_t span, class instruction, class multiplier>
__device__ __forceinline__ void multiply_in_brief_spans(multiplier &m, float (&d)[32][4])
{
    clear(d);
    for (uint32_t k = 0; k < m.slices(); k++) {
        const auto slice = m.await(k);
#pragma unroll
        for (uint32_t first = 0; first < 2 * steps_a_slice; first += span) { /* one half after the other */
            const uint64_t half = first < steps_a_slice ? 0 : second_half, at = first % steps_a_slice * operand_step;
            float t[16][4];
            wgmma_fence();
#pragma unroll
            for (uint32_t step = 0; step < span; step++)
                instruction::multiply(t, slice.a + at + step * operand_step, slice.b + half + at + step * operand_step,
                                      step > 0);
            wgmma_commit();
            wgmma_wait<0>();
            arrived(t);
            if (first < steps_a_slice)
                add_half<0>(d, t);
            else
                add_half<16>(d, t);
        }
        m.release();
    }
}

/* Multiplies steps [first, end) by all columns, one at a time, and releases the slices that end there. */
template <class instruction, class multiplier>
__device__ __forceinline__ void multiply_span(multiplier &m, uint32_t (&t)[32][2], uint32_t first, uint32_t end)
{
#pragma unroll 1
    for (uint32_t step = first; step < end; step++) {
        const auto slice = m.await(step / steps_a_slice);
        const uint64_t at = step % steps_a_slice * operand_step;
        wgmma_fence();
        instruction::multiply(t, slice.a + at, slice.b + at, step > first);
        wgmma_commit();
        wgmma_wait<0>();
        arrived(t);
        if ((step + 1) % steps_a_slice == 0)
            m.release();
    }
}

/* Multiplies steps [first, end) of a slice by half of the columns, whose sums so far are in `inside`, in local memory:
 * volatile keeps them there. begins, ends: a span does with these steps. */
template <class instruction, int column, class operands>
__device__ __forceinline__ void multiply_piece(const operands &slice, float (&d)[32][4],
                                               volatile float (&inside)[32][4], uint32_t first, uint32_t end,
                                               bool begins, bool ends)
{
    float t[16][4];
#pragma unroll
    for (int c = 0; c < 16; c++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            t[c][e] = inside[column + c][e];
#pragma unroll 1
    for (uint32_t step = first; step < end; step++) {
        const uint64_t at = step * operand_step;
        wgmma_fence();
        instruction::multiply(t, slice.a + at, slice.b + (column > 0 ? second_half : 0) + at, step > first || !begins);
        wgmma_commit();
        wgmma_wait<0>();
        arrived(t);
    }
    if (ends)
        add_half<column>(d, t);
#pragma unroll
    for (int c = 0; c < 16; c++)
#pragma unroll
        for (int e = 0; e < 4; e++)
            inside[column + c][e] = t[c][e];
}

/* Spans of any number of steps. Slow. */
template <class instruction, class multiplier>
__device__ __forceinline__ void multiply_long_spans(multiplier &m, float (&d)[32][4], uint32_t span)
{
    const uint32_t steps = m.slices() * steps_a_slice;
    volatile float inside[32][4];
    clear(d);
    for (uint32_t first = 0, in = 0; first < steps;) { /* in: steps of the span so far */
        const auto slice = m.await(first / steps_a_slice);
        const uint32_t begin = first % steps_a_slice, count = min(steps_a_slice - begin, span - in);
        const bool ends = in + count == span || first + count == steps;
        multiply_piece<instruction, 0>(slice, d, inside, begin, begin + count, in == 0, ends);
        multiply_piece<instruction, 16>(slice, d, inside, begin, begin + count, in == 0, ends);
        first += count;
        in = ends ? 0 : in + count;
        if (first % steps_a_slice == 0)
            m.release();
    }
}

/* span 0: never. */
template <class instruction, class multiplier, class doing>
__device__ __forceinline__ void multiply_f16_sums(multiplier &m, float (&d)[32][4], uint32_t span, doing meanwhile)
{
    const uint32_t steps = m.slices() * steps_a_slice;
    uint32_t halves[32][2];
    if (span == 0) {
        m.template multiply_by<instruction>(halves, meanwhile);
        arrived(halves);
#pragma unroll
        for (int c = 0; c < 32; c++)
            widen(halves[c][0], halves[c][1], d[c]);
        return;
    }
    clear(d);
    for (uint32_t first = 0; first < steps; first += span) {
        multiply_span<instruction>(m, halves, first, min(first + span, steps));
#pragma unroll
        for (int c = 0; c < 32; c++) {
            float wide[4];
            widen(halves[c][0], halves[c][1], wide);
#pragma unroll
            for (int e = 0; e < 4; e++)
                d[c][e] = __fadd_rn(d[c][e], wide[e]);
        }
    }
    meanwhile(); /* not before: it may wait for the copying thread, which waits for these slices */
}

} // namespace eb
