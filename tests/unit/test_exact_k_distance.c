/* Tests of core distances, of all points and of sampled ones, against the definition bit for bit: all squared distances
 * of a point, sorted, and the smallest ε that includes the minpts-th. Hostile points, ties, huge and subnormal
 * coordinates, any minpts; limited memory; cancelled work. */
#include <float.h>
#include <math.h>

#include "core/cluster/density.h"
#include "core/cluster/k_distance.h"
#include "core/tune/order_statistic.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

static const cpu_variant variants[] = {
    {&eb_engine_exact, ""},
    {&eb_engine_exact, "way=boxes"}, /* cannot join two sets */
    {&eb_engine_ref64, "-filter,-integers"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0], SEED = 7 };

/* ---- the definition ---- */

/* By bisection of all doubles, without a look at the root. */
static double smallest_eps(double s, int exponent)
{
    uint64_t low = 0, high = 0x7fefffffffffffffu;
    double eps;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        memcpy(&eps, &middle, sizeof eps);
        if (eb_squared_threshold(eb_scaled_eps(eps, exponent)) >= s)
            high = middle;
        else
            low = middle + 1;
    }
    memcpy(&eps, &low, sizeof eps);
    return eps;
}

static double core_distance(const eb_dataset *ds, size_t i, size_t min_points)
{
    const int exponent = eb_scaling_of(ds, ds).exponent;
    double *s = calloc(ds->n, sizeof *s);
    assert_non_null(s);
    for (size_t j = 0; j < ds->n; j++)
        s[j] = j == i ? 0 : eb_truth_distance2_between(ds, i, ds, j, exponent);
    qsort(s, ds->n, sizeof *s, eb_compare_doubles);
    const double eps = smallest_eps(s[min_points - 1], exponent);
    free(s);
    return eps;
}

typedef struct drawn {
    double eps;
    size_t stratum, points;
} drawn;

static int by_eps(const void *a, const void *b)
{
    const drawn *x = a, *y = b;
    return x->eps < y->eps ? -1 : x->eps > y->eps ? 1 : (x->stratum > y->stratum) - (x->stratum < y->stratum);
}

static void check_curve(const eb_k_distance *curve, const eb_k_distance_request *r)
{
    const eb_dataset *ds = r->points;
    eb_strata strata;
    eb_status status;
    size_t points = 0;
    assert_int_equal(eb_strata_draw(ds, curve->queries, r->seed, NULL, &strata, &status), EB_OK);
    drawn *right = calloc(curve->queries, sizeof *right);
    assert_non_null(right);
    for (size_t q = 0; q < curve->queries; q++)
        right[q] = (drawn){core_distance(ds, strata.row[q], r->min_points), q, strata.size[q]};
    qsort(right, curve->queries, sizeof *right, by_eps);
    for (size_t q = 0; q < curve->queries; q++) {
        points += right[q].points;
        if (memcmp(&curve->eps[q], &right[q].eps, sizeof right[q].eps) != 0)
            fail_msg("%s, %zu × %zu, minpts %zu: core distance %zu of %zu is %.17g, found %.17g", r->setup->spec, ds->n,
                     ds->d, r->min_points, q, curve->queries, right[q].eps, curve->eps[q]);
        assert_true(curve->share[q] == (double)points / (double)ds->n);
    }
    free(right);
    eb_strata_free(&strata);
}

/* False if the engine refuses these points. */
static bool holds(const eb_dataset *ds, size_t variant, size_t min_points, size_t queries, uint64_t memory_limit)
{
    const eb_setup setup = setup_of(&variants[variant], 2);
    const eb_k_distance_request r = {.setup = &setup,
                                     .points = ds,
                                     .min_points = min_points,
                                     .queries = queries,
                                     .seed = SEED,
                                     .memory_limit = memory_limit};
    eb_k_distance curve;
    eb_status status = {.message = ""};
    const eb_code failed = eb_k_distance_find(&r, NULL, &curve, &status);
    if (failed == EB_BAD_VALUE || failed == EB_NO_ENGINE)
        return false;
    if (failed)
        fail_msg("%s: %s", setup.spec, status.message);
    check_curve(&curve, &r);
    eb_k_distance_free(&curve);
    return true;
}

