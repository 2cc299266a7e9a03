/* Tests of byte joins on the host: which points are stored as bytes and with which shift, and the kernels' tests in
 * 32-bit integers. No pair within ε fails the fast test, the exact test agrees with the exact distance, padding never
 * passes, and nothing overflows. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/exact/choose.h"
#include "kernels/integers/bytes.h"
#include "kernels/parts/byte_levels.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

static uint64_t seed = 1;

static uint32_t below(uint32_t end) { return (uint32_t)(naive_random(&seed) % end); }

/* ---- the kernels' tests ---- */

/* As in the kernels: the sign of a − h_i − h_j tells whether a is below h_i + h_j. */
static bool reaches(int32_t a, int32_t h_i, int32_t h_j)
{
    return (int32_t)((uint32_t)a - (uint32_t)h_i - (uint32_t)h_j) >= 0;
}
static uint32_t squared(int32_t s_i, int32_t s_j, int32_t a) { return (uint32_t)s_i + (uint32_t)s_j - 2 * (uint32_t)a; }

/* Checks one pair, given its norms, product and squared distance, at the threshold t; s_least: a norm at most s_j. */
static void check_pair(int32_t s_i, int32_t s_j, int32_t a, int64_t s, uint32_t t, int32_t s_least)
{
    const int32_t h_i = eb_bytes_level(s_i, t), h_j = eb_bytes_level(s_j, t), least = eb_bytes_level(s_least, t);
    const int64_t constant = (int64_t)h_i + least, room = (int64_t)a - h_i - least;
    assert_true(squared(s_i, s_j, a) == s);
    assert_int_equal(squared(s_i, s_j, a) <= t, s <= t);
    assert_true(constant >= INT32_MIN && constant <= INT32_MAX && room >= INT32_MIN && room <= INT32_MAX);
    if (s <= t) {
        assert_true(reaches(a, h_i, h_j));
        assert_true(reaches(a, h_i, least));
    } else if (s > (int64_t)t + 5) {
        assert_false(reaches(a, h_i, h_j)); /* and few pairs beyond ε pass */
    }
    assert_false(reaches(0, h_i, EB_BYTES_NEVER_H));
    assert_true((int64_t)h_i + EB_BYTES_NEVER_H <= INT32_MAX);
    assert_true(squared(s_i, EB_BYTES_NEVER_S, 0) > t);
}

/* The same where the left point has a threshold of its own, `own`, at most t. */
static void check_own(int32_t s_i, int32_t s_j, int32_t a, int64_t s, uint32_t own, uint32_t t, int32_t s_least)
{
    const int32_t h_i = eb_bytes_level_each(s_i, own, t), h_j = eb_bytes_level(s_j, t), more = (int32_t)(t - own),
                  least = eb_bytes_level(s_least, t), shifted = (int32_t)((uint32_t)s_i + (uint32_t)more);
    const int64_t constant = (int64_t)h_i + least, room = (int64_t)a - h_i - least;
    assert_true(squared(shifted, s_j, a) == s + more);
    assert_int_equal(squared(shifted, s_j, a) <= t, s <= own);
    assert_true(constant >= INT32_MIN && constant <= INT32_MAX && room >= INT32_MIN && room <= INT32_MAX);
    if (s <= own)
        assert_true(reaches(a, h_i, h_j) && reaches(a, h_i, least));
    else if (s > (int64_t)own + 5)
        assert_false(reaches(a, h_i, h_j));
    assert_false(reaches(0, h_i, EB_BYTES_NEVER_H));
    assert_false(reaches(0, EB_BYTES_NEVER_H, h_j));
    assert_true((int64_t)h_i + EB_BYTES_NEVER_H <= INT32_MAX);
    assert_true(squared(shifted, EB_BYTES_NEVER_S, 0) > t && squared(EB_BYTES_NEVER_S, s_j, 0) > t);
}

