/* curve: exact when every point is a query, honest about its error otherwise, and readable in both directions. */
#include <math.h>

#include "core/experiment/statistics.h"
#include "core/tune/tune.h"
#include "tests/unit/check_bins.h"
#include "tests/unit/matrix_engine.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"
#include "tests/unit/uneven_points.h"

static eb_curve sample(const eb_dataset *ds, size_t queries, uint64_t seed)
{
    eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    eb_curve curve = {.points = 0};
    eb_status status;
    if (eb_problem_open(&naive_setup, &problem, NULL, &opened, &status) != EB_OK ||
        eb_curve_sample(&opened, queries, seed, &curve, &status) != EB_OK)
        fail_msg("%s", status.message);
    eb_problem_close(&opened);
    return curve;
}

static void check_shape(const eb_curve *curve)
{
    assert_true(curve->points >= 1);
    for (size_t k = 0; k < curve->points; k++) {
        assert_true(curve->eps[k] >= 0 && curve->s[k] >= 0 && curve->s[k] <= (double)curve->n - 1);
        assert_true(curve->s_error[k] >= 0 && isfinite(curve->s_error[k]));
        if (k > 0)
            assert_true(curve->eps[k] > curve->eps[k - 1] && curve->s[k] >= curve->s[k - 1]);
    }
    assert_true(curve->s[curve->points - 1] == (double)curve->n - 1); /* every point reaches all others */
}

TEST(a_census_is_exact)
{
    static const size_t sizes[] = {2, 3, 4, 5, 40, 121};
    for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
        for (unsigned spread = 1; spread <= 1000; spread *= 10) { /* 1: all points equal */
            eb_dataset *ds = naive_points(sizes[z], 3, spread, z);
            eb_curve curve = sample(ds, sizes[z] + z, 1);
            assert_int_equal(curve.queries, sizes[z]);
            check_shape(&curve);
            for (size_t k = 0; k < curve.points; k++) {
                assert_true(curve.s_error[k] == 0);
                assert_true(curve.s[k] == (double)(naive_pairs(ds, curve.eps[k]) - ds->n) / (double)ds->n);
            }
            assert_true(curve.s[0] == (double)(naive_pairs(ds, 0) - ds->n) / (double)ds->n);
            if (spread == 1)
                assert_true(curve.points == 1 && curve.eps[0] == 0);
            else
                assert_true(curve.eps[0] > 0 || curve.points == 1);
            eb_curve_free(&curve);
            eb_dataset_free(ds);
        }
}

/* More points than are binned at a time, with duplicates. */
TEST(bins_are_those_of_the_distances)
{
    eb_dataset *ds = naive_points(300, 3, 6, 2), *other = naive_points(70, 3, 6, 3);
    const eb_problem problems[] = {eb_self_join(ds), {.left = ds, .right = other}};
    uint32_t queries[] = {0, 7, 299, 7, 150};
    for (size_t p = 0; p < 2; p++) {
        eb_opened opened;
        eb_status status;
        assert_int_equal(eb_problem_open(&naive_setup, &problems[p], NULL, &opened, &status), EB_OK);
        assert_true(check_bins(&opened, queries, 5) > 0);
        (void)check_bins(&opened, queries, 0);
        eb_problem_close(&opened);
    }
    eb_dataset_free(ds);
    eb_dataset_free(other);
}

TEST(one_point_has_a_curve)
{
    eb_dataset *ds = naive_points(1, 3, 10, 1);
    eb_curve curve = sample(ds, 0, 1);
    assert_true(curve.points == 1 && curve.queries == 1);
    assert_true(curve.s[0] == 0 && curve.eps[0] == 0 && curve.s_error[0] == 0);
    assert_true(eb_curve_selectivity(&curve, 5, NULL, NULL) == 0);
    assert_true(isnan(eb_curve_eps(&curve, 1)));
    eb_curve_free(&curve);
    eb_dataset_free(ds);
}

/* Clusters of different sizes, which make a sample err. */
static eb_dataset *clusters(size_t n)
{
    eb_dataset *ds = naive_points(n, 2, 60, 5);
    float *x = ds->owner;
    for (size_t i = 0; i < n; i++)
        x[2 * i] += (float)((i % 7) * (i % 5) * 30);
    return ds;
}