/* min_points from one to all, by joins and by all distances; all points and a few. */
static void check_points(eb_dataset *ds)
{
    const size_t n = ds->n, wanted[] = {1, 2, 5, 10, n / 32 + 1, n / 32 + 2, n / 2, n - 1, n};
    bool exact = false;
    for (size_t variant = 0; variant < VARIANTS; variant++)
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            const size_t min_points = wanted[k] < 1 ? 1 : wanted[k] < n ? wanted[k] : n;
            const bool held = holds(ds, variant, min_points, n, 0) && holds(ds, variant, min_points, n / 9 + 1, 0);
            exact = exact || held;
            assert_true(held || variant == 1);
        }
    assert_true(exact);
    eb_dataset_free(ds);
}

/* ---- points ---- */

static eb_dataset *points_of(size_t n, size_t d, double (*value)(size_t i, size_t k, uint64_t *seed))
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *values = malloc(n * d * sizeof *values);
    eb_status status;
    uint64_t seed = 3;
    if (!ds || !values)
        abort();
    for (size_t i = 0; i < n * d; i++)
        values[i] = value(i / d, i % d, &seed);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (void *)values,
                       .stride = d * sizeof *values,
                       .release = naive_release,
                       .owner = values};
    if (eb_dataset_seal(ds, &status))
        abort();
    return ds;
}

/* Half of the points are farther from the others than the largest double. */
static double huge(size_t i, size_t k, uint64_t *seed)
{
    return (i % 2 && k == 0 ? -1.7e308 : 1.7e308) * (1 - hostile_unit(seed) / 64);
}

static double tiny(size_t i, size_t k, uint64_t *seed)
{
    (void)i, (void)k;
    return 4.9e-324 * (double)(naive_random(seed) % 40);
}

/* Spans more powers of two than scaling can keep. */
static double wide(size_t i, size_t k, uint64_t *seed)
{
    (void)k;
    return ldexp(hostile_unit(seed), (int)(i % 7) * 280 - 1000);
}

/* A whole-numbered grid with many duplicates: most core distances tie, many are 0. */
static double grid(size_t i, size_t k, uint64_t *seed)
{
    (void)i, (void)k;
    return (double)(naive_random(seed) % 4);
}

TEST(core_distances_of_hostile_points)
{
    const eb_dtype types[] = {EB_F64, EB_F32, EB_U8};
    for (int family = 0; family < HOSTILE_FAMILIES; family++)
        for (size_t t = 0; t < cases_of(3, 1); t++) {
            const size_t n = 90 + 37 * (size_t)(family % 5), d = 1 + (size_t)(family + (int)t) % 5;
            check_points(hostile_points((hostile_family)family, types[t], n, d, 11 + (uint64_t)family));
        }
}

TEST(core_distances_of_huge_and_tiny_coordinates)
{
    check_points(points_of(120, 2, huge));
    check_points(points_of(120, 3, tiny));
    check_points(points_of(150, 1, wide));
    check_points(points_of(330, 2, grid));
}

TEST(core_distances_of_few_points)
{
    for (size_t n = 1; n <= 6; n++)
        check_points(hostile_points(HOSTILE_RANDOM, EB_F64, n, 2, n));
}

/* Enough points for queries of their own, for an index of all, and for batches. */
TEST(core_distances_of_many_points)
{
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, cases_of(4000, 1500), 2, 5);
    for (size_t variant = 0; variant < VARIANTS; variant++) {
        assert_true(holds(ds, variant, 5, ds->n, 0));
        assert_true(holds(ds, variant, 5, 0, 0));
        assert_true(holds(ds, variant, 40, 300, 0));
        assert_true(holds(ds, variant, ds->n, 9, 0));
    }
    eb_dataset_free(ds);
}

/* ---- limits ---- */

static size_t openings; /* of all points */

static eb_code open_counted(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    openings += problem->left->n == problem->right->n && problem->left->n == 900;
    return naive_open(problem, context, state, status);
}

/* Each batch opens all points in its own order, unless it is small enough to be a set of its own. */
static size_t openings_within(const eb_dataset *ds, uint64_t limit)
{
    eb_implementation own = naive_cpu;
    eb_setup setup = naive_setup;
    eb_k_distance curve;
    eb_status status;
    const eb_k_distance_request r =
        {.setup = &setup, .points = ds, .min_points = 20, .queries = ds->n, .seed = SEED, .memory_limit = limit};
    own.open = open_counted;
    setup.run = &own;
    openings = 0;
    if (eb_k_distance_find(&r, NULL, &curve, &status))
        fail_msg("%s", status.message);
    check_curve(&curve, &r);
    eb_k_distance_free(&curve);
    return openings;
}