static void no_pair_within_is_missed(void **state)
{
    (void)state;
    enum { CASES = 20000, MOST_D = 40 };
    for (int n = 0; n < CASES; n++) {
        const uint32_t d = 1 + below(MOST_D), range = 1 + below(256);
        const int32_t first = below(2) ? 0 : -128;
        int32_t s[3] = {0, 0, 0}, a = 0;
        int64_t distance = 0;
        for (uint32_t k = 0; k < d; k++) {
            int32_t x[3];
            for (int p = 0; p < 3; p++) {
                x[p] = first + (int32_t)below(range);
                s[p] += x[p] * x[p];
            }
            a += x[0] * x[1];
            distance += (int64_t)(x[0] - x[1]) * (x[0] - x[1]);
        }
        const int64_t near[] = {distance, distance - 1, distance + 1, 0, EB_BYTES_MOST_SQUARED, below(1u << 20)};
        for (size_t k = 0; k < sizeof near / sizeof near[0]; k++)
            if (near[k] >= 0)
                check_pair(s[0], s[1], a, distance, (uint32_t)near[k], s[1] < s[2] ? s[1] : s[2]);
        for (size_t k = 0; k < sizeof near / sizeof near[0]; k++)
            if (near[k] >= 0 && near[k] <= 1 << 22)
                check_own(s[0], s[1], a, distance, (uint32_t)near[k], (uint32_t)near[k] + below(1u << (n % 22)),
                          s[1] < s[2] ? s[1] : s[2]);
    }
}

static void nothing_overflows_in_the_most_dimensions(void **state)
{
    (void)state;
    const int32_t all = EB_BYTES_MOST_D * 255 * 255, low = EB_BYTES_MOST_D * 128 * 128,
                  high = EB_BYTES_MOST_D * 127 * 127, both = -(int32_t)EB_BYTES_MOST_D * 127 * 128;
    const uint32_t t[] = {0, 1, 2, 3, 4, 1000000007, (uint32_t)all - 1, (uint32_t)all, EB_BYTES_MOST_SQUARED};
    assert_true((uint64_t)EB_BYTES_MOST_D * 255 * 255 < EB_BYTES_MOST_SQUARED);
    assert_true((uint64_t)(EB_BYTES_MOST_D + 1) * 255 * 255 > EB_BYTES_MOST_SQUARED);
    for (size_t k = 0; k < sizeof t / sizeof t[0]; k++) {
        check_pair(all, all, all, 0, t[k], 0);
        check_pair(all, 0, 0, all, t[k], 0);
        check_pair(0, 0, 0, 0, t[k], 0);
        check_pair(low, low, low, 0, t[k], 0);
        check_pair(low, high, both, all, t[k], 0);
    }
    assert_false(reaches(0, EB_BYTES_NEVER_H, EB_BYTES_NEVER_H));
    assert_true(squared(EB_BYTES_NEVER_S, EB_BYTES_NEVER_S, 0) > EB_BYTES_MOST_SQUARED);
}

static void nothing_overflows_with_thresholds_of_their_own(void **state)
{
    (void)state;
    const int32_t d = EB_BYTES_MOST_EACH_D, all = d * 255 * 255, low = d * 128 * 128, high = d * 127 * 127;
    const uint32_t t[] = {0, 1, 3, 1000000007, (uint32_t)all - 1, (uint32_t)all};
    for (size_t k = 0; k < sizeof t / sizeof t[0]; k++)
        for (size_t own = 0; own <= k; own++) {
            check_own(all, all, all, 0, t[own], t[k], 0);
            check_own(all, 0, 0, all, t[own], t[k], 0);
            check_own(0, all, 0, all, t[own], t[k], 0);
            check_own(0, 0, 0, 0, t[own], t[k], 0);
            check_own(low, low, low, 0, t[own], t[k], 0);
            check_own(low, high, -d * 127 * 128, all, t[own], t[k], 0);
        }
}

