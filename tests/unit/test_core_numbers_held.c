/* numbers_held: which number types hold all values of a dataset, against rounding them one by one. */
#include <float.h>
#include <math.h>

#include "core/data/numbers_held.h"
#include "tests/unit/test.h"

static eb_dataset points_of(const void *rows, size_t n, size_t d, eb_dtype dtype)
{
    return (eb_dataset){.n = n, .d = d, .dtype = dtype, .rows = rows, .stride = d * eb_dtype_size(dtype)};
}

typedef struct answers {
    eb_held of[EB_NUMBERS];
} answers;

static answers held_in(const void *rows, size_t n, size_t d, eb_dtype dtype, unsigned threads)
{
    const eb_dataset ds = points_of(rows, n, d, dtype);
    answers out;
    assert_int_equal(eb_numbers_held(&ds, threads, NULL, out.of, NULL), EB_OK);
    return out;
}

static answers held(const double *x, size_t count) { return held_in(x, count, 1, EB_F64, 1); }

/* The types that hold the values as stored, each by its name and a blank. */
static const char *exact(answers a, char out[64])
{
    out[0] = '\0';
    for (int k = 0; k < EB_NUMBERS; k++)
        if (a.of[k].exact)
            (void)strcat(strcat(out, eb_number_type_of((eb_number)k)->name), " ");
    return out;
}

static const char *exact_scaled(answers a, char out[64])
{
    for (int k = 0; k < EB_NUMBERS; k++)
        a.of[k].exact = a.of[k].exact_scaled;
    return exact(a, out);
}

#define HOLDS(expected, ...)                                                                                           \
    do {                                                                                                               \
        const double x[] = {__VA_ARGS__};                                                                              \
        assert_string_equal(exact(held(x, sizeof x / sizeof *x), (char[64]){0}), expected);                            \
    } while (0)
#define HOLDS_SCALED(expected, ...)                                                                                    \
    do {                                                                                                               \
        const double x[] = {__VA_ARGS__};                                                                              \
        assert_string_equal(exact_scaled(held(x, sizeof x / sizeof *x), (char[64]){0}), expected);                     \
    } while (0)

TEST(each_type_ends_at_its_digits_its_greatest_and_its_least_number)
{
    HOLDS("f64 tf32 bf16 f16 e4m3 e5m2 s8 ", 0, -0.0, 0);
    HOLDS("f64 tf32 bf16 f16 e4m3 e5m2 s8 ", 1, -2, 0);
    HOLDS("f64 tf32 bf16 f16 s8 ", 127);
    HOLDS("f64 tf32 bf16 f16 ", 255);
    HOLDS("f64 tf32 f16 ", 257);
    HOLDS("f64 ", 2049);
    HOLDS("f64 ", 0.1);
    HOLDS("f64 tf32 bf16 f16 e4m3 e5m2 ", 448, 0x1p-9);
    HOLDS("f64 tf32 bf16 f16 ", 480, 0x1p-9);
    HOLDS("f64 tf32 bf16 f16 e5m2 ", 448, 0x1p-10);
    HOLDS("f64 tf32 bf16 f16 e5m2 ", 57344, -0x1p-16);
    HOLDS("f64 tf32 bf16 f16 ", 61440);
    HOLDS("f64 tf32 f16 ", 65504);
    HOLDS("f64 tf32 bf16 ", 65536);
    HOLDS("f64 tf32 bf16 ", 1, 0x1p-25);
    HOLDS("f64 tf32 f16 ", 1023 * 0x1p-24); /* subnormal, all of its digits used */
    HOLDS("f64 tf32 bf16 ", 0x1.fep127, 0x1p-133);
    HOLDS("f64 tf32 ", 0x1.ffcp127, 0x1p-136);
    HOLDS("f64 ", 0x1p-137);
    HOLDS("f64 ", 0x1p128);
    HOLDS("f64 ", DBL_MAX, 5e-324);
}

TEST(a_power_of_two_or_a_step_may_help)
{
    HOLDS_SCALED("f64 tf32 bf16 f16 e4m3 e5m2 s8 ", 0x1p200, 0x1p201);
    HOLDS_SCALED("f64 tf32 bf16 f16 e4m3 e5m2 s8 ", 5e-324);
    HOLDS_SCALED("f64 tf32 bf16 f16 e4m3 e5m2 s8 ", DBL_MIN, -DBL_MIN);
    HOLDS_SCALED("f64 tf32 bf16 f16 e4m3 e5m2 ", 0x1p100, 0x1p117); /* 2^-9 … 2^8 */
    HOLDS_SCALED("f64 tf32 bf16 f16 e5m2 ", 0x1.8p100, 0x1p118);    /* 18 octaves and a bit */
    HOLDS_SCALED("f64 s8 ", 0.1, 0.2, -0.4);                        /* steps of 0.1 */
    HOLDS_SCALED("f64 tf32 bf16 f16 s8 ", 30, -60, 90);             /* steps of 30 */
    HOLDS_SCALED("f64 tf32 f16 s8 ", 999, 0, -999);
    HOLDS_SCALED("f64 ", 0.1, 1);
    HOLDS_SCALED("f64 tf32 bf16 ", 0x1p-120, 0x1p120);
    HOLDS_SCALED("f64 ", 0x1p-140, 0x1p140);
    const double far[] = {0x1p-30, 0x1p-20}, near[] = {3, -9}, large[] = {0x1p100};
    assert_int_equal(held(far, 2).of[EB_F16_NUMBER].exponent, 6); /* 2^−24 … */
    assert_int_equal(held(near, 2).of[EB_F16_NUMBER].exponent, 0);
    assert_int_equal(held(large, 1).of[EB_E4M3_NUMBER].exponent, -92);
    assert_true(held(near, 2).of[EB_S8].step == 3);
    assert_true(held(near, 2).of[EB_S8].exact);
}

