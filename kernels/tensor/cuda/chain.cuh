/* chain: the floating-point types of engine tensor for FASTED's kernels: rows are bytes (prepare.cuh), and the
 * instruction is known at run time only, so that one kernel serves them all.
 *
 * Promotion adds the tensor core's sums to FP32 sums outside it, to nearest, every `span` steps of 32 bytes. spans.cuh
 * has wgmma's loops for that. mma.sync has its sums outside in local memory.
 */
#pragma once

#include "kernels/fasted/cuda/arithmetic.cuh"
#include "kernels/tensor/cuda/spans.cuh"

namespace eb {

enum class chain_instruction : uint32_t { f16, bf16, tf32, e4m3, e5m2 };

struct chain_of_panel {
    const uint8_t *exchanged; /* the points' rows as columns; nullptr: as rows */
};

struct chain_arguments {
    chain_instruction by;
    uint32_t span; /* steps of 32 bytes; 0: no promotion */
};

/* Both forms of an instruction, for each form of its sums (kernels/parts). */
#define EB_INSTRUCTION(name)                                                                                           \
    struct name##_instruction {                                                                                        \
        static constexpr bool shifts = false;                                                                          \
        template <class sums>                                                                                          \
        static __device__ __forceinline__ void multiply(sums &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)     \
        {                                                                                                              \
            mma_##name(d, a, b0, b1);                                                                                  \
        }                                                                                                              \
        template <class sums>                                                                                          \
        static __device__ __forceinline__ void multiply(sums &d, uint64_t a, uint64_t b, int accumulate)               \
        {                                                                                                              \
            wgmma_##name(d, a, b, accumulate);                                                                         \
        }                                                                                                              \
        static __device__ __forceinline__ void multiply_held(float (&d)[4][4], const uint32_t (&a)[4], uint64_t b,     \
                                                             int accumulate)                                           \
        {                                                                                                              \
            wgmma_##name(d, a, b, accumulate);                                                                         \
        }                                                                                                              \
    };
EB_INSTRUCTION(f16)
EB_INSTRUCTION(bf16)
EB_INSTRUCTION(tf32)
EB_INSTRUCTION(e4m3)
EB_INSTRUCTION(e5m2)
#undef EB_INSTRUCTION

/* Calls f(instruction). The kernel has those of FP8; with f16 also FP16's, with wide also BF16's and TF32's. */
template <bool f16, bool wide, class doing>
__device__ __forceinline__ void with_instruction(chain_instruction by, doing f)
{
    switch (by) {
    case chain_instruction::e4m3: f(e4m3_instruction{}); return;
    case chain_instruction::e5m2: f(e5m2_instruction{}); return;
    case chain_instruction::f16:
        if constexpr (f16)
            f(f16_instruction{});
        return;
    case chain_instruction::bf16:
        if constexpr (wide)
            f(bf16_instruction{});
        return;
    case chain_instruction::tf32:
        if constexpr (wide)
            f(tf32_instruction{});
        return;
    }
    __builtin_unreachable();
}

/* ---- mma.sync: a warp's fragments, and its sums outside ---- */

