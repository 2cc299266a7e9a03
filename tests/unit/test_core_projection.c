/* projection and the histogram of values: known planes and lines are found, nothing overflows, every value counts. */
#include <float.h>
#include <math.h>

#include "core/data/dataset_stats.h"
#include "core/data/projection.h"
#include "tests/unit/naive_points.h"
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

static eb_projection project(const eb_dataset *ds, size_t points, unsigned threads)
{
    eb_projection p;
    eb_status status = {0};
    if (eb_project(ds, points, threads, NULL, &p, &status))
        fail_msg("%s", status.message);
    for (size_t k = 0; k < p.points; k++)
        assert_true(isfinite(p.x[k]) && isfinite(p.y[k]));
    return p;
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g within %g", found, expected, tolerance);
}

static double uniform(uint64_t *seed) { return (double)(naive_random(seed) >> 11) * 0x1p-53 - 0.5; }

/* ---- projection ---- */

enum { N = 500, D = 20 };

/* Points o + a·u + b·v with u ⊥ v unit vectors and a spread wider than b. */
static double plane[N][D], along_u[N], along_v[N];

static void make_plane(double scale)
{
    uint64_t seed = 3;
    double mean_u = 0, mean_v = 0;
    for (size_t i = 0; i < N; i++) {
        along_u[i] = 10 * uniform(&seed);
        along_v[i] = 4 * uniform(&seed);
        mean_u += along_u[i] / N;
        mean_v += along_v[i] / N;
    }
    /* u is (1, 1, 1, 1, 0 …)/2 and v is (0 …, 0.6, −0.8): their signs are those of the largest components. */
    for (size_t i = 0; i < N; i++) {
        along_u[i] -= mean_u;
        along_v[i] -= mean_v;
        for (size_t k = 0; k < D; k++)
            plane[i][k] = scale * (3 + (k < 4 ? along_u[i] / 2 : 0) + (k == D - 2 ? -0.6 * along_v[i] : 0) +
                                   (k == D - 1 ? 0.8 * along_v[i] : 0));
    }
}

/* The axes are those of the sample's covariance: u and v, up to the correlation of their random coefficients. */
static void assert_is_plane(const eb_projection *p, double scale)
{
    double uu = 0, vv = 0, uv = 0;
    for (size_t i = 0; i < N; i++) {
        uu += along_u[i] * along_u[i];
        vv += along_v[i] * along_v[i];
        uv += along_u[i] * along_v[i];
    }
    double angle = 0.5 * atan2(2 * uv, uu - vv), c = cos(angle), s = sin(angle);
    double first = c * c * uu + 2 * c * s * uv + s * s * vv;
    assert_true(p->settled);
    assert_int_equal(p->points, N);
    assert_near(p->share[0], first / (uu + vv), 1e-9);
    assert_near(p->share[0] + p->share[1], 1, 1e-9);
    for (size_t i = 0; i < N; i++) {
        assert_near(p->x[i] / scale, c * along_u[i] + s * along_v[i], 1e-6);
        assert_near(p->y[i] / scale, c * along_v[i] - s * along_u[i], 1e-6);
    }
}

TEST(a_plane_is_found)
{
    static const double scales[] = {1, 1e-300, 1e299, 0x1p-1000};
    for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        make_plane(scales[k]);
        eb_dataset ds = make(plane, N, D, EB_F64);
        eb_projection p = project(&ds, 0, 3);
        assert_is_plane(&p, scales[k]);
        eb_projection_free(&p);
    }
}

TEST(a_line_has_one_axis)
{
    float line[100][3];
    for (size_t i = 0; i < 100; i++)
        for (size_t k = 0; k < 3; k++)
            line[i][k] = (float)i * (k == 1 ? 2.0f : 1.0f) + 5;
    eb_dataset ds = make(line, 100, 3, EB_F32);
    eb_projection p = project(&ds, 0, 2);
    assert_near(p.share[0], 1, 1e-12);
    assert_near(p.share[1], 0, 1e-12);
    for (size_t i = 0; i < 100; i++) {
        assert_near(p.x[i], ((double)i - 49.5) * sqrt(6), 1e-9);
        assert_near(p.y[i], 0, 1e-9);
    }
    eb_projection_free(&p);
}

TEST(one_dimension_is_its_own_axis)
{
    int8_t values[] = {-3, 1, 5};
    eb_dataset ds = make(values, 3, 1, EB_I8);
    eb_projection p = project(&ds, 0, 1);
    assert_near(p.share[0], 1, 1e-15);
    assert_true(p.share[1] == 0);
    for (size_t i = 0; i < 3; i++) {
        assert_near(p.x[i], values[i] - 1, 1e-12);
        assert_true(p.y[i] == 0);
    }
    eb_projection_free(&p);
}

TEST(equal_points_have_no_axes)
{
    double values[40];
    static const double constants[] = {0, 0.1, -1.7e308, 5e-324};
    for (size_t c = 0; c < 4; c++)
        for (size_t n = 1; n <= 10; n += 9) {
            for (size_t k = 0; k < 40; k++)
                values[k] = constants[c];
            eb_dataset ds = make(values, n, 4, EB_F64);
            eb_projection p = project(&ds, 0, 1);
            assert_int_equal(p.points, n);
            assert_true(isnan(p.share[0]) && isnan(p.share[1]));
            for (size_t i = 0; i < n; i++)
                assert_true(p.x[i] == 0 && p.y[i] == 0);
            eb_projection_free(&p);
        }
}

