/* The emulation's fast copy against the definition, lane by lane; the engine against a naive loop over the definition. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/join.h"
#include "cpu/cpu_engines.h"
#include "cpu/fasted_kernels.h"
#include "cpu/tiles.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* FP16 bits of several kinds; never NaN or Inf. */
static uint16_t hostile_half(size_t kind, uint64_t random)
{
    uint16_t bits = (uint16_t)random;
    switch (kind) {
    case 0: return (uint16_t)((bits & 0x83ffu) | 0x3800u);              /* one binade */
    case 1: return (bits & 0x7c00u) == 0x7c00u ? 0x7bff : bits;          /* all exponents */
    case 2: return (uint16_t)(bits & 0x83ffu);                           /* subnormals and zeros */
    case 3: return random >> 20 & 3 ? 0 : (uint16_t)(bits & 0xbfffu);    /* mostly zero */
    case 4: return (uint16_t)((bits & 0x8001u) | (random >> 17 & 1 ? 0x7bfeu : 0x0000u)); /* largest beside smallest */
    default: return (uint16_t)((random >> 33 & 1 ? 0x8000u : 0) | 0x5640u); /* ±100: cancels exactly */
    }
}
#define KINDS 6u

static float half_value(uint16_t h) { return eb_half_to_float(h); }

static void *make_points(size_t n, size_t d, size_t kind, eb_dataset *ds)
{
    float *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            rows[i * d + k] = half_value(hostile_half(kind, mix(i * 7919 + k * 31 + kind * 1000003 + 1)));
    *ds = (eb_dataset){.n = n, .d = d, .dtype = EB_F32, .rows = (const unsigned char *)rows, .stride = d * sizeof(float),
                       .source = (char *)(uintptr_t)"test"};
    return rows;
}

/* ---- the definition, worked by hand ---- */

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
    assert_true((double)half_value(x->a[k]) == a && (double)half_value(x->b[k]) == b);
}

static void assert_block(eb_tensor tensor, float c, const inputs *x, uint32_t expected)
{
    assert_int_equal(bits(eb_tensor_block(eb_tensor_model_of(tensor), c, x->a, x->b)), expected);
}

static void zeros_make_plus_zero(void **state)
{
    (void)state;
    inputs x = nothing();
    assert_block(EB_TENSOR_SM90, 0, &x, 0);
    assert_block(EB_TENSOR_SM90, -0.0f, &x, 0); /* no nonzero term: +0 */
    x.a[3] = 0x8000;
    x.b[3] = 0x3c00;
    assert_block(EB_TENSOR_SM80, -0.0f, &x, 0);
}

static void truncation_keeps_f_bits_below_the_largest(void **state)
{
    (void)state;
    /* 1·1 has exponent 0; sm_90 keeps multiples of 2^-25, sm_80 of 2^-24. A product of 2^-24 survives both, FP32's own last
     * place being 2^-23 then: two of them carry into it, one is truncated. */
    inputs x = nothing();
    put(&x, 0, 1, 1);
    put(&x, 1, 0x1p-12, 0x1p-12);
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f800000);
    put(&x, 2, 0x1p-12, 0x1p-12);
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f800001);
    assert_block(EB_TENSOR_SM80, 0, &x, 0x3f800001);
    /* 2^-25: sm_90 keeps it, four make 2^-23; sm_80 drops each. */
    x = nothing();
    put(&x, 0, 1, 1);
    for (size_t k = 1; k <= 4; k++)
        put(&x, k, 0x1p-12, 0x1p-13);
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f800001);
    assert_block(EB_TENSOR_SM80, 0, &x, 0x3f800000);
    /* 2^-26 is below both. */
    for (size_t k = 1; k <= 4; k++)
        put(&x, k, 0x1p-13, 0x1p-13);
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f800000);
}

static void truncation_is_toward_zero_for_either_sign(void **state)
{
    (void)state;
    inputs x = nothing();
    put(&x, 0, 1, 1);
    put(&x, 1, -0x1p-12, 0x1p-12); /* 1 − 2^-24 is an FP32 number */
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f7fffff);
    put(&x, 1, -0x1p-13, 0x1p-13); /* −2^-26 is truncated to 0 */
    assert_block(EB_TENSOR_SM90, 0, &x, 0x3f800000);
    put(&x, 0, -1, 1);
    put(&x, 1, -0x1p-12, 0x1p-12); /* −1 − 2^-24 rounds toward zero */
    assert_block(EB_TENSOR_SM90, 0, &x, 0xbf800000);
}