static void thresholds_are_the_truths_rounded_down(void **state)
{
    (void)state;
    static const struct {
        double eps;
        uint32_t threshold;
    } cases[] = {{0, 0}, {0.999, 0}, {1, 1}, {1.5, 2}, {219.618, 48232}, {46340.95, 0x7ffffffe}, {1e300, 0x7ffffffe}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_int_equal(eb_bytes_threshold(eb_squared_threshold(cases[k].eps)), cases[k].threshold);
    for (uint32_t s = 1; s < 5000; s++) {
        const double eps = eb_smallest_eps(s);
        assert_true(eb_bytes_threshold(eb_squared_threshold(eps)) >= s);
        assert_int_equal(eb_bytes_threshold(eb_squared_threshold(nextafter(eps, 0))), s - 1);
    }
}

/* ---- which points are bytes ---- */

enum { N = 1000, D = 300 };

static eb_dataset set_of(const double *rows)
{
    return (eb_dataset){.n = N,
                        .d = D,
                        .dtype = EB_F64,
                        .rows = (const unsigned char *)rows,
                        .stride = D * sizeof *rows,
                        .source = (char *)(uintptr_t) "points"};
}

static double *values_from(double low, double high)
{
    double *rows = malloc(sizeof(double) * N * D);
    assert_non_null(rows);
    for (size_t k = 0; k < (size_t)N * D; k++)
        rows[k] = low + below((uint32_t)(high - low) + 1);
    rows[N * D - 2] = low;
    rows[N * D - 1] = high;
    return rows;
}

static void ranges_choose_sign_and_shift(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        bool is_signed;
        int64_t shift;
    } cases[] = {{0, 255, false, 0},
                 {7, 9, false, 0},
                 {-1, 127, true, 0},
                 {-128, 127, true, 0},
                 {-128, 126, true, 0},
                 {-129, 126, false, -129},
                 {-1, 128, false, -1},
                 {1, 256, false, 1},
                 {-255, 0, false, -255},
                 {1e6, 1e6 + 255, false, 1000000},
                 {-1e12, -1e12 + 3, false, -1000000000000}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double *rows = values_from(cases[k].low, cases[k].high);
        const eb_dataset ds = set_of(rows);
        const eb_problem problem = eb_self_join(&ds);
        eb_status status = {.message = ""};
        eb_byte_form form;
        assert_int_equal(eb_byte_form_find(&problem, 2, NULL, &form, &status), EB_OK);
        assert_int_equal(form.is_signed, cases[k].is_signed);
        assert_true(form.shift == cases[k].shift);
        for (size_t v = 0; v < (size_t)N * D; v++) { /* computed as on the device */
            const uint8_t byte = (uint8_t)((uint8_t)(int64_t)rows[v] - (uint8_t)form.shift);
            assert_true((form.is_signed ? (double)(int8_t)byte : (double)byte) == rows[v] - (double)form.shift);
        }
        free(rows);
    }
}

static void both_sets_have_one_form(void **state)
{
    (void)state;
    double *one = values_from(0, 100), *two = values_from(-20, 200);
    const eb_dataset left = set_of(one), right = set_of(two);
    const eb_problem problem = {.left = &left, .right = &right};
    eb_status status = {.message = ""};
    eb_byte_form form;
    assert_int_equal(eb_byte_form_find(&problem, 2, NULL, &form, &status), EB_OK);
    assert_true(form.shift == -20 && !form.is_signed);
    free(one);
    free(two);
}

static void refused(double *rows, const char *said)
{
    const eb_dataset ds = set_of(rows);
    const eb_problem problem = eb_self_join(&ds);
    eb_status status = {.message = ""};
    eb_byte_form form;
    assert_int_equal(eb_byte_form_find(&problem, 4, NULL, &form, &status), EB_NO_ENGINE);
    assert_string_equal(status.message, said);
}

static void others_are_refused_by_their_first_value(void **state)
{
    (void)state;
    double *rows = values_from(0, 255);
    rows[(size_t)900 * D + 2] = NAN;
    rows[(size_t)700 * D + 299] = 0.25;
    rows[(size_t)700 * D + 298] = -1e20;
    refused(rows, "integers: row 700, column 298 is -1e+20; all values must be integers");
    rows[(size_t)700 * D + 298] = 5;
    refused(rows, "integers: row 700, column 299 is 0.25; all values must be integers");
    free(rows);
    rows = values_from(-1, 255);
    refused(rows, "integers: values from -1 to 255; they fit 8 bits where they span at most 255");
    free(rows);
}

