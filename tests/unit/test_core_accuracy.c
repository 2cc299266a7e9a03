/* accuracy: hand-made tables with results computed by hand, and random tables against a plain computation. */
#include <math.h>

#include "core/accuracy/accuracy.h"
#include "core/accuracy/self_pairs.h"
#include "tests/unit/matrix_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* A full table of the pairs within eps by a matrix of s; distances as tables have them. */
static eb_neighbours *table_of(const matrix *m, double eps)
{
    uint64_t entries = 0;
    for (size_t k = 0; k < m->n * m->n; k++)
        entries += k / m->n == k % m->n || m->s[k] <= eb_squared_threshold(eps) || isnan(m->s[k]);
    eb_neighbours *table;
    eb_status status;
    assert_int_equal(eb_neighbours_new(m->n, 0, m->n, entries, EB_DISTANCES_F64, &table, &status), EB_OK);
    uint64_t at = 0;
    for (size_t i = 0; i < m->n; i++) {
        for (size_t j = 0; j < m->n; j++) {
            double s = i == j ? 0 : m->s[i * m->n + j];
            if (!(s <= eb_squared_threshold(eps) || isnan(s))) /* NaN: a table that should not exist, but might */
                continue;
            table->columns[at] = (uint32_t)j;
            table->distances[at++] = s < 0 ? 0 : sqrt(s);
        }
        table->offsets[i + 1] = at;
    }
    return table;
}

/* Points on a line, so that distances are easy to write: x[0 … n−1]. */
static eb_dataset *line(const double *x, size_t n)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *values = malloc(n * sizeof *values);
    if (!ds || !values)
        abort();
    memcpy(values, x, n * sizeof *values);
    *ds = (eb_dataset){.n = n,
                       .d = 1,
                       .dtype = EB_F64,
                       .rows = (void *)values,
                       .stride = sizeof *values,
                       .release = naive_release,
                       .owner = values};
    return ds;
}

typedef struct setup {
    eb_dataset *ds;
    matrix fast, truth;
    eb_neighbours *fast_table, *true_table;
    eb_opened opened; /* of the fast engine */
    bool asks;        /* open_fast() was called: pairs that it did not report are completed */
    eb_accuracy_request request;
} setup;

/* Tables are made by build(), after the test has changed the fast engine's distances. */
static setup begin(eb_dataset *ds, double eps)
{
    setup s = {.ds = ds, .fast = matrix_of(ds), .truth = matrix_of(ds)};
    s.request = (eb_accuracy_request){.dataset = ds, .eps = eps, .threads = 1};
    return s;
}

static void build(setup *s)
{
    s->fast_table = table_of(&s->fast, s->request.eps);
    s->true_table = table_of(&s->truth, s->request.eps);
    s->request.fast = s->fast_table;
    s->request.truth = s->true_table;
}

/* Opens the fast engine, so that pairs that it did not report can be asked for. */
static void open_fast(setup *s)
{
    matrix_open(&s->fast, s->ds, NULL, &s->opened);
    s->asks = true;
}

static void end(setup *s)
{
    eb_neighbours_free(s->fast_table);
    eb_neighbours_free(s->true_table);
    free(s->fast.s);
    free(s->truth.s);
    eb_dataset_free(s->ds);
}

static eb_accuracy compute(const setup *s)
{
    eb_accuracy a;
    eb_status status;
    if (eb_accuracy_compute(&s->request, NULL, &a, &status) != EB_OK ||
        (s->asks && eb_boundary_complete(&s->opened, a.boundary, a.boundary_count, &status) != EB_OK))
        fail_msg("%s", status.message);
    uint64_t binned = a.errors.under + a.errors.over;
    for (size_t k = 0; k < a.errors.bins; k++)
        binned += a.errors.count[k];
    assert_int_equal(binned + a.error_nan, a.common);
    assert_true(a.errors.low == -a.errors.high && a.errors.high > 0);
    uint64_t points = 0;
    for (size_t k = 0; k < EB_OVERLAP_BINS; k++)
        points += a.overlap_bins[k];
    assert_int_equal(points, a.n);
    return a;
}