static void products_are_not_renormalised(void **state)
{
    (void)state;
    /* 1.5·1.5 = 2.25 keeps exponent 0, so bits stay down to 2^-25: four of 2^-25 add 2^-23, which 2.25 in FP32 (last place
     * 2^-22) truncates, but eight make 2^-22. Were it renormalised, each 2^-25 would be dropped. */
    inputs x = nothing();
    put(&x, 0, 1.5, 1.5);
    for (size_t k = 1; k <= 8; k++)
        put(&x, k, 0x1p-12, 0x1p-13);
    assert_block(EB_TENSOR_SM90, 0, &x, bits(2.25f) + 1);
}

static void the_sum_so_far_is_aligned_too(void **state)
{
    (void)state;
    /* c = 2^10 sets η = 10: sm_90 keeps multiples of 2^-15. */
    inputs x = nothing();
    put(&x, 0, 0x1p-8, 0x1p-7); /* 2^-15, but FP32 at 1024 has 2^-13: truncated */
    assert_block(EB_TENSOR_SM90, 1024, &x, bits(1024));
    for (size_t k = 1; k < 4; k++)
        put(&x, k, 0x1p-8, 0x1p-7);
    assert_block(EB_TENSOR_SM90, 1024, &x, bits(1024) + 1);
    /* c's own low bits are dropped when a product is large: 2^15·2^15 = 2^30 keeps multiples of 2^5. */
    x = nothing();
    put(&x, 0, 32768, 32768);
    put(&x, 1, -32768, 32768);
    assert_block(EB_TENSOR_SM90, 1055.5f, &x, bits(1024)); /* 1055.5 → 32·32 = 1024 */
}

static void cancellation_leaves_exact_zero(void **state)
{
    (void)state;
    inputs x = nothing();
    put(&x, 0, 100, 3);
    put(&x, 5, -100, 3);
    assert_block(EB_TENSOR_SM90, 0, &x, 0);
    put(&x, 7, 0x1p-24, 1); /* lost below 300's 2^8·2^-25 = 2^-17 */
    assert_block(EB_TENSOR_SM90, 0, &x, 0);
}

static void subnormal_inputs_keep_exponent_minus_14(void **state)
{
    (void)state;
    /* 2^-24 · 2^-24 = 2^-48, aligned at −28: far above 2^-53, so nothing is lost. */
    inputs x = nothing();
    put(&x, 0, 0x1p-24, 0x1p-24);
    assert_block(EB_TENSOR_SM90, 0, &x, bits(0x1p-48f));
    /* c = 2^-149 beside a zero product: a subnormal FP32 comes through. */
    x = nothing();
    assert_block(EB_TENSOR_SM90, from_bits(1), &x, 1);
    assert_block(EB_TENSOR_SM90, from_bits(0x80000001u), &x, 0x80000001u);
}

static void what_is_not_finite(void **state)
{
    (void)state;
    inputs x = nothing();
    x.a[0] = 0x7c00;
    x.b[0] = 0x3c00;
    assert_block(EB_TENSOR_SM90, 0, &x, 0x7f800000);
    x.a[1] = 0xfc00;
    x.b[1] = 0x3c00;
    assert_block(EB_TENSOR_SM90, 0, &x, 0x7fffffff); /* ∞ − ∞ */
    x = nothing();
    x.a[0] = 0x7c00;
    assert_block(EB_TENSOR_SM90, 0, &x, 0x7fffffff); /* ∞ · 0 */
    x.a[0] = 0x7e01;
    x.b[0] = 0x3c00;
    assert_block(EB_TENSOR_SM90, 0, &x, 0x7fffffff);
    x = nothing();
    assert_block(EB_TENSOR_SM90, -INFINITY, &x, 0xff800000);
    /* The largest finite sum stays finite until it passes 2^128. */
    put(&x, 0, 1, 1);
    assert_block(EB_TENSOR_SM90, from_bits(0x7f7fffff), &x, 0x7f7fffff);
}

