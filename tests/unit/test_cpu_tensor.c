/* Tests of the tensor core's definition against cases worked by hand; each case derives its bits. */
#include <math.h>

#include <string.h>

#include "kernels/fasted/cpu/norms.h"
#include "tests/unit/half_blocks.h"
#include "tests/unit/test.h"

static const eb_adder v100 = {.block = 4, .fraction = 23, .zero = -132}; /* m8n8k4 */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t bits(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}
static float from_bits(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* Sets a[k]·b[k] to the product of two FP16 numbers, the rest zero. */
typedef struct inputs {
    uint16_t a[16], b[16];
} inputs;

static inputs nothing(void) { return (inputs){{0}, {0}}; }

static void put(inputs *x, size_t k, double a, double b)
{
    x->a[k] = eb_half_from_double(a);
    x->b[k] = eb_half_from_double(b);
    assert_true((double)eb_half_to_float(x->a[k]) == a && (double)eb_half_to_float(x->b[k]) == b);
}

static void assert_block(eb_core tensor, float c, const inputs *x, uint32_t expected)
{
    const eb_adder adder = half_adder(tensor);
    assert_int_equal(bits(half_block(&adder, c, x->a, x->b)), expected);
}

TEST(zeros_make_plus_zero)
{
    inputs x = nothing();
    assert_block(EB_CORE_SM90, 0, &x, 0);
    assert_block(EB_CORE_SM90, -0.0f, &x, 0); /* no nonzero term: +0 */
    x.a[3] = 0x8000;
    x.b[3] = 0x3c00;
    assert_block(EB_CORE_SM80, -0.0f, &x, 0);
}

TEST(truncation_keeps_f_bits_below_the_largest)
{
    /* 1·1 has exponent 0; sm_90 keeps multiples of 2^-25, sm_80 of 2^-24. Both keep a product of 2^-24. FP32's last
     * place is 2^-23 there: two such products carry into it, one is truncated. */
    inputs x = nothing();
    put(&x, 0, 1, 1);
    put(&x, 1, 0x1p-12, 0x1p-12);
    assert_block(EB_CORE_SM90, 0, &x, 0x3f800000);
    put(&x, 2, 0x1p-12, 0x1p-12);
    assert_block(EB_CORE_SM90, 0, &x, 0x3f800001);
    assert_block(EB_CORE_SM80, 0, &x, 0x3f800001);
    /* 2^-25: sm_90 keeps each, and four make 2^-23; sm_80 drops each. */
    x = nothing();
    put(&x, 0, 1, 1);
    for (size_t k = 1; k <= 4; k++)
        put(&x, k, 0x1p-12, 0x1p-13);
    assert_block(EB_CORE_SM90, 0, &x, 0x3f800001);
    assert_block(EB_CORE_SM80, 0, &x, 0x3f800000);
    /* Both drop 2^-26. */
    for (size_t k = 1; k <= 4; k++)
        put(&x, k, 0x1p-13, 0x1p-13);
    assert_block(EB_CORE_SM90, 0, &x, 0x3f800000);
}

TEST(truncation_is_toward_zero_for_either_sign)
{
    inputs x = nothing();
    put(&x, 0, 1, 1);
    put(&x, 1, -0x1p-12, 0x1p-12); /* 1 − 2^-24 is an FP32 number */
    assert_block(EB_CORE_SM90, 0, &x, 0x3f7fffff);
    put(&x, 1, -0x1p-13, 0x1p-13); /* −2^-26 is truncated to 0 */
    assert_block(EB_CORE_SM90, 0, &x, 0x3f800000);
    put(&x, 0, -1, 1);
    put(&x, 1, -0x1p-12, 0x1p-12); /* −1 − 2^-24 rounds toward zero */
    assert_block(EB_CORE_SM90, 0, &x, 0xbf800000);
}

TEST(every_alignment_truncates)
{
    /* 1 beside ±(2 − 2^-10)·2^-m (11 significant bits): only multiples of 2^-F of the small product remain, and the sum
     * keeps multiples of its own last place. All values fit an int64 as multiples of 2^-60. */
    for (int m = 0; m <= 13; m++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            inputs x = nothing();
            put(&x, 0, 1, 1);
            put(&x, 1, sign * ldexp(2047, -10 - m), 0x1p-10); /* < 2^(−9−m) */
            int64_t one = INT64_C(1) << 60, small = INT64_C(2047) << (40 - m);
            for (eb_core tensor = EB_CORE_SM80; tensor <= EB_CORE_SM90; tensor += 2) {
                int kept = tensor == EB_CORE_SM90 ? 25 : 24;
                int64_t sum = one + sign * (small >> (60 - kept) << (60 - kept));
                int last_place = sum >= one ? 60 - 23 : 60 - 24;
                float expected = ldexpf((float)(sum >> last_place), last_place - 60);
                assert_block(tensor, 0, &x, bits(expected));
            }
        }
    }
}

