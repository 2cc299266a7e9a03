/* tune by a sample: bands hold S as often as they promise, sampling ends when they are narrow, a cancelled pass leaves
 * the sampled ε, and a counted ε has a gap behind it in which no pair lies. */
#include <math.h>

#include "core/tune/order_statistic.h"
#include "core/tune/tune.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"
#include "tests/unit/uneven_points.h"

static eb_code tune(const eb_setup *setup, const eb_dataset *ds, double within, uint64_t seed, eb_target *t,
                    eb_curve *curve, unsigned *passes)
{
    const eb_tune_request request =
        {.setup = setup, .dataset = ds, .seed = seed, .targets = t, .count = 1, .within = within};
    eb_status status;
    return eb_tune_ask(&request, curve, passes, NULL, &status);
}

static double counted(const eb_dataset *ds, double eps)
{
    return (double)(naive_pairs(ds, eps) - ds->n) / (double)ds->n;
}

/* ---- the band ---- */

/* S at ε from all distances, sorted: [n(n − 1)/2]. */
static double s_of(const double *sorted, size_t n, double eps)
{
    const double limit = eb_squared_threshold(eps);
    size_t low = 0, high = n * (n - 1) / 2;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * (double)low / (double)n;
}

static double *all_distances(const eb_dataset *ds)
{
    const size_t n = ds->n;
    double *s = malloc(n * (n - 1) / 2 * sizeof *s), *at = s;
    if (!s)
        abort();
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            *at++ = eb_truth_distance2(ds, i, j);
    qsort(s, n * (n - 1) / 2, sizeof *s, eb_compare_doubles);
    return s;
}

TEST(bands_hold_as_often_as_they_promise)
{
    enum { POINTS = 560, SEEDS = 200 };
    const size_t kinds[] = {0, 2, 6, 8}; /* uniform, unequal clusters, power-law density, copies of one point */
    if (EB_SANITIZED)
        skip(); /* a statistical test; the others run this code */
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        eb_dataset *ds = uneven_points(&uneven_kinds[kinds[k]], POINTS, 3);
        double *sorted = all_distances(ds);
        unsigned held = 0, sampled = 0, passes;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            eb_curve curve = {.points = 0};
            eb_target t = {.wanted = 50};
            assert_int_equal(tune(&naive_setup, ds, 0.6, seed * 17, &t, &curve, &passes), EB_OK);
            eb_curve_free(&curve);
            if (!t.sampled)
                continue;
            const double s = s_of(sorted, POINTS, t.eps);
            assert_true(eb_target_is_narrow(&t, 0.6) && passes == 0);
            sampled++;
            held += t.low <= s && s <= t.high;
        }
        if (sampled < SEEDS / 2 || held < 0.91 * sampled)
            fail_msg("%s: %u of %u bands held S", uneven_kinds[kinds[k]].name, held, sampled);
        free(sorted);
        eb_dataset_free(ds);
    }
}

TEST(sampling_ends_when_the_band_is_narrow)
{
    eb_dataset *ds = uneven_points(&uneven_kinds[2], 3000, 5);
    double within = 0.9;
    size_t queries[2];
    for (size_t k = 0; k < 2; k++) {
        eb_curve curve = {.points = 0};
        eb_target t = {.wanted = 50};
        unsigned passes;
        assert_int_equal(tune(&naive_setup, ds, within, 1, &t, &curve, &passes), EB_OK);
        assert_true(t.sampled && passes == 0 && isnan(t.middle));
        assert_true(t.low >= 50 * (1 - within) && t.high <= 50 * (1 + within));
        within = 0.8 * fmax(t.high - 50, 50 - t.low) / 50; /* next time more queries are needed */
        queries[k] = curve.queries;
        eb_curve_free(&curve);
    }
    assert_true(queries[0] == 64 && queries[1] > 64 && queries[1] <= 3000 / 8 + 1);
    eb_dataset_free(ds);
}

TEST(a_band_that_needs_too_many_queries_is_counted)
{
    eb_dataset *ds = uneven_points(&uneven_kinds[2], 600, 5);
    const size_t few[] = {600, 40, 2}; /* for 40 points and fewer the sample is all of them */
    for (size_t k = 0; k < 3; k++) {
        eb_dataset part = *ds;
        eb_curve curve = {.points = 0};
        eb_target t = {.wanted = 1};
        unsigned passes;
        part.n = few[k];
        assert_int_equal(tune(&naive_setup, &part, 0.001, 1, &t, &curve, &passes), EB_OK);
        assert_true(!t.sampled && passes >= 1 && isnan(t.low) && isnan(t.high));
        assert_int_equal(t.pairs, naive_pairs(&part, t.eps));
        eb_curve_free(&curve);
    }
    eb_dataset_free(ds);
}