TEST(memory_limits_batches)
{
    eb_dataset *ds = hostile_points(HOSTILE_WHOLE, EB_F32, 900, 3, 5);
    const size_t at_once = openings_within(ds, 0), in_four = openings_within(ds, 150000),
                 in_eight = openings_within(ds, 66666); /* the eighth is small */
    naive_trouble = (naive_troubles){0};
    assert_int_equal(openings_within(ds, 10 << 20), at_once);
    assert_true(at_once < 4 && in_four >= 4 && in_four < 7 && in_eight >= 7);
    assert_true(holds(ds, 0, 20, ds->n, 66666));
    eb_dataset_free(ds);
}

TEST(what_cannot_be_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_WHOLE, EB_F32, 900, 3, 5);
    eb_k_distance_request r = {.setup = &naive_setup, .points = ds, .min_points = 901, .memory_limit = 1000};
    eb_k_distance curve;
    eb_status status;
    assert_int_equal(eb_k_distance_find(&r, NULL, &curve, &status), EB_UNREACHABLE);
    r.min_points = 0;
    assert_int_equal(eb_k_distance_find(&r, NULL, &curve, &status), EB_UNREACHABLE);
    r.min_points = 5;
    assert_int_equal(eb_k_distance_find(&r, NULL, &curve, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "give fewer queries="));
    r.queries = 10;
    assert_int_equal(eb_k_distance_find(&r, NULL, &curve, &status), EB_OK);
    eb_k_distance_free(&curve);
    eb_dataset_free(ds);
}

/* ---- cancelling ---- */

static eb_code cancel_in_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_job_cancel(((naive_state *)state)->context->job);
    return naive_distances(state, rows, m, out, status);
}

typedef struct cancelling {
    const eb_dataset *points;
    size_t min_points, when;
} cancelling;

/* When: at once, in the first join, in all distances. */
static eb_code cancel_work(eb_job *job, void *argument, eb_status *status)
{
    const cancelling *c = argument;
    eb_implementation own = naive_cpu;
    eb_setup setup = naive_setup;
    eb_k_distance curve;
    own.distances = c->when == 2 ? cancel_in_distances : naive_distances;
    setup.run = &own;
    naive_trouble = (naive_troubles){.cancel_after_joins = c->when == 1, .job_to_cancel = job};
    if (c->when == 0)
        eb_job_cancel(job);
    const eb_k_distance_request r = {.setup = &setup, .points = c->points, .min_points = c->min_points};
    const eb_code failed = eb_k_distance_find(&r, job, &curve, status);
    if (!failed)
        eb_k_distance_free(&curve);
    return failed;
}

static eb_code cancel_a_grid(eb_job *job, void *argument, eb_status *status)
{
    const double eps[] = {1, 2, 3};
    const eb_problem problem = eb_self_join(argument);
    eb_density found[3];
    eb_opened opened;
    unsigned passes;
    naive_trouble = (naive_troubles){.cancel_after_joins = 2, .job_to_cancel = job};
    EB_TRY(eb_problem_open(&naive_setup, &problem, job, &opened, status));
    const eb_code failed = eb_density_find(&opened, eps, 3, 4, found, &passes, status);
    eb_problem_close(&opened);
    return failed;
}

TEST(cancelled_work_ends)
{
    eb_dataset *ds = hostile_points(HOSTILE_WHOLE, EB_F32, 900, 3, 5);
    eb_job *job;
    eb_status status;
    for (size_t when = 0; when < 3; when++)
        for (size_t min_points = 5; min_points <= 505; min_points += 500) {
            cancelling c = {ds, min_points, when};
            if (when == 1 && min_points > 5)
                continue; /* no joins there */
            assert_int_equal(eb_job_start(cancel_work, &c, &job, &status), EB_OK);
            assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
            assert_int_equal(naive_trouble.opens, naive_trouble.closes);
        }
    assert_int_equal(eb_job_start(cancel_a_grid, ds, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    naive_trouble = (naive_troubles){0};
    eb_dataset_free(ds);
}

RUN_TESTS
