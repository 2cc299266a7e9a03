/* adder: how a tensor core sums products, bit by bit, for every number type, architecture and instruction.
 *
 * A block computes D = c + Σ a_k·b_k over K products. Exact products keep the exponent e_a + e_b, unnormalised. Every
 * term is aligned to the largest exponent η and truncated to F bits below it; a term that is zero counts with the
 * exponent e0. The integers are summed exactly, and the sum is rounded to the type of sums. Longer products chain
 * blocks, k ascending. The result −0 is +0. NaN is 0x7fffffff, in FP16 0x7fff.
 *
 * Sources: MMA-Sim (arXiv 2511.10909), whose answers tests/data/tensor_blocks.bin holds; Khattak and Mikaitis (arXiv
 * 2512.07004). FP8 by mma.sync on sm_90 is read off the machine code, which has no FP8 instruction: of each 32
 * coordinates the 16 with k mod 4 < 2 and the 16 others are two FP16 blocks, chained from zero, and c + their sum is
 * rounded to nearest in the sums' type. All of sm_90 was held to an H100 (tests/gpu/test_gpu_tensor.c), whose answers
 * are in tests/data/tensor_sm90.bin.
 */
#pragma once

#include <stdint.h>

#include "core/base/status.h"
#include "core/data/number.h"

typedef enum eb_core { EB_CORE_SM80, EB_CORE_SM89, EB_CORE_SM90, EB_CORE_SM100 } eb_core; /* as in the option `core` */

/* That of GPUs of an architecture: 80, 86, 89, 90 … */
static inline eb_core eb_core_of_architecture(int architecture)
{
    return architecture < 89    ? EB_CORE_SM80
           : architecture < 90  ? EB_CORE_SM89
           : architecture < 100 ? EB_CORE_SM90
                                : EB_CORE_SM100;
}

typedef enum eb_path { EB_PATH_AUTO, EB_PATH_WGMMA, EB_PATH_MMA } eb_path; /* as in the option `path` */
typedef enum eb_sums { EB_SUMS_F32, EB_SUMS_F16 } eb_sums;                 /* as in the option `sums` */

/* How a block's sum is rounded: FP32 toward zero; FP32 with 13 fraction bits, toward zero; FP16 to nearest even. */
typedef enum eb_sum_rounding { EB_SUM_F32, EB_SUM_E8M13, EB_SUM_F16 } eb_sum_rounding;

typedef struct eb_adder {
    unsigned block;    /* K: products summed at once; 4, 8, 16 or 32 */
    unsigned fraction; /* F: bits kept below the largest exponent */
    eb_sum_rounding rounding;
    int zero;       /* e0 */
    bool halved;    /* FP8 by mma.sync on sm_90: 32 coordinates are two blocks of 16 from zero */
    bool confirmed; /* held to the hardware bit for bit */
} eb_adder;

enum { EB_MOST_BLOCK = 32 };

/* The adder of a floating-point type: TF32, BF16, FP16, E4M3 or E5M2. EB_USAGE with the reason if the core has none. */
eb_code eb_adder_of(eb_number number, eb_sums sums, eb_path path, eb_core core, eb_adder *out, eb_status *status);

/* One of a block's operands: value = significand · 2^exponent, |significand| < 2. Subnormal numbers have the exponent
 * of the least normal number. Zero has the significand 0, ±∞ and NaN the significands ±∞ and NaN. */
typedef struct eb_operand {
    float significand;
    int exponent;
} eb_operand;

eb_operand eb_operand_of(eb_number number, float value);

/* The steps of a block: its products in order, then the sum before. Integers are in units of 2^(largest − F), and 0 if
 * the result is not finite for want of finite terms. */
typedef struct eb_adder_steps {
    int largest; /* η */
    int64_t aligned[EB_MOST_BLOCK + 1], sum;
    float result;
} eb_adder_steps;

/* The definition: c plus one block of products, term by term. c is a number of the sums' type. */
eb_adder_steps eb_adder_steps_of(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b);
float eb_adder_block(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b);

/* Adds the sum of a halved adder's two blocks to c, and rounds to nearest in the sums' type. */
float eb_adder_add(const eb_adder *adder, float c, float sum);

/* One step of a chain: a block, or the two blocks of a halved adder. */
float eb_adder_step(const eb_adder *adder, float c, const eb_operand *a, const eb_operand *b);

/* ⟨a, b⟩ over `count` coordinates, a multiple of the block (of 32 if halved), from 0. promote > 0, a multiple of the
 * block: every `promote` coordinates the sum so far is added to an FP32 sum, rounded to nearest, and starts at 0 again.
 */
float eb_adder_dot(const eb_adder *adder, unsigned promote, const eb_operand *a, const eb_operand *b, size_t count);
