/* Tests of the predicted overlap (core/accuracy/prediction.h): engines with known errors, few pairs, bad values. */
#include <math.h>

#include "core/accuracy/prediction.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/test.h"

/* An engine whose distances are the truth's times a factor; NaN: it computes none. */
static double factor;

static eb_code scaled_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const naive_state *naive = state;
    EB_TRY(naive_distances(state, rows, m, out, status));
    for (size_t k = 0; k < m * naive->problem->right->n; k++)
        out[k] *= factor * factor;
    return EB_OK;
}

static eb_overlap_prediction predict(const eb_near_pairs *pairs, double times)
{
    static eb_implementation scaled;
    eb_engine engine = naive_engine;
    eb_overlap_prediction out;
    eb_status status = {.message = ""};
    scaled = naive_cpu;
    scaled.distances = scaled_distances;
    engine.on[EB_DEVICE_CPU].run = &scaled;
    const eb_setup setup = naive_setup_of(&engine);
    factor = times;
    if (eb_overlap_predict(pairs, &setup, NULL, &out, &status))
        fail_msg("%s", status.message);
    return out;
}

static void find(const eb_dataset *ds, double eps, eb_near_pairs *out)
{
    eb_status status = {.message = ""};
    if (eb_near_pairs_find(ds, eps, &naive_setup, 1, NULL, out, &status))
        fail_msg("%s", status.message);
}

static void assert_near(double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error))
        fail_msg("%g, not %g ± %g", found, expected, error);
}

/* On a plane S grows as ε². Distances that are a share e too long lose 1 − 1/(1 + e)² of the pairs. */
TEST(known_errors_give_the_overlap_that_they_cause)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 3000, 2, 3);
    eb_near_pairs pairs;
    find(ds, 0.1, &pairs);
    assert_near(pairs.slope, 2, 0.3); /* 96 queries tell it within some 10 % */
    assert_true(pairs.count > 500 && pairs.points > pairs.queries);
    const eb_overlap_prediction exact = predict(&pairs, 1), longer = predict(&pairs, 1.01),
                                shorter = predict(&pairs, 0.99);
    assert_true(exact.exact && exact.overlap == 1 && exact.low == 1 && exact.high == 1 && !exact.useless);
    assert_true(!longer.exact && longer.low < longer.overlap && longer.overlap < longer.high);
    assert_near(longer.overlap, 1 - 0.02, 0.004);
    assert_near(longer.bias, 0.01, 0.0005);
    assert_near(shorter.overlap, 1 / (1 + 0.02), 0.004);
    assert_near(shorter.bias, -0.01, 0.0005);
    assert_true(predict(&pairs, 1.5).useless);
    eb_near_pairs_free(&pairs);
    eb_dataset_free(ds);
}

TEST(distances_that_cannot_be_computed_make_a_result_useless)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 500, 2, 3);
    eb_near_pairs pairs;
    find(ds, 0.2, &pairs);
    const eb_overlap_prediction none = predict(&pairs, (double)NAN);
    assert_true(none.useless && none.overlap == 0 && !none.exact);
    eb_near_pairs_free(&pairs);
    eb_dataset_free(ds);
}

/* The sampled points include one that has the greatest coordinate, since a step for all points depends on it. */
TEST(the_widest_point_is_sampled)
{
    eb_dataset *ds = hostile_points(HOSTILE_OUTLIER, EB_F64, 2000, 3, 5);
    eb_near_pairs pairs;
    bool there = false;
    find(ds, 0.2, &pairs);
    for (size_t k = 0; k < pairs.points; k++)
        there |= ((const double *)(const void *)eb_row(&pairs.some, k))[0] == 1e30;
    assert_true(there && pairs.points < ds->n);
    eb_near_pairs_free(&pairs);
    eb_dataset_free(ds);
}

TEST(too_few_pairs_predict_nothing)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 5, 2, 3);
    eb_near_pairs pairs;
    find(ds, 1e-9, &pairs);
    assert_true(isnan(pairs.slope) && pairs.count == 0 && pairs.queries == 5);
    assert_true(isnan(predict(&pairs, 1).overlap));
    eb_near_pairs_free(&pairs);
    eb_dataset_free(ds);
}

TEST(eps_must_be_above_0)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 5, 2, 3);
    eb_near_pairs pairs;
    eb_status status;
    assert_int_equal(eb_near_pairs_find(ds, 0, &naive_setup, 1, NULL, &pairs, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "above 0"));
    eb_near_pairs_free(&pairs);
    eb_dataset_free(ds);
}

RUN_TESTS
