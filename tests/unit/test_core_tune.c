/* tune: every answer is the exact order statistic, whatever the data, the curve and the memory limit; sweep counts
 * exactly. */
#include <float.h>
#include <math.h>

#include "core/tune/order_statistic.h"
#include "core/tune/tune.h"
#include "core/tune/tune_search.h"
#include "tests/unit/matrix_engine.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

__extension__ typedef unsigned __int128 wide;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All s that are numbers, ascending. */
static double *sorted_distances(const matrix *m, size_t *count)
{
    double *s = malloc((m->n * m->n / 2 + 1) * sizeof *s);
    if (!s)
        abort();
    *count = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++)
            if (!isnan(m->s[i * m->n + j]))
                s[(*count)++] = m->s[i * m->n + j];
    qsort(s, *count, sizeof *s, compare_doubles);
    return s;
}

static uint64_t pairs_within(const matrix *m, double eps)
{
    uint64_t pairs = m->n;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            pairs += i != j && m->s[i * m->n + j] <= eb_squared_threshold(eps);
    return pairs;
}

/* Checks an answer by the definition, on sorted distances. */
static void check_answer(const matrix *m, const eb_target *t)
{
    size_t count;
    double *s = sorted_distances(m, &count);
    uint64_t rank = eb_pairs_wanted(t->wanted, m->n);
    assert_true(rank >= 1 && rank <= count);
    double eps = eb_smallest_eps(s[rank - 1]);
    assert_true(t->eps == eps);
    assert_int_equal(t->pairs, pairs_within(m, eps));
    assert_true(t->selectivity == (double)(t->pairs - m->n) / (double)m->n);
    assert_true(t->selectivity >= t->wanted);
    assert_int_equal(t->reached_at_zero, eps == 0);
    uint64_t before = eps > 0 ? pairs_within(m, nextafter(eps, 0)) : m->n;
    assert_true((double)(before - m->n) / (double)m->n < t->wanted);
    assert_int_equal(2 * t->ties, t->pairs - before);
    free(s);
}

static eb_dataset *points_for(size_t n) { return naive_points(n, 2, 10, 1); }

/* Tunes over a matrix with a sampled curve (queries 0: every point) and checks all answers. */
static unsigned tune_matrix(matrix *m, size_t queries, eb_target *targets, size_t count, uint64_t keep_limit)
{
    eb_dataset *ds = points_for(m->n);
    eb_opened opened;
    eb_curve curve;
    eb_status status;
    unsigned passes = 99;
    matrix_open(m, ds, NULL, &opened);
    m->passes = 0;
    m->most_kept = 0;
    assert_int_equal(eb_curve_sample(&opened, queries ? queries : m->n, 7, &curve, &status), EB_OK);
    eb_code code = eb_tune(&opened, &curve, targets, count, keep_limit, &passes, &status);
    if (code != EB_OK)
        fail_msg("%s", status.message);
    assert_int_equal(passes, m->passes);
    for (size_t k = 0; k < count; k++) {
        check_answer(m, &targets[k]);
        assert_true(targets[k].passes >= 1 && targets[k].passes <= passes);
    }
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    return passes;
}

/* ---- parts ---- */