TEST(the_same_seed_gives_the_same_curve)
{
    eb_dataset *ds = clusters(300);
    eb_curve a = sample(ds, 40, 5), b = sample(ds, 40, 5), c = sample(ds, 40, 6);
    assert_int_equal(a.queries, 40);
    assert_int_equal(a.points, b.points);
    assert_memory_equal(a.eps, b.eps, a.points * sizeof *a.eps);
    assert_memory_equal(a.s, b.s, a.points * sizeof *a.s);
    assert_memory_equal(a.s_error, b.s_error, a.points * sizeof *a.s_error);
    assert_false(a.points == c.points && memcmp(a.s, c.s, a.points * sizeof *a.s) == 0);
    check_shape(&a);
    check_shape(&c);
    eb_curve_free(&a);
    eb_curve_free(&b);
    eb_curve_free(&c);
    eb_dataset_free(ds);
}

TEST(errors_are_as_large_as_they_say)
{
    enum { SEEDS = 150, LEVELS = 4 };
    static const double level[LEVELS] = {6, 20, 60, 200};
    eb_dataset *ds = clusters(500);
    double sum[LEVELS] = {0}, squares[LEVELS] = {0}, exact[LEVELS];
    for (int k = 0; k < LEVELS; k++)
        exact[k] = (double)(naive_pairs(ds, level[k]) - ds->n) / (double)ds->n;
    int inside[LEVELS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        eb_curve curve = sample(ds, 60, 1000 * seed);
        for (int k = 0; k < LEVELS; k++) {
            double low, high, s = eb_curve_selectivity(&curve, level[k], &low, &high);
            double truth = exact[k];
            assert_true(low <= s && s <= high && low >= 0 && high <= 499);
            inside[k] += low <= truth && truth <= high;
            sum[k] += s / truth;
            squares[k] += (s - truth) * (s - truth) / ((high - low) * (high - low) / (3.92 * 3.92));
        }
        eb_curve_free(&curve);
    }
    for (int k = 0; k < LEVELS; k++) {
        assert_true(fabs(sum[k] / SEEDS - 1) < 0.03); /* without bias */
        assert_true(inside[k] >= SEEDS * 85 / 100);   /* nearly 95 % intervals */
        assert_true(squares[k] / SEEDS < 1.6 && squares[k] / SEEDS > 0.2);
    }
    eb_dataset_free(ds);
}

/* Twelve points that look equal to the strata: rows 0–3, 4–6, 7–9 and 10–11, one query each. By the engine's distances
 * rows 0–2 are at distance 0 of each other, 10 and 11 at distance 1, all others at 10: few enough cases to work out S
 * and its variance for every possible sample. */
TEST(errors_by_hand)
{
    matrix m = matrix_new(12);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = i + 1; j < 12; j++)
            matrix_set(&m, i, j, j < 3 ? 0 : i == 10 ? 1 : 100);
    eb_dataset *ds = naive_points(12, 2, 1, 1);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    unsigned seen[2] = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        eb_curve curve;
        eb_status status;
        assert_int_equal(eb_curve_sample(&opened, 4, seed, &curve, &status), EB_OK);
        bool copy = curve.s[0] > 0; /* the first query was not row 3: it stands for four points with two copies each */
        size_t k = 0;
        while (k + 1 < curve.points && curve.eps[k + 1] < 9)
            k++;
        seen[copy]++;
        assert_true(curve.s[0] == (copy ? 8.0 / 12 : 0));
        assert_true(curve.s[k] == (copy ? 10.0 / 12 : 2.0 / 12)); /* both of the last two give the same */
        /* (4·3/2 + 3·2/4)·2², and (3·2/4 + 2·1/2)·1²; Student's correction with the fewest degrees of freedom */
        double between = ((copy ? 30 : 0) + 2.5) / 144, counting = (4 * curve.s[k] + 1) / 16 * (1 - 4.0 / 12);
        double error = sqrt(fmax(between, counting)) * eb_student(1.96, 2) / 1.96;
        assert_true(fabs(curve.s_error[k] - error) < 1e-15);
        assert_true(fabs(curve.carriers[k] - (copy ? 100.0 / (64 + 4) : 1)) < 1e-15);
        eb_curve_free(&curve);
    }
    assert_true(seen[0] > 5 && seen[1] > 30);
    eb_dataset_free(ds);
    free(m.s);
}