/* Points 0, 1, 2.5, 4, 9 and ε = 2: true neighbours 0–1, 1–2 (1.5), 2–3 (1.5). */
static const double hand_points[] = {0, 1, 2.5, 4, 9};

TEST(by_hand)
{
    setup s = begin(line(hand_points, 5), 2);
    matrix_set(&s.fast, 0, 1, 1.25 * 1.25); /* error +0.25 */
    matrix_set(&s.fast, 1, 2, 1.25 * 1.25); /* error −0.25 */
    matrix_set(&s.fast, 2, 3, 2.5 * 2.5);   /* missed */
    matrix_set(&s.fast, 0, 2, 1.75 * 1.75); /* found wrongly: true distance 2.5 */
    build(&s);
    open_fast(&s);
    eb_accuracy a = compute(&s);
    assert_true(a.n == 5 && a.eps == 2);
    assert_true(a.pairs_fast == 5 + 6 && a.pairs_true == 5 + 6);
    assert_true(a.common == 2 && a.only_fast == 1 && a.only_true == 1);
    /* Point 0: {1, 2} of {1}: 1/2. Point 1: {0, 2}: 1. Point 2: {0, 1} and {1, 3}: 1/3. Point 3: {} of {2}: 0. Point
     * 4: 1. */
    assert_true(fabs(a.overlap - (0.5 + 1 + 1.0 / 3 + 0 + 1) / 5) < 1e-15);
    assert_true(a.overlap_min == 0);
    assert_true(a.overlap_bins[0] == 1 && a.overlap_bins[6] == 1 && a.overlap_bins[10] == 1 && a.overlap_bins[19] == 2);
    assert_true(a.error_mean == 0 && a.error_std == 0.25 && a.error_max == 0.25 && a.error_nan == 0);
    assert_true(a.errors.bins == 200 && a.errors.high == 0.25);
    assert_true(a.errors.count[0] == 1 && a.errors.count[199] == 1);
    /* |true − 2|: 1–2 ½, 2–3 ½, 0–2 ½, 0–1 1. */
    assert_int_equal(a.boundary_count, 4);
    static const struct {
        uint32_t i, j;
        double dist_fast, dist_true;
        bool in_fast, in_true;
    } expected[] = {{0, 2, 1.75, 2.5, true, false},
                    {1, 2, 1.25, 1.5, true, true},
                    {2, 3, 2.5, 1.5, false, true},
                    {0, 1, 1.25, 1, true, true}};
    for (size_t k = 0; k < 4; k++) {
        const eb_boundary_pair *p = &a.boundary[k];
        assert_true(p->i == expected[k].i && p->j == expected[k].j);
        assert_true(p->dist_fast == expected[k].dist_fast && p->dist_true == expected[k].dist_true);
        assert_true(p->in_fast == expected[k].in_fast && p->in_true == expected[k].in_true);
    }
    eb_accuracy_free(&a);
    assert_null(a.boundary);
    s.asks = false;
    s.request.boundary = 3;
    a = compute(&s);
    assert_int_equal(a.boundary_count, 3);
    assert_true(isnan(a.boundary[2].dist_fast) && a.boundary[2].dist_true == 1.5);
    eb_accuracy_free(&a);
    end(&s);
}

/* The same with each point as its own neighbour; the fast engine gives self distances of ½ once, ¼ once, and one beyond
 * ε. */