/* On a grid all pairs of a step enter at one ε. The sampled ε must not lie below the step that the curve has seen. */
TEST(steps_are_not_cut)
{
    eb_dataset *ds = naive_points(600, 2, 20, 1);
    unsigned held = 0, passes;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        eb_curve curve = {.points = 0};
        eb_target t = {.wanted = 20};
        assert_int_equal(tune(&naive_setup, ds, 0.9, seed, &t, &curve, &passes), EB_OK);
        const double s = counted(ds, t.eps);
        held += t.low <= s && s <= t.high;
        eb_curve_free(&curve);
    }
    assert_true(held >= 36);
    eb_dataset_free(ds);
}

TEST(impossible_targets_are_refused_with_a_band_too)
{
    eb_dataset *ds = naive_points(300, 3, 20, 1);
    eb_curve curve = {.points = 0};
    eb_target t = {.wanted = 300};
    unsigned passes;
    assert_int_equal(tune(&naive_setup, ds, 0.1, 1, &t, &curve, &passes), EB_UNREACHABLE);
    eb_curve_free(&curve);
    eb_dataset_free(ds);
}

/* ---- a cancelled pass ---- */

static eb_code cancelled_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    const naive_state *naive = state;
    (void)pass;
    eb_job_cancel(naive->context->job);
    return eb_job_check(naive->context->job, status);
}

typedef struct attempt {
    const eb_setup *setup;
    const eb_dataset *ds;
    eb_target target;
    eb_curve curve;
    unsigned passes;
} attempt;

static eb_code work(eb_job *job, void *argument, eb_status *status)
{
    attempt *a = argument;
    const eb_tune_request request = {.setup = a->setup, .dataset = a->ds, .seed = 1, .targets = &a->target, .count = 1};
    return eb_tune_ask(&request, &a->curve, &a->passes, job, status);
}

TEST(a_cancelled_pass_leaves_the_sampled_target)
{
    eb_dataset *ds = uneven_points(&uneven_kinds[1], 700, 5);
    eb_implementation cpu = naive_cpu;
    eb_engine engine = naive_engine;
    cpu.histogram = cancelled_histogram;
    engine.on[EB_DEVICE_CPU].run = &cpu;
    const eb_setup setup = naive_setup_of(&engine);
    attempt a = {.setup = &setup, .ds = ds, .target = {.wanted = 30}};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(work, &a, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    const eb_target *t = &a.target;
    assert_true(t->sampled && a.passes == 0 && t->wanted == 30);
    assert_true(t->low < t->selectivity && t->selectivity < t->high && t->selectivity >= 30);
    assert_true(t->eps >= t->sampled_eps && t->eps > 0);
    const double s = counted(ds, t->eps);
    assert_true(t->low <= s && s <= t->high);
    eb_curve_free(&a.curve);
    eb_dataset_free(ds);
}

/* ---- the gap ---- */

TEST(no_pair_lies_between_eps_and_the_middle)
{
    unsigned answers = 0, in_the_middle = 0; /* not where the pass ends inside the gap */
    for (size_t kind = 0; kind < UNEVEN_KINDS + 2; kind++) {
        eb_dataset *ds = kind < UNEVEN_KINDS ? uneven_points(&uneven_kinds[kind], 300, kind + 1)
                                             : naive_points(300, 2, kind == UNEVEN_KINDS ? 9 : 1000, 1);
        for (double wanted = 1; wanted < 250; wanted *= 2.7) {
            eb_curve curve = {.points = 0};
            eb_target t = {.wanted = wanted};
            unsigned passes;
            assert_int_equal(tune(&naive_setup, ds, 0, 1, &t, &curve, &passes), EB_OK);
            eb_curve_free(&curve);
            if (t.eps == 0)
                continue;
            /* Only neighbouring doubles have nothing between them. */
            assert_true(t.middle > t.eps && t.middle <= 1.25 * t.eps);
            assert_int_equal(naive_pairs(ds, t.middle), t.pairs);
            answers++;
            in_the_middle += naive_pairs(ds, t.middle + (t.middle - t.eps) * 1.001) > t.pairs;
        }
        eb_dataset_free(ds);
    }
    assert_true(answers > 60 && in_the_middle > answers * 9 / 10);
}

RUN_TESTS
