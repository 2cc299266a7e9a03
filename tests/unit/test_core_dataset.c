/* dtype, dataset, dataset_stats: conversions, exact distances, sealing, and the effect of FP16 on a dataset. */
#include <float.h>
#include <math.h>

#include "core/data/rounding.h"
#include "tests/unit/test.h"

static eb_dataset make(const void *rows, size_t n, size_t d, eb_dtype dtype)
{
    return (eb_dataset){.n = n,
                        .d = d,
                        .dtype = dtype,
                        .rows = rows,
                        .stride = d * eb_dtype_size(dtype),
                        .source = (char *)(uintptr_t) "test"};
}

TEST(every_half_survives_the_round_trip)
{
    for (uint32_t h = 0; h < 65536; h++) {
        float x = eb_half_to_float((uint16_t)h);
        if (isnan(x))
            assert_true(isnan(eb_half_to_float(eb_half_from_double((double)x))));
        else
            assert_int_equal(eb_half_from_double((double)x), h);
    }
}

TEST(half_rounds_to_nearest_even_once)
{
    assert_int_equal(eb_half_from_double(1 + 0x1p-11), 0x3c00);     /* a tie goes to the even 1.0 */
    assert_int_equal(eb_half_from_double(1 + 3 * 0x1p-11), 0x3c02); /* a tie goes up to the even one */
    assert_int_equal(eb_half_from_double(1 + 0x1p-11 + 0x1p-40),
                     0x3c01);                                 /* rounding to FP32 first would make this a tie */
    assert_int_equal(eb_half_from_double(65519.999), 0x7bff); /* largest finite */
    assert_int_equal(eb_half_from_double(65520), 0x7c00);
    assert_int_equal(eb_half_from_double(-65520), 0xfc00);
    assert_int_equal(eb_half_from_double(0x1p-24), 1);
    assert_int_equal(eb_half_from_double(0x1p-25), 0); /* tie with zero */
    assert_int_equal(eb_half_from_double(0x1p-25 * 1.0001), 1);
    assert_int_equal(eb_half_from_double(0x1p-14 - 0x1p-26), 0x0400); /* rounds up into the normals */
    assert_int_equal(eb_half_from_double(-0.0), 0x8000);
    assert_int_equal(eb_half_from_double(5e-324), 0);
}

TEST(conversion_handles_unaligned_rows_of_every_type)
{
    unsigned char bytes[1 + 2 * 8];
    double out[2];
    int32_t i32[] = {-2147483647 - 1, 7};
    memcpy(bytes + 1, i32, sizeof i32);
    eb_to_f64(EB_I32, bytes + 1, 2, out);
    assert_true(out[0] == -2147483648.0 && out[1] == 7);
    int16_t i16[] = {-32768, 32767};
    memcpy(bytes + 1, i16, sizeof i16);
    eb_to_f64(EB_I16, bytes + 1, 2, out);
    assert_true(out[0] == -32768 && out[1] == 32767);
    int8_t i8[] = {-128, 127};
    eb_to_f64(EB_I8, i8, 2, out);
    assert_true(out[0] == -128 && out[1] == 127);
    double f64[] = {1e300, -0.1};
    memcpy(bytes + 1, f64, sizeof f64);
    eb_to_f64(EB_F64, bytes + 1, 2, out);
    assert_true(out[0] == 1e300 && out[1] == -0.1);
    uint16_t half[2];
    eb_to_f16(EB_F64, bytes + 1, 2, half);
    assert_int_equal(half[0], 0x7c00);
    uint8_t u8[] = {0, 255};
    eb_to_f16(EB_U8, u8, 2, half);
    assert_int_equal(half[1], 0x5bf8);
}

TEST(the_truth_is_an_fma_chain)
{
    double points[] = {0, 0, 0, 0x1p-27, 1, 3};
    eb_dataset ds = make(points, 2, 3, EB_F64);
    /* s = 2^-54, then fma(1,1,2^-54) = 1 (rounded), then 10: each step rounds once. */
    assert_true(eb_truth_distance2(&ds, 0, 1) == fma(3, 3, fma(1, 1, 0x1p-54)));
    assert_true(eb_truth_distance2(&ds, 1, 0) == eb_truth_distance2(&ds, 0, 1));
    assert_true(eb_truth_distance2(&ds, 1, 1) == 0);
}

TEST(smallest_eps_inverts_the_test)
{
    assert_true(eb_smallest_eps(0) == 0);
    const double values[] = {5e-324, 1e-320, 0x1p-1022, 1e-300, 0.1, 1, 2, 3, 2119530, 1e10 / 3, 1e300, 1.7e308};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        double eps = eb_smallest_eps(values[k]);
        assert_true(eb_squared_threshold(eps) >= values[k]);
        assert_true(eb_squared_threshold(nextafter(eps, 0)) < values[k]);
    }
    for (int exponent = -1000; exponent <= 1000; exponent += 50)
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            const double eps = eb_smallest_eps_scaled(values[k], exponent);
            const bool reached = eb_squared_threshold(eb_scaled_eps(eps, exponent)) >= values[k];
            assert_true(reached || eps == DBL_MAX);
            assert_true(eb_squared_threshold(eb_scaled_eps(nextafter(eps, 0), exponent)) < values[k]);
        }
    assert_true(isinf(eb_squared_threshold(eb_smallest_eps(INFINITY))));
    assert_true(eb_smallest_eps_scaled(INFINITY, -1000) == DBL_MAX);
}