/* The bands contain S on the kinds of data that once broke them: at each ε of the exact curve with S ≥ 1. */
TEST(bands_hold_uneven_data)
{
    enum { POINTS = 1000, QUERIES = 64, SEEDS = 20 };
    if (EB_SANITIZED)
        skip(); /* a statistical test; other tests run this code */
    for (size_t kind = 0; kind < UNEVEN_KINDS; kind++) {
        eb_dataset *ds = uneven_points(&uneven_kinds[kind], POINTS, kind + 1);
        eb_curve exact = sample(ds, POINTS, 1);
        double held = 0, width = 0, edges = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            eb_curve curve = sample(ds, QUERIES, 31 * seed);
            for (size_t k = 0; k < exact.points; k++) {
                double low, high, s = exact.s[k];
                if (s < 1)
                    continue;
                (void)eb_curve_selectivity(&curve, exact.eps[k], &low, &high);
                held += low <= s * (1 + 1e-12) && high >= s * (1 - 1e-12);
                width += (high - low) / s;
                edges++;
            }
            eb_curve_free(&curve);
        }
        if (held < 0.93 * edges || width > 1.5 * edges)
            fail_msg("%s: held %.3f, %.3f wide", uneven_kinds[kind].name, held / edges, width / edges);
        eb_curve_free(&exact);
        eb_dataset_free(ds);
    }
}

TEST(few_carriers_are_doubtful)
{
    double eps[] = {1, 2, 3, 4, 5}, s[] = {0.5, 2, 4, 8, 16}, error[5] = {0}, carriers[] = {1, 8, 7.9, 3, 20};
    eb_curve curve =
        {.points = 5, .eps = eps, .s = s, .s_error = error, .carriers = carriers, .queries = 64, .n = 1000};
    double low = 0, high = 0;
    assert_true(eb_curve_doubtful(&curve, &low, &high) && low == 4 && high == 8);
    curve.points = 2; /* no promise below S = 1 */
    assert_false(eb_curve_doubtful(&curve, &low, &high));
    curve.points = 5;
    curve.n = 64; /* every point is a query: never doubtful */
    assert_false(eb_curve_doubtful(&curve, &low, &high));
    curve.n = 1000;
    curve.carriers = NULL;
    assert_false(eb_curve_doubtful(&curve, &low, &high));
}

TEST(an_uneventful_sample_still_has_an_error)
{
    matrix m = matrix_new(200); /* all at one distance: any two queries have the same counts */
    for (size_t i = 0; i < 200; i++)
        for (size_t j = i + 1; j < 200; j++)
            matrix_set(&m, i, j, 4);
    eb_dataset *ds = naive_points(200, 2, 10, 1);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    assert_int_equal(eb_curve_sample(&opened, 20, 1, &curve, &status), EB_OK);
    assert_int_equal(curve.points, 2); /* the two edges of one bin */
    assert_true(curve.s[0] == 0 && curve.s[1] == 199 && curve.eps[0] < 2 && curve.eps[1] >= 2);
    assert_true(curve.s_error[0] > 0 && curve.s_error[0] < 0.1 && curve.s_error[1] > 1 && curve.s_error[1] < 5);
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
}

TEST(strange_distances_are_sampled)
{
    static const double strange[] = {-1e-3, 0, -0.0, 0x1p-1074, 1e-300, 1, 1e308, INFINITY, NAN};
    matrix m = matrix_new(60);
    for (size_t i = 0; i < 60; i++)
        for (size_t j = i + 1; j < 60; j++)
            matrix_set(&m, i, j, strange[(i * 7 + j * 3) % 9]);
    eb_dataset *ds = naive_points(60, 2, 10, 1);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    for (size_t queries = 4; queries <= 60; queries += 56) {
        assert_int_equal(eb_curve_sample(&opened, queries, 1, &curve, &status), EB_OK);
        for (size_t k = 0; k < curve.points; k++)
            assert_true(isfinite(curve.eps[k]) && isfinite(curve.s[k]) && isfinite(curve.s_error[k]));
        assert_true(curve.eps[0] == 0 && curve.s[0] > 0); /* three of nine kinds are within every ε */
        assert_true(curve.s[curve.points - 1] < 59);      /* NaN is within no ε */
        eb_curve_free(&curve);
    }
    eb_dataset_free(ds);
    free(m.s);
}