TEST(pairs_wanted_is_exact)
{
    assert_int_equal(eb_pairs_wanted(64, 4000), 128000);
    assert_int_equal(eb_pairs_wanted(nextafter(64, 65), 4000), 128001);
    assert_int_equal(eb_pairs_wanted(nextafter(64, 63), 4000), 128000);
    assert_int_equal(eb_pairs_wanted(1, 3), 2);
    assert_int_equal(eb_pairs_wanted(DBL_TRUE_MIN, 5), 1);
    assert_int_equal(eb_pairs_wanted(1e-300, EB_MAX_POINTS), 1);
    /* As reported: 2·1/20 and 2·36/10 are the doubles 0.1 and 7.2, which are slightly above the exact quotients. */
    assert_int_equal(eb_pairs_wanted(0.1, 20), 1);
    assert_int_equal(eb_pairs_wanted(nextafter(0.1, 1), 20), 2);
    assert_int_equal(eb_pairs_wanted(7.2, 10), 36);
    uint64_t most = EB_MAX_POINTS;
    assert_true(eb_pairs_wanted((double)(most - 1), most) <= most * (most - 1) / 2);
    assert_true(eb_pairs_wanted((double)(most - 1), most) > most * (most - 1) / 2 - 1024);
    uint64_t seed = 3;
    for (int k = 0; k < 20000; k++) {
        size_t n = 2 + (size_t)(naive_random(&seed) % (k % 2 ? EB_MAX_POINTS - 1 : 5000));
        /* Asking for a reported S gives the same number of pairs. */
        uint64_t pairs = 1 + naive_random(&seed) % ((uint64_t)n * (n - 1) / 2);
        if (pairs < (uint64_t)1 << 50)
            assert_true(eb_pairs_wanted(2 * (double)pairs / (double)n, n) == pairs);
        /* A double with few or many bits below 2^31, as mantissa and exponent, so that integers can check: the smallest
         * number of pairs that reaches S, or one less that rounds to S. */
        uint64_t mantissa = naive_random(&seed) >> (11 + naive_random(&seed) % 52);
        unsigned shift = (unsigned)(22 + naive_random(&seed) % 40);
        if (mantissa == 0 || mantissa >> shift >= n - 1)
            continue;
        wide unit = (wide)1 << (shift + 1), product = (wide)mantissa * n;
        uint64_t least = (uint64_t)((product + unit - 1) / unit);
        double wanted = ldexp((double)mantissa, -(int)shift);
        uint64_t found = eb_pairs_wanted(wanted, n);
        assert_true(found <= least && least - found <= 1 + (least >> 52));
        if (least < (uint64_t)1 << 52)
            assert_true(2 * (double)found / (double)n >= wanted &&
                        (found == 1 || 2 * (double)(found - 1) / (double)n < wanted));
    }
}

TEST(order_statistics_are_those_of_a_sort)
{
    enum { MOST = 3000 };
    static double values[MOST], sorted[MOST];
    uint64_t seed = 11;
    for (int kind = 0; kind < 8; kind++)
        for (size_t count = 1; count <= MOST; count = count * 5 + 1) {
            for (size_t k = 0; k < count; k++) {
                double x = (double)(naive_random(&seed) >> 11) * 0x1p-53;
                double by_kind[] = {x,          floor(x * 5),
                                    7,          ldexp(x, (int)(k % 2000) - 1000),
                                    x - 0.5,    (double)k,
                                    -(double)k, k % 3 == 0 ? INFINITY : k % 3 == 1 ? -x : DBL_TRUE_MIN};
                values[k] = by_kind[kind];
            }
            memcpy(sorted, values, sizeof sorted);
            qsort(sorted, count, sizeof *sorted, compare_doubles);
            for (size_t rank = 1; rank <= count; rank += 1 + rank / 3) /* repeatedly on the same array */
                assert_true(eb_order_statistic(values, count, rank) == sorted[rank - 1]);
            assert_true(eb_order_statistic(values, count, count) == sorted[count - 1]);
            qsort(values, count, sizeof *values, compare_doubles);
            assert_memory_equal(values, sorted, count * sizeof *values); /* same values */
        }
}

/* ---- tuning ---- */

enum { RANDOM, TIED, CLUSTERED, DUPLICATED, KINDS };

static matrix matrix_of_kind(int kind, size_t n, uint64_t seed)
{
    eb_dataset *ds = naive_points(n, kind == RANDOM ? 5 : 3, kind == RANDOM ? 100000 : kind == TIED ? 6 : 40, seed);
    float *x = ds->owner;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ds->d; k++) {
            float *value = &x[i * ds->d + k];
            if (kind == CLUSTERED)
                *value = (float)(i % 7 * 1000) + *value / 1024;
            if (kind == DUPLICATED && i % 3)
                *value = x[k];
        }
    matrix m = matrix_of(ds);
    eb_dataset_free(ds);
    return m;
}