TEST(the_seal_refuses_what_is_not_finite)
{
    eb_status status;
    float rows[6] = {1, 2, 3, 4, 5, 6};
    eb_dataset ds = make(rows, 2, 3, EB_F32);
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_OK);
    char before[65];
    memcpy(before, ds.sha256, sizeof before);
    rows[5] = NAN;
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_BAD_VALUE);
    assert_string_equal(status.message, "test: row 1, column 2 is NaN; expected a finite number");
    rows[5] = -INFINITY;
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 1, column 2 is -Inf"));
    rows[5] = 6;
    assert_int_equal(eb_dataset_seal(&ds, &status), EB_OK);
    assert_string_equal(ds.sha256, before);
}

TEST(the_hash_is_of_the_points_not_of_their_layout)
{
    eb_status status;
    const unsigned char packed[] = {1, 2, 3, 4}, spaced[] = {1, 2, 9, 3, 4, 9};
    eb_dataset a = make(packed, 2, 2, EB_U8), b = make(spaced, 2, 2, EB_U8), c = make(packed, 1, 4, EB_U8);
    b.stride = 3;
    assert_int_equal(eb_dataset_seal(&a, &status), EB_OK);
    assert_int_equal(eb_dataset_seal(&b, &status), EB_OK);
    assert_int_equal(eb_dataset_seal(&c, &status), EB_OK);
    assert_string_equal(a.sha256, b.sha256);
    assert_string_not_equal(a.sha256, c.sha256);
    /* printf 'u8 2 2\n\1\2\3\4' | sha256sum */
    assert_string_equal(a.sha256, "8b64912eb52c73016633b4fbcf2f0b60377c5f0014c063c8fb1c0309cabdd980");
}

TEST(shapes_are_checked)
{
    eb_status status;
    assert_int_equal(eb_dataset_check_shape("x", 1, 1, EB_U8, &status), EB_OK);
    assert_int_equal(eb_dataset_check_shape("x", EB_MAX_POINTS, EB_MAX_DIMENSIONS, EB_F64, &status), EB_OK);
    assert_int_equal(eb_dataset_check_shape("x", 0, 1, EB_U8, &status), EB_BAD_FORMAT);
    assert_int_equal(eb_dataset_check_shape("x", 1, 65537, EB_U8, &status), EB_TOO_LARGE);
    assert_int_equal(eb_dataset_check_shape("x", 2147483648u, 1, EB_U8, &status), EB_TOO_LARGE);
    assert_int_equal(eb_dataset_check_shape("x", ~0ull, ~0ull, EB_F64, &status), EB_TOO_LARGE);
}

TEST(stats_of_a_hostile_dataset)
{
    eb_status status;
    const double rows[] = {0, 1, 70000, -1, 0x1p-20, 0.1, 0, 1, 70000, 3, 4, 0};
    eb_dataset ds = make(rows, 4, 3, EB_F64);
    for (unsigned threads = 1; threads <= 3; threads++) {
        eb_dataset_stats s;
        assert_int_equal(eb_dataset_stats_compute(&ds, 0, threads, NULL, &s, &status), EB_OK);
        assert_true(s.min == -1 && s.max == 70000);
        assert_int_equal(s.zeros, 3);
        assert_int_equal(s.duplicate_rows, 1);
        assert_false(s.integral);
        assert_true(s.norm_max == sqrt(1 + 70000.0 * 70000.0));
        eb_rounded r;
        assert_int_equal(eb_rounding_find(&eb_rounding_fp16, &ds, 0, threads, NULL, &r, &status), EB_OK);
        assert_int_equal(r.overflow, 2);
        assert_int_equal(r.overflow_row, 0);
        assert_int_equal(r.overflow_column, 2);
        assert_int_equal(r.subnormal, 1);
        assert_int_equal(r.inexact, 1); /* 0.1; 2^-20 is subnormal but exact */
        assert_int_equal(r.moved, 3);
        assert_true(fabs(r.moved_most - fabs(0.1 - (double)eb_half_to_float(0x2e66))) < 1e-12);
        assert_false(eb_rounds_nothing(&eb_rounding_fp16, &r, &s));
    }
}

/* Rows i and i + 5000, i below 1000, are equal, and 3000 more equal each other. */
TEST(duplicates_are_counted_in_any_room)
{
    enum { N = 10000 };
    static double rows[N][2];
    eb_status status;
    for (size_t i = 0; i < N; i++) {
        rows[i][0] = i >= 7000 ? -1 : (double)(i >= 5000 && i < 6000 ? i - 5000 : i);
        rows[i][1] = 7;
    }
    const eb_dataset ds = make(&rows[0][0], N, 2, EB_F64);
    const uint64_t room[] = {0, 1, 4096, 65536, 1 << 30};
    for (size_t k = 0; k < sizeof room / sizeof room[0]; k++) {
        eb_dataset_stats s;
        assert_int_equal(eb_dataset_stats_compute(&ds, room[k], 1 + (unsigned)k % 3, NULL, &s, &status), EB_OK);
        assert_int_equal(s.duplicate_rows, 1000 + 2999);
    }
}

static bool rounds_nothing(const eb_dataset *ds)
{
    eb_status status;
    eb_dataset_stats s;
    eb_rounded r;
    assert_int_equal(eb_dataset_stats_compute(ds, 0, 2, NULL, &s, &status), EB_OK);
    assert_int_equal(eb_rounding_find(&eb_rounding_fp16, ds, 0, 2, NULL, &r, &status), EB_OK);
    return eb_rounds_nothing(&eb_rounding_fp16, &r, &s);
}

TEST(small_integers_join_exactly_in_fp16)
{
    unsigned char rows[2 * 128];
    memset(rows, 255, sizeof rows); /* norm² = 128 · 255² = 8,323,200 < 2^23 */
    eb_dataset ds = make(rows, 2, 128, EB_U8);
    assert_true(rounds_nothing(&ds));
    ds = make(rows, 1, 256, EB_U8);
    assert_false(rounds_nothing(&ds));
}

RUN_TESTS
