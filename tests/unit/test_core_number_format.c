/* number_format, number_effect: every code of every format, and what rounding does to points. */
#include <float.h>
#include <math.h>

#include "core/data/number_effect.h"
#include "core/data/number_format.h"
#include "core/formats8/format8.h"
#include "tests/unit/test.h"

static const eb_number_format *named(const char *name)
{
    const eb_number_format *f = eb_number_format_named(name);
    assert_non_null(f);
    return f;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* ---- codes ---- */

TEST(codes_of_a_byte_are_those_of_format8)
{
    static const char *const names[EB_FORMATS8] = {"e5m3", "e4m4", "e4m3", "e5m2"};
    for (eb_format8 k = 0; k < EB_FORMATS8; k++)
        for (unsigned code = 0; code < 256; code++) {
            const double x = (double)eb_format8_decode(k, (uint8_t)code);
            assert_true(same(eb_number_decode(named(names[k]), code), x));
            if (isfinite(x))
                assert_int_equal(eb_number_encode(named(names[k]), x), code);
        }
}

TEST(wide_codes_are_the_bits_of_the_machines_numbers)
{
    uint64_t z = 1;
    for (uint32_t half = 0; half < 65536; half++) {
        const double x = (double)eb_half_to_float((uint16_t)half);
        assert_true(same(eb_number_decode(named("f16"), half), x));
        if (isfinite(x))
            assert_int_equal(eb_number_encode(named("f16"), x), half);
    }
    for (int k = 0; k < 20000; k++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        const uint32_t bits = (uint32_t)(z >> 32);
        float single;
        double number;
        memcpy(&single, &bits, sizeof single);
        memcpy(&number, &z, sizeof number);
        assert_true(same(eb_number_decode(named("f32"), bits), (double)single));
        assert_true(same(eb_number_decode(named("f64"), z), number));
        if (isfinite(number))
            assert_true(eb_number_encode(named("f64"), number) == z);
        if (isfinite(single)) {
            assert_true(eb_number_encode(named("f32"), (double)single) == bits);
            assert_true(eb_number_encode(named("bf16"), eb_number_decode(named("bf16"), bits >> 16)) == bits >> 16);
            assert_true(eb_number_encode(named("tf32"), eb_number_decode(named("tf32"), bits >> 13)) == bits >> 13);
        }
    }
}

TEST(facts_follow_from_codes)
{
    for (size_t k = 0; k < EB_NUMBER_FORMATS; k++) {
        const eb_number_format *f = eb_number_format_at(k);
        for (int n = 0; n < EB_NUMBERS; n++) {
            const eb_number_type *type = eb_number_type_of((eb_number)n);
            if (strcmp(type->name, f->name) != 0)
                continue;
            assert_true(eb_number_greatest(f) == type->greatest);
            assert_true(type->digits == 0 || eb_number_digits(f) == type->digits);
            assert_true(type->digits == 0 || eb_number_normal(f) == ldexp(1, type->least_exponent));
        }
        assert_true(isnan(eb_number_above(f, eb_number_greatest(f))));
        assert_true(eb_number_least(f) > 0);
    }
    assert_true(eb_number_greatest(named("f32")) == FLT_MAX);
    assert_true(eb_number_least(named("f64")) == 5e-324);
    assert_true(fabs(eb_number_error(named("e4m3")) - eb_format8_relative_error(EB_E4M3)) < 1e-16);
}

/* ---- neighbours ---- */

TEST(neighbours_enclose_a_value)
{
    assert_true(eb_number_below(named("bf16"), 0.1) == 0.099609375);
    assert_true(eb_number_above(named("bf16"), 0.1) == 0.10009765625);
    assert_true(eb_number_below(named("bf16"), 1) == 1 - 0x1p-8);
    assert_true(eb_number_above(named("f64"), 0.1) == nextafter(0.1, 1));
    assert_true(eb_number_below(named("f64"), 0) == -5e-324);
    assert_true(eb_number_above(named("e4m3"), -0x1p-9) == 0);
    assert_true(eb_number_below(named("e4m3"), 1e9) == 448);
    assert_true(isnan(eb_number_above(named("e4m3"), 1e9)));
    assert_true(eb_number_below(named("f16"), 1e9) == 65504);
    assert_true(isnan(eb_number_above(named("f16"), 1e9)));
    assert_true(eb_number_above(named("f16"), -1e9) == -65504);
    assert_true(eb_number_above(named("e5m3"), -1) == 0x1p-15);
    assert_true(isnan(eb_number_below(named("e5m3"), -1)));
    assert_true(eb_number_below(named("s8"), 2.5) == 2 && eb_number_above(named("s8"), 2.5) == 3);
    assert_true(isnan(eb_number_below(named("s8"), -127)));
    for (size_t k = 0; k < EB_NUMBER_FORMATS; k++) {
        const eb_number_format *f = eb_number_format_at(k);
        for (double x = -300; x < 300; x += 0.37) {
            const double below = eb_number_below(f, x), above = eb_number_above(f, x),
                         near = eb_number_decode(f, eb_number_encode(f, x));
            assert_true(isnan(below) || below < x);
            assert_true(isnan(above) || above > x);
            assert_true(near == x || same(near, below) || same(near, above));
            if (!isnan(below) && !isnan(above) && near != x)
                assert_true(eb_number_above(f, below) == above && eb_number_below(f, above) == below);
        }
    }
}

TEST(bits_are_cut_between_sign_exponent_and_fraction)
{
    char out[EB_NUMBER_BITS];
    assert_string_equal(eb_number_bits(named("bf16"), 0x3dcd, out), "0.01111011.1001101");
    assert_string_equal(eb_number_bits(named("e5m3"), 0x48, out), "01001.000");
    assert_string_equal(eb_number_bits(named("s8"), 0xff, out), "11111111");
    assert_int_equal(strlen(eb_number_bits(named("f64"), UINT64_MAX, out)), 66);
    assert_null(eb_number_format_named("e3m4"));
}

/* ---- what rounding does to points ---- */

static eb_number_effect effect_of(const float *x, size_t n, size_t d, eb_number_try try, unsigned threads)
{
    const eb_dataset ds = {.n = n, .d = d, .dtype = EB_F32, .rows = (const void *)x, .stride = d * sizeof *x};
    eb_number_effect out;
    assert_int_equal(eb_number_effects(&ds, n, &try, 1, threads, NULL, &out, NULL), EB_OK);
    return out;
}

TEST(effects_are_counted)
{
    const float x[] = {1, 500, 0x1p-11F, 3};
    const eb_number_effect e4m3 = effect_of(x, 2, 2, (eb_number_try){EB_E4M3_NUMBER, false, EB_FIT_NONE}, 1);
    assert_int_equal(e4m3.changed, 2);
    assert_int_equal(e4m3.beyond, 1);
    assert_int_equal(e4m3.vanished, 1);
    assert_true(e4m3.moved_most == 52 && fabs(e4m3.moved_mean - (52 + 0x1p-11) / 2) < 1e-12);
    const float large[] = {1, 1e6F};
    assert_true(isinf(effect_of(large, 2, 1, (eb_number_try){EB_F16_NUMBER, false, EB_FIT_NONE}, 1).moved_most));
    const eb_number_effect scaled = effect_of(large, 2, 1, (eb_number_try){EB_F16_NUMBER, false, EB_FIT_POWER}, 1);
    assert_int_equal(scaled.power, -5);
    assert_int_equal(scaled.beyond, 0);
    assert_int_equal(scaled.changed, 1); /* 10^6 has 14 digits */
}

TEST(preparation_is_that_of_the_engine)
{
    const float x[] = {10, 12, 10, 8, 10.5F, 10};
    const eb_number_effect step = effect_of(x, 3, 2, (eb_number_try){EB_S8, true, EB_FIT_STEP}, 1);
    assert_true(fabs(step.step * 127 - 2) < 1e-12); /* the means are 10.1667 and 10 */
    assert_int_equal(step.beyond, 0);
    const float far[] = {1000, 0, 1, 0.5F};
    const eb_number_effect one = effect_of(far, 2, 2, (eb_number_try){EB_S8, false, EB_FIT_STEP}, 1),
                           each = effect_of(far, 2, 2, (eb_number_try){EB_S8, false, EB_FIT_POINT_STEPS}, 1);
    assert_int_equal(one.vanished, 2);
    assert_int_equal(each.vanished, 0);
    assert_true(each.moved_most < 0.005 && one.moved_most > 1);
    const eb_number_effect zero = effect_of((const float[]){0, 0}, 1, 2, (eb_number_try){EB_S8, true, EB_FIT_STEP}, 1);
    assert_true(zero.changed == 0 && zero.moved_most == 0);
}

TEST(a_sample_is_spread_over_all_points)
{
    float x[100];
    for (int k = 0; k < 100; k++)
        x[k] = k < 50 ? 1 : 1 + 0x1p-12F;
    const eb_dataset ds = {.n = 100, .d = 1, .dtype = EB_F32, .rows = (const void *)x, .stride = sizeof *x};
    const eb_number_try try = {EB_F16_NUMBER, false, EB_FIT_NONE};
    eb_number_effect out;
    assert_int_equal(eb_number_effects(&ds, 10, &try, 1, 1, NULL, &out, NULL), EB_OK);
    assert_int_equal(out.changed, 5);
    assert_true(fabs(out.moved_mean - 0x1p-13) < 1e-18);
}

TEST(threads_change_no_effect)
{
    enum { N = 700, D = 3 };
    float x[N * D];
    for (int k = 0; k < N * D; k++)
        x[k] = sinf((float)k) * 9;
    for (int number = EB_TF32; number < EB_NUMBERS; number++) {
        const eb_number_try try = {(eb_number)number, true, number == EB_S8 ? EB_FIT_STEP : EB_FIT_POWER};
        const eb_number_effect one = effect_of(x, N, D, try, 1), three = effect_of(x, N, D, try, 3);
        assert_memory_equal(&one, &three, sizeof one);
        assert_true(one.changed > 0 && one.moved_mean <= one.moved_most);
    }
}

RUN_TESTS