TEST(answers_are_the_order_statistics)
{
    static const size_t sizes[] = {2, 3, 4, 9, 60, 150};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            size_t n = sizes[z];
            matrix m = matrix_of_kind(kind, n, 17 * z + 1);
            double most = (double)n - 1;
            eb_target together[] = {{.wanted = most},      {.wanted = 1e-9},          {.wanted = most / 2},
                                    {.wanted = most / 2},  {.wanted = fmin(1, most)}, {.wanted = most / 3},
                                    {.wanted = most * 0.9}};
            size_t count = sizeof together / sizeof together[0];
            /* Every point is a query: S is known at the bins' edges, and no bracket can miss. */
            assert_int_equal(tune_matrix(&m, 0, together, count, EB_TUNE_KEEP), 1);
            for (size_t k = 0; k < count; k++)
                assert_true(together[k].passes == 1 && together[k].bracket_low <= together[k].eps &&
                            together[k].eps <= together[k].bracket_high);
            /* Four queries: the curve may be far off, but the answer is exact. */
            assert_true(tune_matrix(&m, 4, together, count, EB_TUNE_KEEP) <= 4);
            assert_true(tune_matrix(&m, 16, together, count, EB_TUNE_KEEP) <= 3);
            free(m.s);
        }
}

TEST(every_rank_of_a_small_set)
{
    matrix m = matrix_of_kind(TIED, 14, 5);
    for (uint64_t rank = 1; rank <= 14 * 13 / 2; rank++) {
        eb_target t = {.wanted = 2 * (double)rank / 14};
        (void)tune_matrix(&m, 6, &t, 1, EB_TUNE_KEEP);
    }
    free(m.s);
}

TEST(duplicates_alone_reach_a_target)
{
    matrix same = matrix_new(30); /* all points equal */
    eb_target all = {.wanted = 29};
    assert_int_equal(tune_matrix(&same, 8, &all, 1, 0), 1); /* nothing is kept */
    assert_true(all.reached_at_zero && all.eps == 0 && all.pairs == 900 && all.ties == 435);
    assert_int_equal(same.most_kept, 0);
    free(same.s);

    matrix m = matrix_of_kind(DUPLICATED, 90, 2);
    eb_target t[2] = {{.wanted = 1}, {.wanted = 80}};
    assert_int_equal(tune_matrix(&m, 30, t, 2, EB_TUNE_KEEP), 1);
    assert_true(t[0].reached_at_zero && !t[1].reached_at_zero);
    free(m.s);
}

TEST(strange_distances)
{
    matrix m = matrix_new(12);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = i + 1; j < 12; j++)
            matrix_set(&m, i, j,
                       i + j < 6    ? -1e-7
                       : i + j < 12 ? DBL_TRUE_MIN * (double)(i + 1)
                       : i == 5     ? INFINITY
                                    : 1e308);
    for (double wanted = 0.5; wanted <= 11; wanted += 0.5)
        for (size_t queries = 4; queries <= 12; queries += 4) {
            eb_target t = {.wanted = wanted};
            (void)tune_matrix(&m, queries, &t, 1, queries == 4 ? 3 : EB_TUNE_KEEP);
        }
    free(m.s);
}

TEST(distances_that_are_no_numbers_are_never_reached)
{
    matrix m = matrix_new(10);
    for (size_t i = 0; i < 10; i++)
        for (size_t j = i + 1; j < 10; j++)
            matrix_set(&m, i, j, i == 3 || j == 3 ? NAN : (double)(i + j));
    eb_target within = {.wanted = 7.2}, beyond = {.wanted = 7.3}; /* 36 of 45 pairs have a distance */
    (void)tune_matrix(&m, 0, &within, 1, EB_TUNE_KEEP);
    eb_dataset *ds = points_for(10);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    unsigned passes;
    assert_int_equal(eb_curve_sample(&opened, 4, 7, &curve, &status), EB_OK);
    assert_int_equal(eb_tune(&opened, &curve, &beyond, 1, EB_TUNE_KEEP, &passes, &status), EB_UNREACHABLE);
    assert_non_null(strstr(status.message, "36"));
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
}

/* ---- wrong curves ---- */