TEST(by_hand_with_self_pairs)
{
    static const double fast[] = {0, 0.5, 0, INFINITY, 0.25}, truth[5] = {0};
    eb_status status = {.message = ""};
    eb_accuracy a;
    setup s = begin(line(hand_points, 5), 2);
    matrix_set(&s.fast, 0, 1, 1.25 * 1.25); /* error +0.25 */
    matrix_set(&s.fast, 1, 2, 1.25 * 1.25); /* error −0.25 */
    matrix_set(&s.fast, 2, 3, 2.5 * 2.5);   /* missed */
    matrix_set(&s.fast, 0, 2, 1.75 * 1.75); /* too much */
    build(&s);
    eb_accuracy without = compute(&s);
    assert_int_equal(eb_accuracy_with_self(&without, fast, truth, &a, &status), EB_OK);
    assert_true(a.self_pairs && !without.self_pairs && a.self_common == 4);
    assert_true(a.common == 2 && a.only_fast == 1 && a.only_true == 1); /* pairs of two points, as before */
    /* Point 0: {0, 1, 2} of {0, 1}: 2/3. Point 1: 1. Point 2: {0, 1, 2} and {1, 2, 3}: 2/4. Point 3, not even itself:
     * 0. Point 4: 1. */
    assert_true(fabs(a.overlap - (2.0 / 3 + 1 + 0.5 + 0 + 1) / 5) < 1e-15);
    assert_true(a.overlap_min == 0);
    assert_true(a.overlap_bins[0] == 1 && a.overlap_bins[10] == 1 && a.overlap_bins[13] == 1 &&
                a.overlap_bins[19] == 2);
    /* ±¼ twice each, then 0, ½, 0 and ¼. */
    double mean = 0.75 / 8;
    assert_true(fabs(a.error_mean - mean) < 1e-15 && a.error_max == 0.5);
    assert_true(fabs(a.error_std - sqrt((4 * 0.0625 + 0.25 + 0.0625) / 8 - mean * mean)) < 1e-15);
    assert_true(a.errors.bins == 200 && a.errors.high == 0.25 && a.errors.over == 1 && a.errors.under == 0);
    assert_true(a.errors.count[0] == 2 && a.errors.count[100] == 2 && a.errors.count[199] == 3);
    assert_true(a.boundary_count == without.boundary_count && a.boundary != without.boundary);
    eb_accuracy_free(&a);
    eb_accuracy_free(&without);
    end(&s);
}

/* Points whose only neighbour is the point itself. */
TEST(self_pairs_alone_are_results_too)
{
    static const double apart[] = {0, 10, 20}, fast[] = {0, 0.5, 0}, truth[3] = {0};
    eb_status status = {.message = ""};
    eb_accuracy a;
    setup s = begin(line(apart, 3), 1);
    build(&s);
    eb_accuracy without = compute(&s);
    assert_true(isnan(without.error_mean));
    assert_int_equal(eb_accuracy_with_self(&without, fast, truth, &a, &status), EB_OK);
    assert_true(a.overlap == 1 && a.self_common == 3 && a.error_max == 0.5);
    assert_true(fabs(a.error_mean - 0.5 / 3) < 1e-15);
    eb_accuracy_free(&a);
    eb_accuracy_free(&without);
    end(&s);
}

TEST(equal_results)
{
    setup s = begin(line(hand_points, 5), 2);
    build(&s);
    eb_accuracy a = compute(&s);
    assert_true(a.overlap == 1 && a.overlap_min == 1 && a.overlap_bins[19] == 5);
    assert_true(a.error_mean == 0 && a.error_std == 0 && a.error_max == 0 && a.common == 3);
    assert_true(a.errors.high > 0 && a.errors.high < 1e-6 && a.errors.count[100] == 3);
    eb_accuracy_free(&a);
    end(&s);
}