static void models_differ_where_their_blocks_end(void **state)
{
    (void)state;
    /* sm_80 sums products 0–7 first: 1 + 2^-24 is truncated to 1 there, and again with the second half's. sm_90 sums both. */
    uint16_t a[16] = {0}, b[16] = {0};
    a[0] = b[0] = eb_half_from_double(1);
    a[1] = b[1] = a[9] = b[9] = eb_half_from_double(0x1p-12);
    assert_int_equal(bits(eb_tensor_dot(eb_tensor_model_of(EB_TENSOR_SM90), a, b, 16)), 0x3f800001);
    assert_int_equal(bits(eb_tensor_dot(eb_tensor_model_of(EB_TENSOR_SM80), a, b, 16)), 0x3f800000);
}

static void norms_truncate_at_every_step(void **state)
{
    (void)state;
    assert_true(eb_add_toward_zero(1, 0x1p-24f) == 1);
    assert_true(eb_add_toward_zero(1, 0x1.8p-23f) == 1 + 0x1p-23f);
    assert_true(eb_add_toward_zero(0, 0x1p-48f) == 0x1p-48f);
    /* FP64 rounds 64 − 2^-18 + (2^-18 − 2^-48) up to 64; truncation must not. */
    float below = nextafterf(64, 0);
    assert_true(eb_add_toward_zero(below, 0x1p-18f - 0x1p-42f) == below);
    for (uint64_t k = 0; k < 200000; k++) {
        float s = ldexpf((float)(mix(k) >> 40), (int)(mix(k + 7) % 30) - 30), x = ldexpf((float)(mix(k + 9) >> 42), (int)(mix(k + 3) % 40) - 48);
        long double exact = (long double)s + (long double)x; /* 64 bits: exact for these exponents, which are within 2^40 */
        float truncated = (float)exact;
        if ((long double)truncated > exact)
            truncated = nextafterf(truncated, 0);
        assert_true(eb_add_toward_zero(s, x) == truncated);
    }
}

/* ---- fast copy against definition ---- */