/* Rounds every value; the definition. */
static bool rounds_nothing(const eb_number_type *type, const double *x, size_t count, double factor)
{
    for (size_t k = 0; k < count; k++) {
        double y = x[k] * factor, rounded;
        (void)eb_numbers_round(type, &y, 1, &rounded);
        if (rounded != y)
            return false;
    }
    return true;
}

static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

TEST(rounding_agrees_on_random_bits)
{
    uint64_t seed = 1;
    size_t exact_cases = 0, scaled_cases = 0;
    for (int round = 0; round < 4000; round++) {
        double x[3];
        const unsigned digits = 1 + (unsigned)(next(&seed) % 12), spread = 1 + (unsigned)(next(&seed) % 20);
        const int centre = (int)(next(&seed) % 60) - 30;
        for (size_t k = 0; k < 3; k++)
            x[k] = ldexp((double)(next(&seed) >> (64 - digits)), centre + (int)(next(&seed) % spread));
        const answers a = held(x, 3);
        for (int k = EB_TF32; k < EB_NUMBERS; k++) {
            const eb_number_type *type = eb_number_type_of((eb_number)k);
            bool some = false;
            for (int power = -80; power <= 80 && k != EB_S8; power++)
                some |= rounds_nothing(type, x, 3, ldexp(1, power));
            assert_int_equal(a.of[k].exact, rounds_nothing(type, x, 3, 1));
            if (k != EB_S8)
                assert_int_equal(a.of[k].exact_scaled, some);
            if (a.of[k].exact_scaled)
                assert_true(rounds_nothing(type, x, 3, ldexp(1, a.of[k].exponent) / a.of[k].step));
            exact_cases += a.of[k].exact;
            scaled_cases += a.of[k].exact_scaled;
        }
    }
    assert_true(exact_cases > 1000 && scaled_cases > exact_cases + 1000);
}

TEST(stored_types_are_read_as_numbers)
{
    char text[64];
    const uint8_t bytes[] = {0, 127, 255, 3};
    const int8_t levels[] = {-127, 5, 0, 127}, low[] = {-128, 51, 0, 1};
    const int32_t wide[] = {INT32_MIN, 0};
    const uint16_t halves[] = {0x3c01, 0x0001};
    const float single[] = {1 + 0x1p-7F, -3};
    assert_string_equal(exact(held_in(bytes, 2, 2, EB_U8, 1), text), "f64 tf32 bf16 f16 ");
    assert_string_equal(exact(held_in(levels, 2, 2, EB_I8, 1), text), "f64 tf32 bf16 f16 s8 ");
    assert_string_equal(exact(held_in(low, 2, 2, EB_I8, 1), text), "f64 tf32 bf16 f16 ");
    assert_string_equal(exact(held_in(wide, 1, 2, EB_I32, 1), text), "f64 tf32 bf16 ");
    assert_string_equal(exact(held_in(halves, 1, 2, EB_F16, 1), text), "f64 tf32 f16 ");
    assert_string_equal(exact(held_in(single, 1, 2, EB_F32, 1), text), "f64 tf32 bf16 f16 ");
}

TEST(threads_and_the_place_of_a_value_change_nothing)
{
    enum { N = 3000, D = 7 };
    float *x = malloc(sizeof(float) * N * D);
    assert_non_null(x);
    for (size_t k = 0; k < (size_t)N * D; k++)
        x[k] = (float)(k % 200);
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_string_equal(exact(held_in(x, N, D, EB_F32, threads), (char[64]){0}), "f64 tf32 bf16 f16 ");
    x[N * D - 1] = 0.1F;
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_string_equal(exact(held_in(x, N, D, EB_F32, threads), (char[64]){0}), "f64 ");
    x[N * D - 1] = 300;
    x[0] = 0.1F;
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_string_equal(exact(held_in(x, N, D, EB_F32, threads), (char[64]){0}), "f64 ");
    free(x);
}

static double step_of(const float *x, size_t count, unsigned levels)
{
    const eb_dataset first = points_of(x, 1, 1, EB_F32), rest = points_of(x + 1, count - 1, 1, EB_F32);
    double step = -1;
    assert_int_equal(eb_numbers_step((const eb_dataset *[]){&first, &rest}, 2, levels, 2, NULL, &step, NULL), EB_OK);
    return step;
}

TEST(a_common_step_is_found_or_there_is_none)
{
    assert_true(step_of((const float[]){-3, 6, 127}, 3, 127) == 1);
    assert_true(step_of((const float[]){-3, 6, 128}, 3, 127) == 0);
    assert_true(step_of((const float[]){-3, 6, 129}, 3, 127) == 3);
    assert_true(step_of((const float[]){0.25F, 31.75F}, 2, 127) == 0.25);
    assert_true(step_of((const float[]){0.1F, 1}, 2, 127) == 0);
    assert_true(step_of((const float[]){0, -0.0F}, 2, 127) == 1);
    assert_true(step_of((const float[]){16256, 3001}, 2, 16256) == 1); /* more digits than BF16 has */
    assert_true(step_of((const float[]){16257, 3001}, 2, 16256) == 0);
    assert_true(step_of((const float[]){1048576, 1048575}, 2, 1048576) == 1);
}

RUN_TESTS