TEST(values_at_both_ends_do_not_overflow)
{
    double values[6][2] = {{DBL_MAX, 0},       {-DBL_MAX, 0}, {DBL_MAX, 1e300},
                           {-DBL_MAX, -1e300}, {DBL_MAX, 0},  {-DBL_MAX, 0}};
    eb_dataset ds = make(values, 6, 2, EB_F64);
    eb_projection p = project(&ds, 0, 1);
    assert_near(p.share[0], 1, 1e-9);
    for (size_t i = 0; i < 6; i++)
        assert_true(p.x[i] * (i % 2 ? -1 : 1) > 1e308);
    eb_projection_free(&p);
}

/* Many points, many dimensions, and too many for a full sample: the sample is bounded, and the result does not depend
 * on the number of threads. */
TEST(samples_are_bounded_and_repeat)
{
    static const size_t shapes[][2] = {{20000, 3}, {300, 5000}, {130, 65536}};
    for (size_t s = 0; s < 3; s++) {
        size_t n = shapes[s][0], d = shapes[s][1];
        eb_dataset *ds = naive_points(n, d, 2, s);
        for (size_t k = 0; k < n * d; k++) /* adds directions to the noise */
            ((float *)ds->owner)[k] += (float)((k / d * 37 % 101) * (k % d % 7)) + (float)(k / d % 5 * (k % 3));
        eb_projection p = project(ds, s == 1 ? 250 : 0, 1), q = project(ds, s == 1 ? 250 : 0, 4);
        assert_true(p.points <= EB_PROJECTION_POINTS && p.points * d <= (size_t)1 << 23);
        assert_int_equal(p.points, s == 0 ? EB_PROJECTION_POINTS : s == 1 ? 250 : 128);
        assert_memory_equal(p.x, q.x, p.points * sizeof *p.x);
        assert_memory_equal(p.y, q.y, p.points * sizeof *p.y);
        assert_true(p.share[0] >= p.share[1] && p.share[1] > 0);
        eb_projection_free(&p);
        eb_projection_free(&q);
        eb_dataset_free(ds);
    }
}

/* ---- the histogram of values ---- */

static eb_value_histogram histogram(const eb_dataset *ds, unsigned threads)
{
    eb_value_histogram h;
    eb_dataset_stats stats;
    assert_int_equal(eb_dataset_stats_compute(ds, 0, threads, NULL, &stats, NULL), EB_OK);
    assert_int_equal(eb_value_histogram_compute(ds, stats.min, stats.max, threads, NULL, &h, NULL), EB_OK);
    uint64_t sum = 0;
    for (size_t k = 0; k < h.bins; k++)
        sum += h.count[k];
    assert_int_equal(sum, ds->n * ds->d);
    assert_in_range(h.bins, 1, EB_VALUE_BINS);
    return h;
}

TEST(whole_numbers_have_bins_of_their_own)
{
    uint8_t values[12] = {3, 3, 3, 4, 6, 6, 3, 4, 4, 4, 4, 6};
    eb_dataset ds = make(values, 6, 2, EB_U8);
    eb_value_histogram h = histogram(&ds, 2);
    assert_int_equal(h.bins, 4);
    static const uint64_t count[] = {4, 5, 0, 3};
    for (size_t k = 0; k < 4; k++) {
        assert_true(h.centre[k] == 3 + (double)k);
        assert_int_equal(h.count[k], count[k]);
    }
}

TEST(wide_whole_numbers_share_bins_evenly)
{
    uint8_t values[256];
    int32_t ends[] = {INT32_MIN, INT32_MAX, 0, -1};
    for (size_t k = 0; k < 256; k++)
        values[k] = (uint8_t)k;
    eb_dataset ds = make(values, 256, 1, EB_U8), wide = make(ends, 4, 1, EB_I32);
    eb_value_histogram h = histogram(&ds, 3);
    assert_int_equal(h.bins, 64);
    for (size_t k = 0; k < 64; k++) {
        assert_int_equal(h.count[k], 4);
        assert_true(h.centre[k] == 4 * (double)k + 1.5);
    }
    h = histogram(&wide, 1);
    assert_int_equal(h.count[0], 1);
    assert_int_equal(h.count[31], 1);
    assert_int_equal(h.count[32], 1);
    assert_int_equal(h.count[63], 1);
}

TEST(reals_are_counted_between_their_ends)
{
    double values[3000];
    for (size_t k = 0; k < 3000; k++)
        values[k] = -1 + 2 * ((double)k + 0.5) / 3000;
    eb_dataset ds = make(values, 2, 1500, EB_F64); /* rows longer than the piece that is converted at a time */
    eb_value_histogram h = histogram(&ds, 2);
    assert_int_equal(h.bins, EB_VALUE_BINS);
    for (size_t k = 0; k < h.bins; k++)
        assert_in_range(h.count[k], 46, 48);
    assert_near(h.centre[0], -1 + 1.0 / 64, 1e-3);
}

TEST(odd_ranges_are_counted)
{
    double odd[][3] = {{0, 0, 0}, {-DBL_MAX, DBL_MAX, 0}, {5e-324, 1e-323, 0}, {1, 1 + DBL_EPSILON, 1}, {-0.0, 0, 0}};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        eb_dataset ds = make(odd[k], 3, 1, EB_F64);
        eb_value_histogram h = histogram(&ds, 1);
        for (size_t b = 0; b < h.bins; b++)
            assert_true(isfinite(h.centre[b]) && (b == 0 || h.centre[b] >= h.centre[b - 1]));
    }
    eb_dataset ds = make(odd[1], 3, 1, EB_F64);
    eb_value_histogram h = histogram(&ds, 1);
    assert_int_equal(h.count[0], 1);
    assert_int_equal(h.count[32], 1);
    assert_int_equal(h.count[63], 1);
}

RUN_TESTS