TEST(empty_results)
{
    static const double far[] = {0, 10, 20, 30};
    setup s = begin(line(far, 4), 0);
    build(&s);
    eb_accuracy a = compute(&s);
    assert_true(a.pairs_fast == 4 && a.pairs_true == 4 && a.common == 0 && a.only_fast == 0 && a.only_true == 0);
    assert_true(a.overlap == 1 && isnan(a.error_mean) && isnan(a.error_std) && isnan(a.error_max));
    assert_true(a.boundary_count == 0);
    eb_accuracy_free(&a);
    end(&s);

    s = begin(line(far, 4), 10); /* nothing in common */
    for (size_t i = 0; i < 3; i++)
        matrix_set(&s.fast, i, i + 1, 101);
    matrix_set(&s.fast, 0, 2, 81);
    build(&s);
    a = compute(&s);
    assert_true(a.common == 0 && a.only_fast == 1 && a.only_true == 3 && a.overlap == 0 && a.overlap_bins[0] == 4);
    assert_true(isnan(a.error_mean) && a.boundary_count == 4);
    assert_true(a.boundary[3].dist_true == 20 && a.boundary[3].dist_fast == 9);
    eb_accuracy_free(&a);
    end(&s);

    s = begin(line(far, 1), 1);
    build(&s);
    a = compute(&s);
    assert_true(a.n == 1 && a.overlap == 1 && a.common == 0 && a.pairs_fast == 1);
    eb_accuracy_free(&a);
    end(&s);
}

TEST(errors_that_are_no_numbers_are_counted_apart)
{
    setup s = begin(line(hand_points, 5), 2);
    matrix_set(&s.fast, 0, 1, NAN);
    matrix_set(&s.fast, 1, 2, 1);
    build(&s);
    s.true_table->distances[s.true_table->offsets[2] + 2] = INFINITY; /* 2–3, which a true table never has */
    eb_accuracy a = compute(&s);
    assert_true(a.common == 3 && a.error_nan == 2);
    assert_true(a.error_mean == -0.5 && a.error_std == 0 && a.error_max == 0.5);
    assert_true(a.overlap == 1);
    eb_accuracy_free(&a);
    end(&s);
}

TEST(outliers_do_not_flatten_the_histogram)
{
    enum { N = 101 };
    double x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = (double)i;
    setup s = begin(line(x, N), 1);
    for (size_t i = 0; i + 1 < N; i++) {
        double off = i == 7 ? -0.5 : (i % 2 ? 1 : -1) * 0x1p-10;
        matrix_set(&s.fast, i, i + 1, (1 + off) * (1 + off));
    }
    s.request.eps = 1.1;
    build(&s);
    eb_accuracy a = compute(&s);
    assert_true(a.common == 100 && a.error_max == 0.5);
    assert_true(a.errors.high < 0.5 && a.errors.under == 1 && a.errors.over == 0);
    eb_accuracy_free(&a);
    end(&s);
}

/* ---- the histogram alone ---- */

TEST(histogram_bins_are_as_written)
{
    eb_histogram h, g;
    eb_status status;
    assert_int_equal(eb_histogram_new(99, 1, &h, &status), EB_USAGE);
    assert_int_equal(eb_histogram_new(1000001, 1, &h, &status), EB_USAGE);
    assert_int_equal(eb_histogram_new(150, 0.3, &h, &status), EB_OK);
    assert_int_equal(eb_histogram_new(150, 0.3, &g, &status), EB_OK);
    double width = (h.high - h.low) / 150;
    for (size_t k = 0; k < 150; k++) { /* each bin's begin, and the number just below it */
        eb_histogram_add(&h, h.low + (double)k * width);
        eb_histogram_add(&g, nextafter(g.low + (double)k * width, -1));
    }
    for (size_t k = 0; k < 150; k++) {
        assert_int_equal(h.count[k], 1);
        assert_int_equal(g.count[k], k < 149);
    }
    assert_true(h.under == 0 && g.under == 1);
    eb_histogram_add(&h, h.high);
    assert_true(h.count[149] == 2 && h.over == 0);
    eb_histogram_add(&h, nextafter(h.high, 1));
    eb_histogram_add(&h, 1e300);
    eb_histogram_add(&h, -1e300);
    assert_true(h.over == 2 && h.under == 1);
    eb_histogram_merge(&h, &g);
    assert_true(h.under == 2 && h.count[0] == 2 && h.count[149] == 2);
    free(h.count);
    free(g.count);
}