TEST(zeros_do_not_align)
{
    /* 0 · 65504 is no term: if its exponent, 1 or 15, were used for η, c would be lost below 2^(1−25). */
    inputs x = nothing();
    put(&x, 0, 0, 65504);
    x.a[1] = 0x8000;
    x.b[1] = 0x7bff;
    float c = 0x1.000002p-40f;
    assert_block(EB_CORE_SM90, c, &x, bits(c));
    assert_block(EB_CORE_SM80, -c, &x, bits(-c));
}

TEST(finite_inputs_never_overflow)
{
    /* Beside the largest FP32 (η = 127) products below 2^32 are far under 2^(127−25): all sixteen vanish. */
    inputs x = nothing();
    for (size_t k = 0; k < 16; k++)
        put(&x, k, 65504, 65504);
    assert_block(EB_CORE_SM90, from_bits(0x7f7fffff), &x, 0x7f7fffff);
    /* Alone, 16·65504² = 68652367872 has 32 bits, of which the 22 significant ones fit FP32. */
    assert_block(EB_CORE_SM90, 0, &x, bits(65504.0f * 65504.0f * 16));
}

TEST(a_chain_is_padded_with_zeros)
{
    /* d = 17: the second block has one product. 2^11 + 2^-13: η = 11 keeps 2^-13 on sm_80, but FP32's last place there
     * is 2^-12. */
    uint16_t a[32] = {0}, b[32] = {0};
    a[0] = b[0] = eb_half_from_double(32);
    a[1] = b[1] = eb_half_from_double(32);
    a[16] = eb_half_from_double(0x1p-6);
    b[16] = eb_half_from_double(0x1.8p-6); /* 1.5 · 2^-12 */
    const eb_adder sm_80 = half_adder(EB_CORE_SM80);
    assert_true(half_dot(&sm_80, a, b, 17) == 2048 + 0x1p-12f);
    assert_true(half_dot(&sm_80, a, b, 32) == 2048 + 0x1p-12f);
    assert_true(half_dot(&sm_80, a, b, 16) == 2048);
    assert_true(half_dot(&sm_80, a, b, 0) == 0);
}

TEST(older_chips_sum_four_at_a_time)
{
    /* F = 23: 2^-24 beside 1 is dropped, also if there are two; 2^-23 stays. */
    inputs x = nothing();
    put(&x, 0, 1, 1);
    put(&x, 1, 0x1p-12, 0x1p-12);
    put(&x, 2, 0x1p-12, 0x1p-12);
    assert_true(half_block(&v100, 0, x.a, x.b) == 1);
    put(&x, 2, 0x1p-12, 0x1p-11);
    assert_true(half_block(&v100, 0, x.a, x.b) == 1 + 0x1p-23f);
}

TEST(products_are_not_renormalised)
{
    /* 1.5·1.5 = 2.25 keeps exponent 0, so bits stay down to 2^-25: eight of 2^-25 make 2^-22, the last place of 2.25 in
     * FP32. If it were renormalised to exponent 1, each 2^-25 would be dropped. Seven do not suffice. */
    inputs x = nothing();
    put(&x, 0, 1.5, 1.5);
    for (size_t k = 1; k <= 8; k++)
        put(&x, k, 0x1p-12, 0x1p-13);
    assert_block(EB_CORE_SM90, 0, &x, bits(2.25f) + 1);
    put(&x, 8, 0, 0);
    assert_block(EB_CORE_SM90, 0, &x, bits(2.25f));
}

TEST(the_sum_so_far_is_aligned_too)
{
    /* c = 2^10 sets η = 10: sm_90 keeps multiples of 2^-15. */
    inputs x = nothing();
    put(&x, 0, 0x1p-8, 0x1p-7); /* 2^-15, but FP32's last place at 1024 is 2^-13: truncated */
    assert_block(EB_CORE_SM90, 1024, &x, bits(1024));
    for (size_t k = 1; k < 4; k++)
        put(&x, k, 0x1p-8, 0x1p-7);
    assert_block(EB_CORE_SM90, 1024, &x, bits(1024) + 1);
    /* c's low bits are dropped beside a large product: 2^15·2^15 = 2^30 keeps multiples of 2^5. */
    x = nothing();
    put(&x, 0, 32768, 32768);
    put(&x, 1, -32768, 32768);
    assert_block(EB_CORE_SM90, 1055.5f, &x, bits(1024)); /* 1055.5 → 32·32 = 1024 */
}

TEST(cancellation_leaves_exact_zero)
{
    inputs x = nothing();
    put(&x, 0, 100, 3);
    put(&x, 5, -100, 3);
    assert_block(EB_CORE_SM90, 0, &x, 0);
    put(&x, 7, 0x1p-24, 1); /* lost below 300's 2^8·2^-25 = 2^-17 */
    assert_block(EB_CORE_SM90, 0, &x, 0);
}

