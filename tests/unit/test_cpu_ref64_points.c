/* Tests of ref64_points: the inequalities that the filter's proof needs, checked in a wider type, and when integers may
 * replace FP64. */
#include <math.h>

#include "kernels/ref64/cpu/points.h"
#include "tests/unit/test.h"

#define N 37u
#define D 29u

static double values[N * D];

static eb_dataset points_around(double centre, double spread)
{
    uint64_t x = 88172645463325252u;
    for (size_t k = 0; k < N * D; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        values[k] = centre + spread * ((double)(x >> 11) * 0x1p-53 - 0.5);
    }
    return (eb_dataset){.n = N, .d = D, .dtype = EB_F64, .rows = (const unsigned char *)values, .stride = D * 8};
}

static float lane(const eb_panels *panels, size_t i, size_t k)
{
    float x;
    memcpy(&x, &panels->lanes[(i / EB_PANEL * panels->steps + k) * EB_PANEL + i % EB_PANEL], sizeof x);
    return x;
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void expect_bounds(double centre, double spread)
{
    eb_dataset ds = points_around(centre, spread);
    eb_point_range range;
    eb_float_points points;
    assert_int_equal(eb_point_range_find(&ds, 2, NULL, &range, NULL), EB_OK);
    assert_true(eb_points_fit_floats(&range, D));
    assert_false(eb_points_fit_integers(&range, D));
    assert_int_equal(eb_float_points_make(&ds, &range, eb_ref64_round_row_base, 2, NULL, &points, NULL), EB_OK);
    for (size_t i = 0; i < N; i++) {
        long double norm2 = 0, residual2 = 0;
        for (size_t k = 0; k < D; k++) {
            long double z = ldexpl((long double)values[i * D + k] - (long double)range.mean[k], -points.exponent);
            long double v = (long double)lane(&points.panels, i, k);
            assert_true(fabsl(v) <= 1);
            norm2 += v * v;
            residual2 += (z - v) * (z - v);
        }
        assert_true(fabsl((long double)points.norm2[i] - norm2) <= norm2 * D * 0x1p-52L);
        assert_true((long double)points.residual[i] >= sqrtl(residual2));
        assert_true((long double)points.residual[i] <= 1.01L * sqrtl(residual2) + 1e-14L); /* and the bound is tight */
    }
    /* At a limit equal to the pair's exact s, its dot product reaches the threshold. */
    uint32_t h[48];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) {
            eb_filter_thresholds(&points, D, eb_truth_distance2(&ds, i, j), h);
            long double dot = 0;
            for (size_t k = 0; k < D; k++)
                dot += (long double)lane(&points.panels, i, k) * (long double)lane(&points.panels, j, k);
            assert_true((long double)(as_float(h[i]) + as_float(h[j])) <= dot);
        }
    assert_true(isinf(as_float(h[N])) && as_float(h[47]) > 0); /* padding: no such point */
    eb_float_points_free(&points);
    eb_point_range_free(&range);
}

TEST(the_filter_knows_what_fp32_lost)
{
    expect_bounds(0, 1);
    expect_bounds(1e9, 1e-3); /* subtracting the mean leaves few digits */
    expect_bounds(-3, 1e200);
    expect_bounds(0, 1e-200);
}

TEST(a_wide_limit_lets_everything_through)
{
    eb_dataset ds = points_around(0, 1);
    eb_point_range range;
    eb_float_points points;
    uint32_t h[48];
    assert_int_equal(eb_point_range_find(&ds, 1, NULL, &range, NULL), EB_OK);
    assert_int_equal(eb_float_points_make(&ds, &range, eb_ref64_round_row_base, 1, NULL, &points, NULL), EB_OK);
    const double limits[] = {1e40, 1e300, INFINITY};
    for (size_t k = 0; k < 3; k++) {
        eb_filter_thresholds(&points, D, limits[k], h);
        for (size_t i = 0; i < N; i++)
            assert_true(as_float(h[i]) < -1e6f); /* and not NaN */
    }
    eb_float_points_free(&points);
    eb_point_range_free(&range);
}

TEST(integers_stand_in_only_where_nothing_overflows)
{
    double low[2] = {0, -10}, high[2] = {65535, -10}, mean[2] = {1, -10};
    eb_point_range range = {.low = low, .high = high, .mean = mean, .integers = true};
    assert_true(eb_points_fit_integers(&range, 2)); /* 65535² < 2^32 */
    high[1] = 352;                                  /* 65535² + 362² is still below 2^32, by 27 */
    assert_true(eb_points_fit_integers(&range, 2));
    high[1] = 353;
    assert_false(eb_points_fit_integers(&range, 2));
    high[1] = -10;
    high[0] = 65536; /* 17 bits */
    assert_false(eb_points_fit_integers(&range, 2));
    high[0] = 5;
    low[0] = high[0] = 0x1p60; /* no spread, but x − low would have to be exact at this size */
    assert_false(eb_points_fit_integers(&range, 2));
    low[0] = 0;
    high[0] = 5;
    range.integers = false;
    assert_false(eb_points_fit_integers(&range, 2));
    range = (eb_point_range){.bytes_only = true};
    assert_true(eb_points_fit_integers(&range, EB_MAX_DIMENSIONS));
}

TEST(one_fraction_among_integers_is_found)
{
    eb_dataset ds = points_around(0, 0);
    eb_point_range range;
    for (size_t k = 0; k < N * D; k++)
        values[k] = (double)(k % 100);
    assert_int_equal(eb_point_range_find(&ds, 2, NULL, &range, NULL), EB_OK);
    assert_true(range.integers && range.low[0] == 0);
    eb_point_range_free(&range);
    values[N * D - 1] += 0.5;
    assert_int_equal(eb_point_range_find(&ds, 2, NULL, &range, NULL), EB_OK);
    assert_false(range.integers);
    assert_true(range.high[D - 1] >= values[N * D - 1]);
    eb_point_range_free(&range);
    values[0] = 1e300;
    values[N * D - 1] = 1;
    assert_int_equal(eb_point_range_find(&ds, 2, NULL, &range, NULL), EB_OK);
    assert_false(range.integers); /* an integer, but too large for integer arithmetic */
    eb_point_range_free(&range);
}

RUN_TESTS