TEST(ranges_are_round_numbers)
{
    assert_true(eb_error_range(0, 1, 1.1, 5) == 1.2);
    assert_true(eb_error_range(0, 1, 1, 5) == 1);
    assert_true(fabs(eb_error_range(0, 3.4e-5, 1e-3, 1) - 2.5e-4) < 1e-12); /* 6 · 3.4e-5 = 2.04e-4 */
    assert_true(eb_error_range(0, 0, 0, 1) > 0 && eb_error_range(0, 0, 0, 1) < 1e-7);
    assert_true(eb_error_range(0, 0, 0, 0) > 0);
    assert_true(eb_error_range(NAN, NAN, NAN, 100) > 0);
    uint64_t seed = 1;
    for (int k = 0; k < 2000; k++) {
        double x = ldexp(1 + (double)(naive_random(&seed) >> 12) * 0x1p-52, (int)(naive_random(&seed) % 2000) - 1040);
        double range = eb_error_range(0, x, x, 1);
        assert_true(range >= x && range <= x * 1.4);
    }
}

/* ---- against a plain computation ---- */

static int nearer(const void *a, const void *b, void *context)
{
    const eb_boundary_pair *p = a, *q = b;
    double eps = *(const double *)context, x = fabs(p->dist_true - eps), y = fabs(q->dist_true - eps);
    if (x != y)
        return x < y ? -1 : 1;
    if (p->i != q->i)
        return p->i < q->i ? -1 : 1;
    return p->j < q->j ? -1 : p->j > q->j;
}

static void check_plainly(const setup *s, const eb_accuracy *a)
{
    size_t n = s->ds->n;
    double limit = eb_squared_threshold(a->eps), overlap = 0, sum = 0, squares = 0, largest = 0;
    uint64_t common = 0, only_fast = 0, only_true = 0, count = 0;
    eb_boundary_pair *pairs = malloc(n * n * sizeof *pairs);
    if (!pairs)
        abort();
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < n; i++) {
            uint64_t both = 0, either = 0;
            for (size_t j = 0; j < n; j++) {
                if (i == j)
                    continue;
                double f = s->fast.s[i * n + j], t = s->truth.s[i * n + j];
                bool in_fast = f <= limit, in_true = t <= limit;
                both += in_fast && in_true;
                either += in_fast || in_true;
                if (i > j || !(in_fast || in_true))
                    continue;
                double error = sqrt(f) - sqrt(t);
                if (round == 1) {
                    squares += in_fast && in_true ? (error - sum / (double)common) * (error - sum / (double)common) : 0;
                    continue;
                }
                common += in_fast && in_true;
                only_fast += !in_true;
                only_true += !in_fast;
                sum += in_fast && in_true ? error : 0;
                largest = in_fast && in_true ? fmax(largest, fabs(error)) : largest;
                pairs[count++] = (eb_boundary_pair){.i = (uint32_t)i,
                                                    .j = (uint32_t)j,
                                                    .dist_fast = sqrt(f),
                                                    .dist_true = sqrt(t),
                                                    .in_fast = in_fast,
                                                    .in_true = in_true};
            }
            if (round == 0)
                overlap += either ? (double)both / (double)either : 1;
        }
    assert_true(a->common == common && a->only_fast == only_fast && a->only_true == only_true);
    assert_true(fabs(a->overlap - overlap / (double)n) < 1e-13);
    assert_true(fabs(a->error_mean - sum / (double)common) < 1e-12 * largest);
    assert_true(fabs(a->error_std - sqrt(squares / (double)common)) < 1e-9 * largest);
    assert_true(a->error_max == largest);
    double eps = a->eps;
    qsort_r(pairs, count, sizeof *pairs, nearer, &eps);
    assert_int_equal(a->boundary_count, count < s->request.boundary ? count : s->request.boundary);
    for (size_t k = 0; k < a->boundary_count; k++) {
        const eb_boundary_pair *p = &a->boundary[k], *q = &pairs[k];
        assert_true(p->i == q->i && p->j == q->j && p->in_fast == q->in_fast && p->in_true == q->in_true);
        assert_true(p->dist_fast == q->dist_fast && p->dist_true == q->dist_true);
    }
    free(pairs);
}