TEST(too_few_queries_become_four)
{
    eb_dataset *ds = clusters(100);
    eb_curve curve = sample(ds, 1, 1);
    assert_int_equal(curve.queries, 4);
    eb_curve_free(&curve);
    curve = sample(ds, 99, 1); /* 99 strata of 100 points */
    assert_int_equal(curve.queries, 99);
    check_shape(&curve);
    eb_curve_free(&curve);
    curve = sample(ds, 0, 1);
    assert_int_equal(curve.queries, 64);
    eb_curve_free(&curve);
    eb_dataset_free(ds);
}

TEST(a_power_law_is_read_both_ways)
{
    double eps[] = {1, 2, 4, 8}, s[] = {3, 24, 192, 1536}, error[] = {1, 2, 10, 0}; /* 3·ε³ */
    eb_curve curve = {.points = 4, .eps = eps, .s = s, .s_error = error, .queries = 9, .n = 1537};
    double low, high;
    assert_true(fabs(eb_curve_selectivity(&curve, 3, &low, &high) - 81) < 1e-9);
    double shift = 19.6 * 19.6 / (4 * 81); /* ±19.6, symmetric in √S */
    assert_true(fabs(low - (81 - 19.6 + shift)) < 1e-9 && fabs(high - (81 + 19.6 + shift)) < 1e-9);
    eb_curve_band(&curve, 0, &low, &high);
    assert_true(fabs(sqrt(high) - sqrt(low) - 1.96 / sqrt(3)) < 1e-12);
    assert_true(fabs(sqrt(high) + sqrt(low) - 2 * sqrt(3)) < 1e-12);
    assert_true(fabs(eb_curve_eps(&curve, 81) - 3) < 1e-12);
    for (double at = 1; at <= 8; at *= 1.17)
        assert_true(fabs(eb_curve_eps(&curve, eb_curve_selectivity(&curve, at, NULL, NULL)) - at) < 1e-12 * at ||
                    at == 1); /* the first S also counts distance 0 */
    assert_true(eb_curve_selectivity(&curve, 0.5, &low, &high) == 3 && low > 3 - 1.96 && high > 3 + 1.96);
    assert_true(eb_curve_selectivity(&curve, 0, NULL, NULL) == 3);
    assert_true(eb_curve_selectivity(&curve, 100, NULL, &high) == 1536 && high == 1536);
    assert_true(isnan(eb_curve_selectivity(&curve, -1, &low, &high)) && isnan(low) && isnan(high));
    assert_true(isnan(eb_curve_selectivity(&curve, NAN, NULL, NULL)));
    assert_true(eb_curve_eps(&curve, 3) == 0 && eb_curve_eps(&curve, 1) == 0 && eb_curve_eps(&curve, 1536) == 8);
    assert_true(isnan(eb_curve_eps(&curve, 1537)) && isnan(eb_curve_eps(&curve, -1)));
    assert_true(isnan(eb_curve_eps(&curve, NAN)));
}

TEST(a_curve_that_begins_at_zero_is_read_too)
{
    double eps[] = {0, 2, 3, 4}, s[] = {0, 10, 10, 40}, error[] = {0, 0, 0, 0};
    eb_curve curve = {.points = 4, .eps = eps, .s = s, .s_error = error, .queries = 41, .n = 41};
    assert_true(eb_curve_selectivity(&curve, 1, NULL, NULL) == 5);
    assert_true(eb_curve_selectivity(&curve, 2.5, NULL, NULL) == 10);
    assert_true(eb_curve_eps(&curve, 5) == 1);
    assert_true(eb_curve_eps(&curve, 10) == 2); /* where S is first reached */
    curve.eps[0] = 1;
    assert_true(fabs(eb_curve_eps(&curve, 5) - sqrt(2)) < 1e-12);
    assert_true(fabs(eb_curve_selectivity(&curve, sqrt(2), NULL, NULL) - 5) < 1e-12);
    eb_curve none = {.points = 0, .n = 5};
    assert_true(isnan(eb_curve_eps(&none, 1)) && isnan(eb_curve_selectivity(&none, 1, NULL, NULL)));
}