TEST(garbage_curves_cost_passes_not_answers)
{
    double zero[] = {0, 0, 0}, nan[] = {NAN, NAN, NAN}, up[] = {1, 2, 3}, down[] = {3, 2, 1}, far[] = {1e9, 1e10, 1e11},
           near[] = {1e-9, 1e-8, 1e-7}, all[] = {0, 30, 119}, none[] = {0, 1e-12, 1e-11}, most[] = {118, 119, 119};
    double *const columns[] = {zero, nan, up, down, far, near, all, none, most};
    static const uint64_t limits[] = {0, 40, EB_TUNE_KEEP};
    const size_t shapes = sizeof columns / sizeof columns[0];
    for (int kind = 0; kind < KINDS; kind++) {
        matrix m = matrix_of_kind(kind, 120, 9);
        eb_dataset *ds = points_for(120);
        eb_opened opened;
        matrix_open(&m, ds, NULL, &opened);
        for (size_t shape = 0; shape < shapes * shapes * 3 * 3; shape += 7) {
            eb_curve curve = {.points = shape % 4 ? 3 : shape / 4 % 2,
                              .n = 120,
                              .queries = 4,
                              .eps = columns[shape % shapes],
                              .s = columns[shape / shapes % shapes],
                              .s_error = columns[shape / shapes / shapes % 3]};
            uint64_t limit = limits[shape / shapes / shapes / 3];
            eb_target t[] = {{.wanted = 0.5}, {.wanted = 64}, {.wanted = 119}};
            eb_status status;
            unsigned passes;
            eb_code code = eb_tune(&opened, &curve, t, 3, limit, &passes, &status);
            assert_int_equal(code, EB_OK);
            for (size_t k = 0; k < 3; k++)
                check_answer(&m, &t[k]);
            /* Two misses, then at most six passes that cut the whole range of doubles; keeping distances ends the
             * search sooner. */
            assert_true(passes <= (limit == EB_TUNE_KEEP ? 3 : 9));
        }
        eb_dataset_free(ds);
        free(m.s);
    }
}

TEST(brackets_are_four_sigmas_wide)
{
    double eps[9], s[9], error[9];
    for (size_t k = 0; k < 9; k++) {
        eps[k] = (double)k + 1;
        s[k] = 10 * eps[k];
        error[k] = 2.4;
    }
    eb_curve curve = {.points = 9, .eps = eps, .s = s, .s_error = error, .queries = 50, .n = 1000};
    eb_target t = {.wanted = 50};
    eb_search search = {.target = &t, .floor = -1, .ceiling = NAN};
    eb_search_aim(&search, &curve);
    assert_true(search.low == 4 && search.high == 6); /* 40 + 9.6 < 50 ≤ 60 − 9.6 */
    assert_true(fabs(search.expected - (60 + 9.6 - 40 + 9.6) * 1000 / 2) < 1e-6);
    error[3] = 2.6;
    eb_search_aim(&search, &curve);
    assert_true(search.low == 3 && search.high == 6);
    t.wanted = 90; /* nothing is above by 4σ: up to twice the largest distance seen, which no distance exceeds */
    eb_search_aim(&search, &curve);
    assert_true(search.low == 8 && search.high >= 18 && search.high < 18.001);
}

TEST(a_miss_costs_one_more_pass)
{
    matrix m = matrix_of_kind(RANDOM, 150, 4);
    eb_dataset *ds = points_for(150);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    unsigned passes;
    assert_int_equal(eb_curve_sample(&opened, 150, 1, &curve, &status), EB_OK);
    for (size_t k = 0; k < curve.points; k++)
        curve.s_error[k] = 1e-6 * curve.s[k];
    static const double wrong[] = {0.5, 0.8, 1.3, 2};
    for (size_t w = 0; w < 4; w++) {
        for (size_t k = 0; k < curve.points; k++)
            curve.s[k] *= wrong[w];
        eb_target t[] = {{.wanted = 4}, {.wanted = 16}, {.wanted = 64}};
        assert_int_equal(eb_tune(&opened, &curve, t, 3, EB_TUNE_KEEP, &passes, &status), EB_OK);
        assert_int_equal(passes, 2); /* all that missed share the second pass */
        for (size_t k = 0; k < 3; k++) {
            check_answer(&m, &t[k]);
            assert_true(t[k].bracket_low < t[k].eps && t[k].eps <= t[k].bracket_high);
        }
        for (size_t k = 0; k < curve.points; k++)
            curve.s[k] /= wrong[w];
    }
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
}

