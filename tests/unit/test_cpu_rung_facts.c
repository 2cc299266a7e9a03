/* Tests of what engine tensor tells about itself (kernels/tensor/cpu/facts.c): distances of single pairs, rounded
 * points, the ε at which it misses nothing, and how far it reaches. */
#include <math.h>

#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/rungs.h"
#include "tests/unit/sanitized.h"

static bool is_finite(const double *s, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(s[k]))
            return false;
    return true;
}

/* ---- single pairs ---- */

TEST(pairs_have_the_bits_of_all_distances)
{
    uint64_t seed = 3;
    for (size_t r = 0; r < RUNGS; r++) {
        eb_dataset *left = hostile_points(HOSTILE_CLUSTERS, EB_F32, 21, 40, 3),
                   *right = hostile_points(HOSTILE_RANDOM, EB_F32, 33, 40, 4);
        const eb_problem problem = {.left = left, .right = right};
        eb_status status;
        asked a;
        assert_true(opens(&a, rungs[r], &problem));
        double *all = all_distances(&a), s[500];
        uint32_t row[500], column[500];
        for (size_t k = 0; k < 500; k++) {
            row[k] = (uint32_t)(naive_random(&seed) % left->n);
            column[k] = (uint32_t)(naive_random(&seed) % right->n);
        }
        assert_int_equal(eb_ask_pairs(&a.opened, row, column, 500, s, &status), EB_OK);
        for (size_t k = 0; k < 500; k++)
            if (memcmp(&s[k], &all[row[k] * right->n + column[k]], sizeof *s) != 0)
                fail_msg("%s: pair %u, %u: %a", a.setup.spec, row[k], column[k], s[k]);
        free(all);
        close_problem(&a);
        eb_dataset_free(left);
        eb_dataset_free(right);
    }
}

TEST(pairs_of_points_that_are_not_there_are_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 9, 4, 3);
    const eb_problem problem = eb_self_join(ds);
    const uint32_t row[] = {2, 9}, column[] = {3, 1};
    double s[2];
    eb_status status;
    asked a;
    assert_true(opens(&a, "type=f16", &problem));
    assert_int_equal(eb_ask_pairs(&a.opened, row, column, 2, s, &status), EB_INTERNAL);
    close_problem(&a);
    eb_dataset_free(ds);
}

/* ---- bounds ---- */

/* Checks both bounds at one ε over all pairs. truth, s: [n × n] squared distances. */
static void check_bounds(const asked *a, const double *truth, const double *s, size_t n, double eps, const char *what)
{
    const double complete = eb_complete_eps(&a->opened, eps), reach = eb_reach_eps(&a->opened, eps);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double t = truth[i * n + j], own = s[i * n + j];
            if (i == j)
                continue;
            if (t <= eb_squared_threshold(eps) && isfinite(complete) && !(own <= eb_squared_threshold(complete)))
                fail_msg("%s, %s: pair %zu, %zu is within %a by the truth, not within %a by the engine: %a",
                         a->setup.spec, what, i, j, eps, complete, own);
            if (own <= eb_squared_threshold(eps) && isfinite(reach) && !(t <= eb_squared_threshold(reach)))
                fail_msg("%s, %s: pair %zu, %zu is within %a by the engine, not within %a by the truth: %a",
                         a->setup.spec, what, i, j, eps, reach, t);
        }
}

static void check_family(const char *items, hostile_family family, uint64_t *seed)
{
    const size_t n = 40, d = (size_t[]){1, 9, 70}[naive_random(seed) % 3];
    eb_dataset *ds = hostile_points(family, EB_F64, n, d, naive_random(seed));
    const eb_problem problem = eb_self_join(ds);
    double *truth = malloc(n * n * sizeof *truth);
    asked a;
    assert_non_null(truth);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            truth[i * n + j] = eb_truth_distance2(ds, i, j);
    if (opens(&a, items, &problem)) {
        double *s = all_distances(&a);
        for (unsigned k = 0; k < 8 && a.opened.scaling.exponent == 0; k++) {
            const double of = truth[naive_random(seed) % (n * n)];
            if (isfinite(of))
                check_bounds(&a, truth, s, n, eb_smallest_eps(of), hostile_name(family));
        }
        free(s);
        close_problem(&a);
    }
    free(truth);
    eb_dataset_free(ds);
}

TEST(nothing_is_missed_at_the_complete_eps_and_nothing_is_found_beyond_the_reach)
{
    uint64_t seed = 8;
    for (size_t r = 0; r < RUNGS; r++)
        for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
            if (!left_out(r + family))
                check_family(rungs[r], family, &seed);
}

/* A bound that is far away would pass the test above. */
TEST(the_bounds_are_near_for_plain_points)
{
    static const struct {
        const char *items;
        double most; /* share of ε */
    } cases[] = {{"type=f64", 1e-5}, {"type=f16,parts=2,exponent=max,promote=64", 1e-3},
                 {"type=f16", 0.02}, {"type=bf16", 0.1},
                 {"type=e4m3", 1.2}, {"type=s8,step=point,centre=mean", 0.2},
                 {"type=tf32", 0.02}};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 300, 64, 4);
    const eb_problem problem = eb_self_join(ds);
    const double eps = 1;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        asked a;
        assert_true(opens(&a, cases[k].items, &problem));
        const double complete = eb_complete_eps(&a.opened, eps), reach = eb_reach_eps(&a.opened, eps);
        if (!(complete > eps && complete - eps < cases[k].most && reach > eps && reach - eps < 2 * cases[k].most))
            fail_msg("%s: %.17g and %.17g", cases[k].items, complete, reach);
        close_problem(&a);
    }
    eb_dataset_free(ds);
}

/* ---- rounded points ---- */

/* Types whose sums are exact, or nearly: distances of the points told are the engine's. */
TEST(distances_of_the_rounded_points_are_the_engines)
{
    static const char *const items[] = {"type=s8", "type=s8,parts=2,centre=mean,rotate=hadamard", "type=f64",
                                        "type=f16,parts=2,exponent=max,promote=32", "type=s8,step=point"};
    enum { N = 30, D = 37 };
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 5);
    const eb_problem problem = eb_self_join(ds);
    uint32_t row[N];
    double y[N * D];
    eb_status status;
    for (size_t i = 0; i < N; i++)
        row[i] = (uint32_t)i;
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) {
        asked a;
        assert_true(opens(&a, items[k], &problem));
        assert_true(eb_tells_rounded(&a.opened));
        assert_int_equal(eb_ask_rounded(&a.opened, row, N, y, &status), EB_OK);
        double *s = all_distances(&a);
        assert_true(is_finite(s, N * N));
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double sum = 0;
                for (size_t c = 0; c < D; c++)
                    sum += (y[i * D + c] - y[j * D + c]) * (y[i * D + c] - y[j * D + c]);
                if (!(fabs(sum - s[i * N + j]) <= 1e-3))
                    fail_msg("%s: %zu, %zu: %g, not %g", items[k], i, j, s[i * N + j], sum);
            }
        free(s);
        close_problem(&a);
    }
    eb_dataset_free(ds);
}

RUN_TESTS