static eb_code refuse_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_job *job = ((naive_state *)state)->context->job;
    (void)rows;
    (void)m;
    (void)out;
    if (job)
        eb_job_cancel(job);
    return job ? eb_job_check(job, status) : eb_fail(status, EB_INTERNAL, "no distances today");
}

static eb_code sample_refused(eb_job *job, void *argument, eb_status *status)
{
    eb_implementation refusing = naive_cpu;
    refusing.distances = refuse_distances;
    eb_setup setup = naive_setup;
    setup.run = &refusing;
    eb_problem problem = eb_self_join(argument);
    eb_opened opened;
    eb_curve curve;
    assert_int_equal(eb_problem_open(&setup, &problem, job, &opened, status), EB_OK);
    eb_code failed = eb_curve_sample(&opened, 0, 1, &curve, status);
    eb_problem_close(&opened);
    return failed;
}

TEST(failures_and_cancels_pass_through)
{
    eb_dataset *ds = clusters(100);
    eb_status status;
    assert_int_equal(sample_refused(NULL, ds, &status), EB_INTERNAL);
    assert_string_equal(status.message, "no distances today");
    eb_job *job;
    assert_int_equal(eb_job_start(sample_refused, ds, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(ds);
}

/* ---- watched ---- */

typedef struct watched {
    size_t calls, queries[4];
    double low, high; /* band of the ε for S = 20, by the first curve */
} watched;

static void see(void *context, const eb_curve *curve)
{
    watched *w = context;
    if (w->calls == 0)
        eb_curve_eps_band(curve, 20, &w->low, &w->high);
    w->queries[w->calls++ % 4] = curve->queries;
}

/* Samples with and without a watcher; the bits must be the same. */
static void sample_twice(const eb_dataset *ds, size_t queries, const eb_curve_watcher *watcher)
{
    eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    eb_curve curve, plain = sample(ds, queries, 5);
    assert_int_equal(eb_problem_open(&naive_setup, &problem, NULL, &opened, NULL), EB_OK);
    eb_strata_order order;
    assert_int_equal(eb_curve_order_make(ds, queries, 5, NULL, &order, NULL), EB_OK);
    assert_int_equal(eb_curve_sample_ordered(&opened, queries, 5, &order, watcher, &curve, NULL), EB_OK);
    eb_strata_order_free(&order);
    eb_problem_close(&opened);
    assert_int_equal(curve.points, plain.points);
    assert_memory_equal(curve.s, plain.s, curve.points * sizeof *curve.s);
    assert_memory_equal(curve.s_error, plain.s_error, curve.points * sizeof *curve.s_error);
    eb_curve_free(&curve);
    eb_curve_free(&plain);
}

TEST(whoever_watches_has_an_early_curve)
{
    watched w = {0};
    const eb_curve_watcher watcher = {&w, see};
    eb_dataset *ds = clusters(400);
    sample_twice(ds, 255, &watcher); /* too few queries for an early curve */
    sample_twice(ds, 400, &watcher); /* every point is a query */
    assert_int_equal(w.calls, 0);
    sample_twice(ds, 256, &watcher);
    assert_int_equal(w.calls, 1);
    assert_int_equal(w.queries[0], 64);
    eb_curve exact = sample(ds, 400, 1);
    double eps = eb_curve_eps(&exact, 20);
    assert_true(w.low < w.high && w.low <= eps && eps <= w.high);
    eb_curve_free(&exact);
    eb_dataset_free(ds);
}

TEST(the_band_of_eps_is_where_the_bands_of_s_are)
{
    double eps[] = {0, 1, 2, 4, 8}, s[] = {0, 90, 100, 110, 200}, error[] = {0, 10, 10, 10, 10}, low, high;
    eb_curve curve = {.points = 5, .eps = eps, .s = s, .s_error = error, .queries = 9, .n = 1000};
    eb_curve_eps_band(&curve, 100, &low, &high);
    assert_true(low == 0 && high == 8); /* the bands of 90, 100 and 110 all contain 100 */
    eb_curve_eps_band(&curve, 140, &low, &high);
    assert_true(low == 4 && high == 8);
    eb_curve_eps_band(&curve, 500, &low, &high);
    assert_true(low == 8 && isnan(high));
}

RUN_TESTS