TEST(subnormal_inputs_keep_exponent_minus_14)
{
    /* 2^-24 · 2^-24 = 2^-48, aligned at −28: far above 2^-53, so nothing is lost. */
    inputs x = nothing();
    put(&x, 0, 0x1p-24, 0x1p-24);
    assert_block(EB_CORE_SM90, 0, &x, bits(0x1p-48f));
    /* The same products beside c = (1 + 2^-23)·2^-40: η = −28 although both terms are far smaller, so c's last bit,
     * 2^-63, is lost below 2^-53, and 2^-48 is not. */
    assert_block(EB_CORE_SM90, 0x1.000002p-40f, &x, bits(0x1.01p-40f));
    /* c = 2^-149 beside a zero product: a subnormal FP32 passes unchanged. */
    x = nothing();
    assert_block(EB_CORE_SM90, from_bits(1), &x, 1);
    assert_block(EB_CORE_SM90, from_bits(0x80000001u), &x, 0x80000001u);
}

TEST(what_is_not_finite)
{
    inputs x = nothing();
    x.a[0] = 0x7c00;
    x.b[0] = 0x3c00;
    assert_block(EB_CORE_SM90, 0, &x, 0x7f800000);
    x.a[1] = 0xfc00;
    x.b[1] = 0x3c00;
    assert_block(EB_CORE_SM90, 0, &x, 0x7fffffff); /* ∞ − ∞ */
    x = nothing();
    x.a[0] = 0x7c00;
    assert_block(EB_CORE_SM90, 0, &x, 0x7fffffff); /* ∞ · 0 */
    x.a[0] = 0x7e01;
    x.b[0] = 0x3c00;
    assert_block(EB_CORE_SM90, 0, &x, 0x7fffffff);
    x = nothing();
    assert_block(EB_CORE_SM90, -INFINITY, &x, 0xff800000);
    /* The largest finite sum stays finite until it passes 2^128. */
    put(&x, 0, 1, 1);
    assert_block(EB_CORE_SM90, from_bits(0x7f7fffff), &x, 0x7f7fffff);
}

TEST(models_differ_where_their_blocks_end)
{
    /* sm_80 sums products 0–7 first: 1 + 2^-24 is truncated to 1 there, and again in the second half. sm_90 sums both
     * halves at once. */
    uint16_t a[16] = {0}, b[16] = {0};
    a[0] = b[0] = eb_half_from_double(1);
    a[1] = b[1] = a[9] = b[9] = eb_half_from_double(0x1p-12);
    const eb_adder sm_90 = half_adder(EB_CORE_SM90), sm_80 = half_adder(EB_CORE_SM80);
    assert_int_equal(bits(half_dot(&sm_90, a, b, 16)), 0x3f800001);
    assert_int_equal(bits(half_dot(&sm_80, a, b, 16)), 0x3f800000);
}

__extension__ typedef unsigned __int128 wide;

/* (s · 2^s_exponent + x · 2^x_exponent) in exact multiples of 2^-60, then the upper 24 bits. */
static float truncated_sum(uint64_t s, int s_exponent, uint64_t x, int x_exponent)
{
    wide sum = ((wide)s << (s_exponent + 60)) + ((wide)x << (x_exponent + 60));
    int shift = 0;
    while (sum >> shift >> 24)
        shift++;
    return ldexpf((float)(uint32_t)(sum >> shift), shift - 60);
}

TEST(norms_truncate_at_every_step)
{
    assert_true(eb_add_toward_zero(1, 0x1p-24f) == 1);
    assert_true(eb_add_toward_zero(1, 0x1.8p-23f) == 1 + 0x1p-23f);
    assert_true(eb_add_toward_zero(0, 0x1p-48f) == 0x1p-48f);
    /* 64 − 2^-18 + (2^-18 − 2^-42) is 2^-42 below 64: rounding to nearest would give 64. */
    float below = nextafterf(64, 0);
    assert_true(eb_add_toward_zero(below, 0x1p-18f - 0x1p-42f) == below);
    for (uint64_t k = 0; k < 200000; k++) {
        uint64_t s = mix(k) >> 40, x = k % 3 ? mix(k + 9) >> 40 : 0xffffff; /* 24 bits each; often all ones */
        int s_exponent = (int)(mix(k + 7) % 40) - 20, x_exponent = (int)(mix(k + 3) % 100) - 60;
        float found = eb_add_toward_zero(ldexpf((float)s, s_exponent), ldexpf((float)x, x_exponent));
        assert_true(found == truncated_sum(s, s_exponent, x, x_exponent));
    }
}

RUN_TESTS