/* ---- memory ---- */

TEST(memory_is_bounded_and_ties_need_none)
{
    for (int kind = 0; kind < KINDS; kind++) {
        matrix m = matrix_of_kind(kind, 150, 8);
        static const uint64_t limits[] = {0, 1, 10, 100, 1000, 5000};
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            eb_target t[] = {{.wanted = 2}, {.wanted = 30}, {.wanted = 33}, {.wanted = 120}};
            unsigned passes = tune_matrix(&m, 0, t, 4, limits[k]);
            assert_true(m.most_kept <= limits[k]);
            assert_true(passes <= 6);
            /* Whole-number distances: one pass counts each of them separately and keeps nothing. */
            if (kind == TIED)
                assert_int_equal(passes, 1);
        }
        free(m.s);
    }
    /* Only two different distances, neither whole. */
    matrix m = matrix_new(100);
    for (size_t i = 0; i < 100; i++)
        for (size_t j = i + 1; j < 100; j++)
            matrix_set(&m, i, j, (i * j) % 2 ? 0.1 : 0.1 + 0x1p-50);
    eb_target t[] = {{.wanted = 10}, {.wanted = 99}};
    assert_true(tune_matrix(&m, 20, t, 2, 50) <= 6);
    assert_int_equal(m.most_kept, 0);
    assert_int_equal(t[0].ties + t[1].ties, 4950);
    free(m.s);
}

/* ---- refusals ---- */

static eb_code tune_one(double wanted, size_t n, eb_status *status)
{
    matrix m = matrix_of_kind(RANDOM, n, 1);
    eb_dataset *ds = points_for(n);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_target t[] = {{.wanted = 0.5}, {.wanted = wanted}};
    unsigned passes;
    assert_int_equal(eb_curve_sample(&opened, 0, 1, &curve, status), EB_OK);
    eb_code code = eb_tune(&opened, &curve, t + (n == 1), n == 1 ? 1 : 2, EB_TUNE_KEEP, &passes, status);
    assert_int_equal(m.passes, code == EB_OK ? passes : 0); /* refused before any work */
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
    return code;
}

TEST(impossible_targets_say_so)
{
    eb_status status;
    assert_int_equal(tune_one(49, 50, &status), EB_OK);
    assert_int_equal(tune_one(nextafter(49, 50), 50, &status), EB_UNREACHABLE);
    assert_non_null(strstr(status.message, "the most is S = 49"));
    assert_int_equal(tune_one(1, 1, &status), EB_UNREACHABLE);
    assert_non_null(strstr(status.message, "a single point"));
    static const double wrong[] = {0, -1, NAN, INFINITY};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(tune_one(wrong[k], 50, &status), EB_USAGE);
}

TEST(nothing_to_do_and_a_foreign_curve)
{
    matrix m = matrix_of_kind(RANDOM, 20, 1);
    eb_dataset *ds = points_for(20);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    eb_target t = {.wanted = 1};
    unsigned passes = 9;
    assert_int_equal(eb_curve_sample(&opened, 0, 1, &curve, &status), EB_OK);
    assert_int_equal(eb_tune(&opened, &curve, NULL, 0, EB_TUNE_KEEP, &passes, &status), EB_OK);
    assert_true(passes == 0 && m.passes == 0);
    curve.n = 21;
    assert_int_equal(eb_tune(&opened, &curve, &t, 1, EB_TUNE_KEEP, &passes, &status), EB_INTERNAL);
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
}

typedef struct doomed {
    matrix *m;
    const eb_dataset *ds;
    const eb_curve *curve;
    bool sweep;
} doomed;

static eb_code tune_doomed(eb_job *job, void *argument, eb_status *status)
{
    doomed *d = argument;
    eb_target t = {.wanted = 5};
    unsigned passes;
    uint64_t pairs;
    eb_opened opened;
    matrix_open(d->m, d->ds, job, &opened);
    d->m->cancel_at_pass = job;
    return d->sweep ? eb_sweep(&opened, &(double){3}, 1, &pairs, status)
                    : eb_tune(&opened, d->curve, &t, 1, 0, &passes, status);
}

