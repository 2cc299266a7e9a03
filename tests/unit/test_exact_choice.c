/* Tests of the sample read before `exact` chooses a way, and that the chosen way gives ref64's result. */

#include "kernels/exact/choose.h"
#include "kernels/exact/estimate.h"
#include "tests/unit/cpu_points.h"
#include "tests/unit/test.h"

static double sampled(const eb_dataset *points, double eps, size_t wanted, double *dimension)
{
    const eb_problem problem = eb_self_join(points);
    const eb_question question = {.eps = eps};
    eb_estimate estimate;
    assert_int_equal(eb_estimate_make(&problem, &question, wanted, 3, &estimate, NULL), EB_OK);
    const double pairs = eb_estimate_pairs(&estimate, eps);
    if (dimension)
        *dimension = eb_estimate_dimension(&estimate);
    for (size_t k = 1; k < estimate.count; k++)
        assert_true(estimate.distance[k - 1] <= estimate.distance[k]);
    eb_estimate_free(&estimate);
    return pairs;
}

/* In the unit square, π·ε² of all pairs are within ε, apart from edge effects. */
TEST(a_sample_knows_how_many_pairs_are_near)
{
    eb_dataset *points = naive_points(20000, 2, 1u << 24, 7);
    const double pairs = 20000.0 * 19999 / 2;
    const double eps[] = {0.3, 0.1, 0.01, 0.001}, unit = 1u << 24;
    for (size_t k = 0; k < 8; k++) {
        double dimension;
        const double expected = pairs * 3.14159265 * eps[k / 2] * eps[k / 2], factor = k % 2 ? 6 : 3;
        const double found = sampled(points, eps[k / 2] * unit, k % 2 ? 4096 : 65536, &dimension);
        assert_true(found > expected / factor &&
                    found < expected * factor); /* an estimate, even if no sampled pair is near */
        assert_true(dimension > 1.1 && dimension <= 2);
    }
    assert_true(sampled(points, 2 * unit, 4096, NULL) == pairs);
    eb_dataset_free(points);
}

TEST(a_sample_is_the_same_by_any_number_of_threads)
{
    eb_dataset *points = naive_points(1777, 5, 1u << 20, 3);
    const eb_problem problem = eb_self_join(points);
    const eb_question question = {.eps = 1e5};
    eb_estimate one, several;
    assert_int_equal(eb_estimate_make(&problem, &question, 7777, 1, &one, NULL), EB_OK);
    for (unsigned threads = 2; threads < 12; threads += 3) {
        assert_int_equal(eb_estimate_make(&problem, &question, 7777, threads, &several, NULL), EB_OK);
        assert_int_equal(several.count, one.count);
        assert_memory_equal(several.distance, one.distance, one.count * sizeof *one.distance);
        assert_true(several.norm == one.norm && several.widest == one.widest);
        eb_estimate_free(&several);
    }
    eb_estimate_free(&one);
    eb_dataset_free(points);
}

/* Requests a way that this device lacks, and one that it has. */
TEST(a_way_can_be_asked_for)
{
    const cpu_variant named = {&eb_engine_exact, "way=ref64"}, absent = {&eb_engine_exact, "way=fp16"};
    eb_dataset *points = naive_points(300, 3, 40, 1);
    const eb_problem problem = eb_self_join(points);
    const cpu_variant truth = {&eb_engine_ref64, ""};
    asked a, b;
    open_problem(&a, &named, &problem, 1);
    open_problem(&b, &truth, &problem, 1);
    assert_true(count_all(&a, 9) == count_all(&b, 9));
    assert_non_null(strstr(a.setup.run->describe(a.opened.state), "way ref64, integers, exact ("));
    close_problem(&a);
    close_problem(&b);
    eb_status status = {.message = ""};
    const eb_setup setup = setup_of(&absent, 1);
    assert_int_equal(setup.run->probe(&setup.device, &setup.options, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "exact has no way `fp16` on cpu; there: auto,"));
    eb_dataset_free(points);
}

/* One state answers several ε in turn; the figures include the time to choose. */
TEST(one_state_is_asked_at_many_eps)
{
    const cpu_variant automatic = {&eb_engine_exact, ""}, truth = {&eb_engine_ref64, ""};
    eb_dataset *points = naive_points(500, 5, 30, 3);
    const eb_problem problem = eb_self_join(points);
    asked a, b;
    open_problem(&a, &automatic, &problem, 2);
    open_problem(&b, &truth, &problem, 2);
    for (double eps = 0; eps < 100; eps = eps * 1.7 + 1)
        assert_true(count_all(&a, eps) == count_all(&b, eps));
    assert_true(count_all(&a, 3) == count_all(&b, 3));
    assert_non_null(strstr(a.setup.run->describe(a.opened.state), "way chosen: "));
    assert_true(eb_figures_value(&a.opened.figures, "choice_s") > 0);
    close_problem(&a);
    close_problem(&b);
    eb_dataset_free(points);
}

RUN_TESTS