static void every_lane_equals_the_definition(void **state)
{
    (void)state;
    const char *const sets[] = {"base", "avx2", "avx512"};
    const size_t shapes[][2] = {{70, 16}, {33, 1}, {17, 7}, {40, 65}, {20, 300}, {1, 8}};
    for (size_t isa = 0; isa < 3; isa++) {
        assert_int_equal(setenv("EPSBENCH_ISA", sets[isa], 1), 0);
        for (size_t kind = 0; kind < KINDS; kind++) {
            for (size_t x = 0; x < sizeof shapes / sizeof shapes[0]; x++) {
                for (eb_tensor tensor = EB_TENSOR_SM80; tensor <= EB_TENSOR_SM90; tensor++) {
                    size_t n = shapes[x][0], d = shapes[x][1];
                    eb_dataset ds;
                    void *rows = make_points(n, d, kind, &ds);
                    eb_engine_options options = {.threads = 2, .tensor = tensor};
                    eb_timing timing = eb_timing_none();
                    eb_status status;
                    void *opened;
                    assert_int_equal(eb_engine_fasted_cpu.open(NULL, &ds, &options, NULL, &timing, &opened, &status), EB_OK);
                    uint16_t *half = malloc(n * d * sizeof *half);
                    uint32_t *queries = malloc(n * sizeof *queries);
                    double *s = malloc(n * n * sizeof *s);
                    assert_true(half && queries && s);
                    eb_to_f16(EB_F32, rows, n * d, half);
                    for (size_t i = 0; i < n; i++)
                        queries[i] = (uint32_t)i;
                    assert_int_equal(eb_engine_fasted_cpu.distances(opened, queries, n, s, NULL, &status), EB_OK);
                    for (size_t i = 0; i < n; i++) {
                        for (size_t j = 0; j < n; j++) {
                            float product = eb_tensor_dot(eb_tensor_model_of(tensor), half + i * d, half + j * d, d), norm_i = 0, norm_j = 0;
                            for (size_t k = 0; k < d; k++) {
                                norm_i = eb_add_toward_zero(norm_i, half_value(half[i * d + k]) * half_value(half[i * d + k]));
                                norm_j = eb_add_toward_zero(norm_j, half_value(half[j * d + k]) * half_value(half[j * d + k]));
                            }
                            float sum = norm_i + norm_j, q = sum - 2 * product;
                            double expected = i == j || !(q > 0) ? 0 : (double)q;
                            if (memcmp(&expected, &s[i * n + j], sizeof expected) != 0)
                                fail_msg("%s, kind %zu, %zu × %zu, pair (%zu, %zu): %.17g, expected %.17g", sets[isa], kind, n, d, i,
                                         j, s[i * n + j], expected);
                        }
                    }
                    free(half);
                    free(queries);
                    free(s);
                    free(rows);
                    eb_engine_fasted_cpu.close(opened);
                }
            }
        }
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

static eb_code keep_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

static void count_join_and_distances_agree(void **state)
{
    (void)state;
    eb_dataset ds;
    void *rows = make_points(300, 24, 0, &ds);
    eb_engine_options options = {.threads = 2, .tensor = EB_TENSOR_SM90};
    eb_timing timing = eb_timing_none();
    eb_status status;
    void *opened;
    assert_int_equal(eb_engine_fasted_cpu.open(NULL, &ds, &options, NULL, &timing, &opened, &status), EB_OK);
    uint32_t queries[300];
    for (uint32_t i = 0; i < 300; i++)
        queries[i] = i;
    double *s = malloc(300 * 300 * sizeof *s);
    assert_non_null(s);
    assert_int_equal(eb_engine_fasted_cpu.distances(opened, queries, 300, s, NULL, &status), EB_OK);
    double eps = eb_smallest_eps(s[5 * 300 + 77]); /* a pair exactly at ε counts */
    uint64_t expected = 0, counted = 0;
    for (size_t k = 0; k < 300 * 300; k++)
        expected += s[k] <= eb_squared_threshold(eps);
    assert_int_equal(eb_engine_fasted_cpu.count(opened, eps, NULL, &timing, &counted, &status), EB_OK);
    assert_int_equal(counted, expected);
    assert_int_equal(eb_engine_fasted_cpu.count(opened, nextafter(eps, 0), NULL, &timing, &counted, &status), EB_OK);
    assert_true(counted < expected);
    eb_neighbours *table = NULL;
    eb_join_plan plan = {.eps = eps, .distances = true, .whole = true};
    eb_join_result result;
    assert_int_equal(eb_join_run(&eb_engine_fasted_cpu, opened, 300, &options, &plan, keep_table, &table, NULL, &timing, &result, &status),
                     EB_OK);
    assert_int_equal(result.pairs, expected);
    for (size_t i = 0; i < 300; i++)
        for (uint64_t k = table->offsets[i]; k < table->offsets[i + 1]; k++)
            assert_true(table->distances[k] == sqrt(s[i * 300 + table->columns[k]]));
    eb_neighbours_free(table);
    free(s);
    eb_engine_fasted_cpu.close(opened);
    free(rows);
}

static void overflow_is_refused_with_its_place(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = make_points(40, 10, 0, &ds);
    rows[33 * 10 + 4] = 65520;
    eb_engine_options options = {.threads = 2};
    eb_timing timing = eb_timing_none();
    eb_status status;
    void *opened = NULL;
    assert_int_equal(eb_engine_fasted_cpu.open(NULL, &ds, &options, NULL, &timing, &opened, &status), EB_BAD_VALUE);
    assert_string_equal(status.message, "row 33, column 4: 65520 exceeds FP16's largest finite value, 65504; scale the data");
    assert_null(opened);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_make_plus_zero),
        cmocka_unit_test(truncation_keeps_f_bits_below_the_largest),
        cmocka_unit_test(truncation_is_toward_zero_for_either_sign),
        cmocka_unit_test(products_are_not_renormalised),
        cmocka_unit_test(the_sum_so_far_is_aligned_too),
        cmocka_unit_test(cancellation_leaves_exact_zero),
        cmocka_unit_test(subnormal_inputs_keep_exponent_minus_14),
        cmocka_unit_test(what_is_not_finite),
        cmocka_unit_test(models_differ_where_their_blocks_end),
        cmocka_unit_test(norms_truncate_at_every_step),
        cmocka_unit_test(every_lane_equals_the_definition),
        cmocka_unit_test(count_join_and_distances_agree),
        cmocka_unit_test(overflow_is_refused_with_its_place),
    };
    return cmocka_run_group_tests_name("cpu_fasted", tests, NULL, NULL);
}