TEST(failures_and_cancels_pass_through)
{
    matrix m = matrix_of_kind(RANDOM, 40, 1);
    eb_dataset *ds = points_for(40);
    eb_opened opened;
    matrix_open(&m, ds, NULL, &opened);
    eb_curve curve;
    eb_status status;
    eb_target t = {.wanted = 5};
    unsigned passes;
    assert_int_equal(eb_curve_sample(&opened, 40, 1, &curve, &status), EB_OK);
    m.fail_at_pass = 2;
    assert_int_equal(eb_tune(&opened, &curve, &t, 1, 0, &passes, &status), EB_INTERNAL);
    assert_int_equal(passes, 1); /* the finished pass */
    for (int sweep = 0; sweep <= 1; sweep++) {
        doomed d = {.m = &m, .ds = ds, .curve = &curve, .sweep = sweep};
        eb_job *job;
        m.passes = sweep ? 1 : 0;
        assert_int_equal(eb_job_start(tune_doomed, &d, &job, &status), EB_OK);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    }
    eb_curve_free(&curve);
    eb_dataset_free(ds);
    free(m.s);
}

/* ---- sweep ---- */

TEST(a_sweep_counts_exactly)
{
    eb_dataset *ds = naive_points(70, 3, 12, 3);
    eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    double eps[20];
    uint64_t pairs[20];
    eb_status status;
    for (size_t k = 0; k < 20; k++)
        eps[k] = sqrt((double)(k * k)) * 0.9;
    assert_int_equal(eb_problem_open(&naive_setup, &problem, NULL, &opened, &status), EB_OK);
    assert_int_equal(eb_sweep(&opened, eps, 20, pairs, &status), EB_OK);
    for (size_t k = 0; k < 20; k++)
        assert_int_equal(pairs[k], naive_pairs(ds, eps[k]));
    assert_int_equal(pairs[19], naive_pairs(ds, 17.1));
    assert_int_equal(eb_sweep(&opened, eps, 0, pairs, &status), EB_OK);
    double wrong[][2] = {{-1, 2}, {NAN, 2}, {1, 1}, {2, 1}, {1, INFINITY}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(eb_sweep(&opened, wrong[k], 2, pairs, &status), EB_USAGE);
    eb_problem_close(&opened);
    eb_dataset_free(ds);
}

/* ---- from opening to closing ---- */

TEST(a_dataset_is_tuned_with_a_curve_that_is_kept)
{
    eb_dataset *ds = naive_points(90, 3, 40, 3);
    eb_curve curve = {.points = 0};
    eb_target t[] = {{.wanted = 4}, {.wanted = 20}};
    eb_status status;
    unsigned passes = 9;
    memset(&naive_trouble, 0, sizeof naive_trouble);
    assert_int_equal(eb_tune_dataset(&naive_setup, ds, 0, 1, &curve, t, 0, &passes, NULL, &status), EB_OK);
    assert_true(passes == 0 && curve.points > 0 && curve.n == 90); /* the curve alone */
    const double *sampled = curve.eps;
    for (int again = 0; again <= 1; again++) {
        assert_int_equal(eb_tune_dataset(&naive_setup, ds, 0, 2, &curve, t, 2, &passes, NULL, &status), EB_OK);
        assert_ptr_equal(curve.eps, sampled); /* not sampled again */
        assert_true(passes >= 1);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(t[k].pairs, naive_pairs(ds, t[k].eps));
        assert_true(t[0].selectivity >= 4 && t[1].selectivity >= 20 && t[0].eps < t[1].eps);
    }
    assert_int_equal(eb_tune_dataset(&naive_setup, ds, 10, 2, &curve, t, 2, &passes, NULL, &status), EB_OK);
    assert_int_equal(curve.queries, 10); /* a number of queries was requested: sampled again */
    t[1].wanted = 90;
    assert_int_equal(eb_tune_dataset(&naive_setup, ds, 12, 2, &curve, t, 2, &passes, NULL, &status), EB_UNREACHABLE);
    assert_true(passes == 0 && curve.queries == 12);
    assert_true(naive_trouble.opens == 5 && naive_trouble.closes == 5);
    eb_curve_free(&curve);
    eb_dataset_free(ds);
}

RUN_TESTS