template <int rows, int columns, bool spans, bool f16> class outer_sums {
  public:
    __device__ __forceinline__ void begin()
    {
        steps_ = 0;
        if constexpr (spans)
            each([&](int m, int c, int e) { outside_[m][c][e] = 0; });
    }

    /* Call after each step of 32 bytes. */
    __device__ __forceinline__ void step(const chain_arguments &args, float (&d)[rows][columns][4])
    {
        if (!spans || args.span == 0 || ++steps_ < args.span)
            return;
        steps_ = 0;
        add(d);
    }

    /* After the last step d becomes the sums. */
    __device__ __forceinline__ void finish(float (&d)[rows][columns][4])
    {
        if constexpr (spans) {
            add(d);
            each([&](int m, int c, int e) { d[m][c][e] = outside_[m][c][e]; });
        }
    }

  private:
    template <class doing> static __device__ __forceinline__ void each(doing f)
    {
#pragma unroll
        for (int m = 0; m < rows; m++)
#pragma unroll
            for (int c = 0; c < columns; c++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    f(m, c, e);
    }
    __device__ __forceinline__ void add(float (&d)[rows][columns][4])
    {
#pragma unroll
        for (int m = 0; f16 && m < rows; m++)
#pragma unroll
            for (int c = 0; c < columns; c++)
                widen(__float_as_uint(d[m][c][0]), __float_as_uint(d[m][c][1]), d[m][c]);
        each([&](int m, int c, int e) {
            outside_[m][c][e] = __fadd_rn(outside_[m][c][e], d[m][c][e]);
            d[m][c][e] = 0;
        });
    }

    volatile float outside_[spans ? rows : 1][columns][4];
    uint32_t steps_;
};

/* ---- the types ---- */

/* Which loop a kernel has. One kernel with all loops would keep wgmma from running ahead. plain: FP32 sums alone.
 * eighths: spans of one slice. halves: of two or three slices. brief: spans of one or two steps. spans: other spans,
 * by wgmma of FP8 alone, as other types have the same bits by mma.sync. f16: FP16 sums, with spans or without. */
enum class chain_loop { plain, eighths, halves, brief, spans, f16 };

/* All loops have these types. */
struct chain_numbers : f32_sums {
    using point = uint8_t;
    using numbers = chain_numbers;
    using more_of_panel = chain_of_panel;
    using more_arguments = chain_arguments;
    static constexpr bool chained = true, shifts = false;
    static constexpr int slice = row_bytes;

    /* FP16 sums may be ±∞, and q NaN. */
    static __device__ __forceinline__ squared at_least_zero(squared q) { return q < 0 ? 0 : q; }
};

template <chain_loop loop> struct chain_products : chain_numbers {
    static constexpr bool strips = loop == chain_loop::plain, counts = strips || loop == chain_loop::eighths;

    template <int rows, int columns>
    using outer = outer_sums<rows, columns, loop != chain_loop::plain, loop == chain_loop::f16>;

    /* Multiplies a warpgroup's tile. meanwhile: as in its multiplier. */
    template <class multiplier, class doing>
    static __device__ __forceinline__ void multiply_tile(multiplier &m, const chain_arguments &args, float (&d)[32][4],
                                                         doing meanwhile)
    {
        constexpr bool f8_alone = loop == chain_loop::spans;
        with_instruction<!f8_alone, !f8_alone && loop != chain_loop::f16>(args.by, [&](auto by) {
            using instruction = decltype(by);
            if constexpr (loop == chain_loop::plain) {
                m.template multiply_by<instruction>(d, meanwhile);
                return;
            } else if constexpr (loop == chain_loop::f16) {
                multiply_f16_sums<instruction>(m, d, args.span, meanwhile);
            } else if constexpr (loop == chain_loop::eighths) {
                multiply_in_eighths<instruction>(m, d);
                meanwhile();
            } else if constexpr (loop == chain_loop::halves) {
                multiply_in_halves<instruction>(m, d, args.span / steps_a_slice);
                meanwhile();
            } else if constexpr (loop == chain_loop::brief) {
                if (args.span == 1)
                    multiply_in_brief_spans<1, instruction>(m, d);
                else
                    multiply_in_brief_spans<2, instruction>(m, d);
                meanwhile();
            } else {
                multiply_long_spans<instruction>(m, d, args.span);
                meanwhile();
            }
        });
    }

    /* Multiplies a warp's fragments. FP16 sums are in the first two registers of each four. */
    template <int rows, int columns>
    static __device__ __forceinline__ void multiply_fragments(const chain_arguments &args, float (&d)[rows][columns][4],
                                                              const uint32_t (&a)[rows][4],
                                                              const uint32_t (&b)[(columns + 1) / 2][4])
    {
        with_instruction<true, loop != chain_loop::f16>(args.by, [&](auto by) {
            using instruction = decltype(by);
#pragma unroll
            for (int m = 0; m < rows; m++)
#pragma unroll
                for (int c = 0; c < columns; c++) {
                    const uint32_t b0 = b[c / 2][c % 2 * 2], b1 = b[c / 2][c % 2 * 2 + 1];
                    if constexpr (loop == chain_loop::f16) {
                        uint32_t halves[2] = {__float_as_uint(d[m][c][0]), __float_as_uint(d[m][c][1])};
                        instruction::multiply(halves, a[m], b0, b1);
                        d[m][c][0] = __uint_as_float(halves[0]);
                        d[m][c][1] = __uint_as_float(halves[1]);
                    } else {
                        instruction::multiply(d[m][c], a[m], b0, b1);
                    }
                }
        });
    }
};

/* Without promotion, by one instruction: its choice takes some 60 cycles of every tile. */
template <class instruction> struct counting_products : chain_numbers {
    template <class multiplier, class doing>
    static __device__ __forceinline__ void multiply_tile(multiplier &m, const chain_arguments &, float (&d)[32][4],
                                                         doing meanwhile)
    {
        m.template multiply_by<instruction>(d, meanwhile);
    }
};

} // namespace eb