TEST(random_tables_and_any_number_of_threads)
{
    for (unsigned kind = 0; kind < 4; kind++) { /* kind 2 and 3: many ties and duplicates */
        eb_dataset *ds = naive_points(kind % 2 ? 90 : 333, 3, kind < 2 ? 5000 : 12, kind);
        setup s = begin(ds, kind < 2 ? 1500 : 4);
        uint64_t seed = kind;
        for (size_t i = 0; i < ds->n; i++)
            for (size_t j = i + 1; j < ds->n; j++) {
                double off = ((double)(naive_random(&seed) >> 11) * 0x1p-53 - 0.49) * 0.02;
                matrix_set(&s.fast, i, j, s.truth.s[i * ds->n + j] * (1 + off));
            }
        build(&s);
        open_fast(&s);
        eb_accuracy first = {.n = 0};
        static const size_t lengths[] = {1, 20, 500, 1000000};
        for (unsigned threads = 0; threads <= 4; threads += 2)
            for (size_t k = 0; k < 4; k++) {
                s.request.threads = threads;
                s.request.boundary = lengths[k];
                eb_accuracy a = compute(&s);
                check_plainly(&s, &a);
                if (first.n == 0) {
                    first = a;
                    continue;
                }
                assert_true(a.overlap == first.overlap && a.error_mean == first.error_mean &&
                            a.error_std == first.error_std); /* to the last bit */
                assert_memory_equal(a.errors.count, first.errors.count, first.errors.bins * sizeof *a.errors.count);
                eb_accuracy_free(&a);
            }
        eb_accuracy_free(&first);
        end(&s);
    }
}

/* ---- what cannot be done ---- */

static eb_code cancelled_at_once(eb_job *job, void *argument, eb_status *status)
{
    eb_accuracy a;
    eb_job_cancel(job);
    return eb_accuracy_compute(argument, job, &a, status);
}

static eb_code fail_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    (void)state;
    (void)rows;
    (void)m;
    (void)out;
    return eb_fail(status, EB_INTERNAL, "no distances today");
}

TEST(bad_requests_are_refused)
{
    setup s = begin(line(hand_points, 5), 2);
    matrix_set(&s.fast, 0, 1, 100);
    build(&s);
    eb_accuracy a;
    eb_status status;
    s.request.bins = 50;
    assert_int_equal(eb_accuracy_compute(&s.request, NULL, &a, &status), EB_USAGE);
    s.request.bins = 100;
    a = compute(&s);
    assert_int_equal(a.errors.bins, 100);
    eb_accuracy_free(&a);

    s.fast_table->kept = EB_DISTANCES_NONE;
    assert_int_equal(eb_accuracy_compute(&s.request, NULL, &a, &status), EB_INTERNAL);
    s.fast_table->kept = EB_DISTANCES_F64;
    s.true_table->first_row = 1;
    assert_int_equal(eb_accuracy_compute(&s.request, NULL, &a, &status), EB_INTERNAL);
    s.true_table->first_row = 0;

    eb_implementation broken = {.distances = fail_distances};
    eb_setup broken_setup = matrix_setup;
    broken_setup.run = &broken;
    open_fast(&s);
    s.opened.setup = &broken_setup;
    s.opened.run = broken_setup.run;
    assert_int_equal(eb_accuracy_compute(&s.request, NULL, &a, &status), EB_OK);
    assert_int_equal(eb_boundary_complete(&s.opened, a.boundary, a.boundary_count, &status), EB_INTERNAL);
    assert_string_equal(status.message, "no distances today");
    eb_accuracy_free(&a);

    eb_job *job;
    assert_int_equal(eb_job_start(cancelled_at_once, &s.request, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    end(&s);
}

RUN_TESTS