static void what_type_and_shape_say_is_believed(void **state)
{
    (void)state;
    eb_dataset ds = {.n = 1, .d = EB_BYTES_MOST_D, .dtype = EB_I8}; /* the dataset has no rows: they must not be read */
    const eb_problem problem = eb_self_join(&ds);
    eb_status status = {.message = ""};
    eb_byte_form form;
    assert_int_equal(eb_byte_form_find(&problem, 2, NULL, &form, &status), EB_OK);
    assert_true(form.is_signed && form.shift == 0);
    ds.d++;
    assert_int_equal(eb_bytes_suit(&problem, NULL, &status), EB_NO_ENGINE);
    assert_string_equal(status.message,
                        "integers: 33026 dimensions; a squared distance fits 31 bits up to 33025 of them");
}

#ifdef EB_HAVE_CUDA

/* Estimated seconds to count n × d bytes on an H200, without the time for hits. */
static double cost_of(const char *name, eb_dtype dtype, size_t n, size_t d)
{
    static const double far_away[] = {400};
    const eb_device h200 = {.kind = EB_DEVICE_CUDA,
                            .limit = {[EB_LIMIT_MMA_F16] = 648e12,
                                      [EB_LIMIT_WGMMA_F16] = 917e12,
                                      [EB_LIMIT_MMA_I8] = 1290e12,
                                      [EB_LIMIT_WGMMA_I8] = 1801e12,
                                      [EB_LIMIT_F64] = 30e12}};
    const eb_context context = {.device = &h200, .devices = 1, .threads = 16};
    const eb_dataset ds = {.n = n, .d = d, .dtype = dtype};
    const eb_problem problem = eb_self_join(&ds);
    const eb_question question = {.eps = 100};
    const eb_estimate estimate = {.problem = &problem,
                                  .question = &question,
                                  .pairs = (double)n * (double)(n - 1) / 2,
                                  .count = 1,
                                  .distance = far_away,
                                  .norm = 200,
                                  .widest = 128};
    const eb_way *way = NULL;
    for (size_t k = 0; (way = eb_way_at(EB_DEVICE_CUDA, k)) != NULL; k++)
        if (strcmp(way->name, name) == 0)
            return way->cost(&estimate, &context);
    fail_msg("no way %s", name);
    return 0;
}

/* The expected costs are in tests/bench/gpu.md. */
static void costs_are_as_measured(void **state)
{
    (void)state;
    static const struct {
        size_t n, d;
        double kernel_s;
    } cases[] = {{400000, 128, 17.5e-3}, {100000, 784, 4.84e-3}, {100000, 1024, 5.93e-3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const size_t n = cases[k].n, d = cases[k].d;
        const double bytes = cost_of("integers", EB_U8, n, d), ratio = bytes / cases[k].kernel_s;
        assert_true(ratio > 0.9 && ratio < 1.15);
        assert_true(bytes < cost_of("fp16", EB_U8, n, d) && bytes < cost_of("ref64", EB_U8, n, d));
        assert_true(bytes < cost_of("integers", EB_F32, n, d)); /* these points must be read first */
    }
    assert_true(cost_of("ref64", EB_U8, 1000, 16) < cost_of("integers", EB_U8, 1000, 16)); /* launches dominate */
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_within_is_missed),
        cmocka_unit_test(nothing_overflows_in_the_most_dimensions),
        cmocka_unit_test(nothing_overflows_with_thresholds_of_their_own),
        cmocka_unit_test(thresholds_are_the_truths_rounded_down),
        cmocka_unit_test(ranges_choose_sign_and_shift),
        cmocka_unit_test(both_sets_have_one_form),
        cmocka_unit_test(others_are_refused_by_their_first_value),
        cmocka_unit_test(what_type_and_shape_say_is_believed),
#ifdef EB_HAVE_CUDA
        cmocka_unit_test(costs_are_as_measured),
#endif
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
