/* Tests of the k nearest neighbours by each CPU engine, against its own squared distances sorted by brute force, with
 * ties to the smaller row. Hostile points; queries are all rows, some rows or a separate set; from single hits and from
 * whole rows; also engines that find fewer than k. */
#include <float.h>
#include <math.h>

#include "core/knn/knn.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ego, eb_engine_hilbert, eb_engine_ivfpq;

/* The first TRUTHS variants give exact results. */
static const cpu_variant variants[] = {
    {&eb_engine_ref64, ""},
    {&eb_engine_ref64, "-filter,-integers"},
    {&eb_engine_exact, ""},
    {&eb_engine_exact, "way=boxes"}, /* gives whole rows; cannot join two sets */
    {&eb_engine_ego, "f64,decide=truth"},
    {&eb_engine_hilbert, "decide=truth"},
    {&eb_engine_fasted, "tensor=sm_80"},
    {&eb_engine_fasted, "tensor=sm_90"},
};
static const cpu_variant varying[] = {{&eb_engine_ego, "type=f32"}, {&eb_engine_hilbert, "type=f64"}};
enum { VARIANTS = sizeof variants / sizeof variants[0], TRUTHS = 6, BOXES = 3 };

/* ---- brute force ---- */

static const eb_near_row nobody = {(double)INFINITY, UINT32_MAX};

static int nearest_first(const void *a, const void *b)
{
    const eb_near_row *x = a, *y = b;
    return x->far < y->far ? -1 : x->far > y->far ? 1 : (x->row > y->row) - (x->row < y->row);
}

static bool is_taken_out(const eb_knn_request *r, size_t row)
{
    for (size_t q = 0; q < r->taken_out; q++)
        if (r->rows[q] == row)
            return true;
    return false;
}

/* s [n]: from one query to all base points. A distance that overflows FP64 is no neighbour. */
static void expect_nearest(const eb_knn_request *r, const eb_knn *found, size_t q, const double *s, double unit)
{
    const size_t n = r->base->n, self = r->queries ? SIZE_MAX : r->rows ? r->rows[q] : q;
    eb_near_row *all = malloc(n * sizeof *all);
    size_t count = 0;
    assert_non_null(all);
    for (size_t j = 0; j < n; j++)
        if (j != self && !is_taken_out(r, j))
            all[count++] = (eb_near_row){s[j], (uint32_t)j};
    assert_true(count == eb_knn_others(r));
    qsort(all, count, sizeof *all, nearest_first);
    for (size_t k = 0; k < r->k; k++) {
        const eb_near_row *got = &found->near[q * r->k + k];
        const double distance = eb_distance_of(all[k].far, unit);
        const eb_near_row right = distance < INFINITY ? (eb_near_row){distance, all[k].row} : nobody;
        if (got->row != right.row || memcmp(&got->far, &right.far, sizeof got->far) != 0)
            fail_msg("%s, %zu × %zu, query %zu, k = %zu: neighbour %zu is row %u at %.17g, found %u at %.17g",
                     r->setup->spec, n, r->base->d, q, r->k, k, right.row, right.far, got->row, got->far);
    }
    free(all);
}

/* Compares with the engine's `distances`; those of an exact engine are compared with the definition first. */
static void expect_all(const eb_knn_request *r, const eb_knn *found, bool truth)
{
    const eb_dataset *left = r->queries ? r->queries : r->base;
    const eb_problem problem = {.left = left, .right = r->base};
    const size_t n = r->base->n;
    eb_status status = {.message = ""};
    double *s = malloc(n * sizeof *s);
    asked a;
    assert_non_null(s);
    open_setup(&a, r->setup, &problem);
    for (size_t q = 0; q < found->queries; q++) {
        const uint32_t row = (uint32_t)(r->queries || !r->rows ? q : r->rows[q]);
        if (eb_ask_distances(&a.opened, &row, 1, s, &status))
            fail_msg("%s: %s", r->setup->spec, status.message);
        for (size_t j = 0; truth && j < n; j++)
            s[j] = eb_truth_distance2_between(left, row, r->base, j, a.opened.scaling.exponent);
        expect_nearest(r, found, q, s, ldexp(1, -a.opened.scaling.exponent));
    }
    close_problem(&a);
    free(s);
}

/* False if the engine refuses these points. */
static bool holds(eb_knn_request r, size_t variant, unsigned threads)
{
    const eb_setup setup = setup_of(&variants[variant], threads);
    eb_status status = {.message = ""};
    eb_knn found;
    r.setup = &setup;
    const eb_code failed = eb_knn_find(&r, NULL, &found, &status);
    if (failed == EB_BAD_VALUE || (failed == EB_NO_ENGINE && variant == BOXES))
        return false;
    if (failed)
        fail_msg("%s: %s", setup.spec, status.message);
    expect_all(&r, &found, variant < TRUTHS);
    eb_knn_free(&found);
    return true;
}

/* ---- points ---- */

/* Clusters a thousand times denser than others, in which every fifth point is a duplicate, and one point far from
 * all. */
static eb_dataset *uneven_points(size_t n, size_t d)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *values = malloc(n * d * sizeof *values);
    eb_status status;
    uint64_t seed = 5;
    if (!ds || !values)
        abort();
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++) {
            static const double spread[] = {1, 1e-3, 1e3, 1e-6};
            const double twin = i % 5 == 4 ? values[(i - 4) * d + k] : 0;
            values[i * d + k] = i % 5 == 4   ? twin
                                : i == n / 2 ? 1e12
                                             : 100 * (double)(i % 4) + spread[i % 4] * hostile_unit(&seed);
        }
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

static eb_dataset *hostile_set(hostile_family family, eb_dtype dtype, size_t n, size_t d, uint64_t key)
{
    return family == HOSTILE_FAMILIES ? uneven_points(n, d) : hostile_points(family, dtype, n, d, key);
}

/* ---- tests ---- */

TEST(all_rows_of_hostile_points)
{
    static const struct {
        size_t n, d, k;
        eb_dtype dtype;
    } cases[] = {{2, 1, 1, EB_F32},   {17, 2, 16, EB_F64},   {40, 1, 3, EB_F64},  {150, 3, 149, EB_F32},
                 {430, 3, 5, EB_F64}, {300, 24, 10, EB_F32}, {270, 17, 7, EB_U8}, {420, 1, 11, EB_F64}};
    size_t done[VARIANTS] = {0};
    for (hostile_family family = 0; family <= HOSTILE_FAMILIES; family++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            if (left_out(family + c))
                continue;
            eb_dataset *ds = hostile_set(family, cases[c].dtype, cases[c].n, cases[c].d, 7 + c);
            const eb_knn_request r = {.base = ds, .k = cases[c].k, .seed = c};
            for (size_t v = 0; v < VARIANTS; v++)
                done[v] += holds(r, v, 2);
            eb_dataset_free(ds);
        }
    for (size_t v = 0; v < VARIANTS; v++)
        assert_true(done[v] > cases_of(60, 20));
}

/* Every third row is a query, in descending order; then the queries are excluded as neighbours. */
TEST(some_rows_with_and_without_each_other)
{
    for (hostile_family family = 0; family <= HOSTILE_FAMILIES; family++) {
        eb_dataset *ds = hostile_set(family, EB_F64, 400, 4, 3);
        uint32_t rows[133];
        for (uint32_t q = 0; q < 133; q++)
            rows[q] = 398 - 3 * q;
        for (size_t v = 0; v < VARIANTS; v++)
            for (size_t few = 0; few < 2 && !left_out(family + v); few++) {
                eb_knn_request r = {.base = ds, .rows = rows, .count = few ? 9 : 133, .k = 6, .seed = 2};
                (void)holds(r, v, 2);
                r.taken_out = few ? 70 : 133;
                (void)holds(r, v, 2);
            }
        eb_dataset_free(ds);
    }
}

/* Few queries among many points are joined as two sets, by engines that can. */
TEST(few_among_many)
{
    uint32_t rows[60];
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, 1500, 5, 3);
    for (uint32_t q = 0; q < 60; q++)
        rows[q] = 25 * q + 3;
    for (size_t v = 0; v < VARIANTS; v++)
        assert_true(holds((eb_knn_request){.base = ds, .rows = rows, .count = 60, .taken_out = 60, .k = 10}, v, 3));
    eb_dataset_free(ds);
}

TEST(queries_of_their_own)
{
    for (hostile_family family = 0; family <= HOSTILE_FAMILIES; family++) {
        eb_dataset *base = hostile_set(family, EB_F64, 300, 3, 3);
        for (size_t m = 5; m < 100; m += 70) {
            eb_dataset *queries = hostile_points(family == HOSTILE_FAMILIES ? HOSTILE_FAR : family, EB_F64, m, 3, 8);
            for (size_t v = 0; v < VARIANTS; v++) {
                if (left_out(family + v))
                    continue;
                (void)holds((eb_knn_request){.base = base, .queries = queries, .k = 4}, v, 2);
                (void)holds((eb_knn_request){.base = base, .queries = queries, .k = 300}, v, 1);
            }
            eb_dataset_free(queries);
        }
        eb_dataset_free(base);
    }
}

/* Coordinates whose squares overflow or underflow FP64. */
TEST(points_that_are_scaled)
{
    static const int exponent[] = {-600, 600, 1000, -1000};
    for (size_t e = 0; e < sizeof exponent / sizeof exponent[0]; e++) {
        eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 350, 3, 3);
        double *values = ds->owner;
        eb_status status;
        for (size_t k = 0; k < ds->n * ds->d; k++)
            values[k] = ldexp(values[k], exponent[e]);
        assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
        for (size_t v = 0; v < TRUTHS; v++)
            assert_true(holds((eb_knn_request){.base = ds, .k = 5}, v, 2));
        eb_dataset_free(ds);
    }
}

static eb_dataset *given_points(const double *values, size_t n, size_t d)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *rows = malloc(n * d * sizeof *rows);
    eb_status status;
    assert_true(ds && rows);
    memcpy(rows, values, n * d * sizeof *rows);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (void *)rows,
                       .stride = d * sizeof *rows,
                       .release = naive_release,
                       .owner = rows};
    assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
    return ds;
}

/* Two points whose s from the first differ in the last bit and round to the same root: the nearer one has the larger
 * row. Distant copies of the three make the search use joins. */
TEST(equal_roots_of_different_s)
{
    enum { COPIES = 60 };
    double values[COPIES * 6];
    assert_true(sqrt(2.0) == sqrt(2.0 + 0x1p-51));
    for (size_t c = 0; c < COPIES; c++) {
        const double at = (double)(c * 64), three[] = {at, 0, at + 1, 1 + 0x1p-52, at + 1, 1};
        memcpy(values + c * 6, three, sizeof three);
    }
    eb_dataset *ds = given_points(values, (size_t)COPIES * 3, 2);
    for (size_t v = 0; v < TRUTHS; v++) {
        const eb_setup setup = setup_of(&variants[v], 2);
        const eb_knn_request r = {.setup = &setup, .base = ds, .k = 2};
        eb_status status = {.message = ""};
        eb_knn found;
        assert_int_equal(eb_knn_find(&r, NULL, &found, &status), EB_OK);
        assert_true(found.near[0].row == 2 && found.near[1].row == 1 && found.near[0].far == found.near[1].far);
        expect_all(&r, &found, true);
        eb_knn_free(&found);
    }
    eb_dataset_free(ds);
}

/* ---- a team that loses a device ---- */

static eb_implementation losing;
static const eb_implementation *sound;
static _Atomic int joins_left; /* until one fails */

/* The device is lost when it has passed on all of its pairs: those must not count twice. */
static eb_code losing_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                           eb_status *status)
{
    const bool lost = joins_left-- == 0;
    EB_TRY(sound->join(state, question, share, sink, status));
    return lost ? eb_fail(status, EB_NO_DEVICE, "the device fell off the bus") : EB_OK;
}

TEST(a_round_is_asked_again_without_a_lost_device)
{
    eb_dataset *ds = uneven_points(1500, 3);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        eb_setup setup = setup_of(&variants[v], 3);
        setup.device.members = 3;
        sound = setup.run;
        losing = *sound;
        losing.join = losing_join;
        losing.nearest_rows = NULL;
        setup.run = &losing;
        const eb_knn_request r = {.setup = &setup, .base = ds, .k = 5};
        for (int fails = 0; fails < 12; fails += 5) {
            eb_status status = {.message = ""};
            eb_knn found;
            joins_left = fails;
            const eb_code failed = eb_knn_find(&r, NULL, &found, &status);
            if (failed == EB_NO_ENGINE || failed == EB_BAD_VALUE)
                break;
            if (failed)
                fail_msg("%s, join %d: %s", setup.spec, fails, status.message);
            expect_all(&r, &found, v < TRUTHS);
            eb_knn_free(&found);
        }
    }
    eb_dataset_free(ds);
}

/* ---- fewer than k ---- */

/* Each row has neighbours in ascending order of distance, then empty places. The counts of rows with too few neighbours
 * are right. */
static void expect_sound(const eb_knn *found)
{
    size_t lacking = 0, least = found->k;
    for (size_t q = 0; q < found->queries; q++) {
        const eb_near_row *near = found->near + q * found->k;
        size_t count = 0;
        while (count < found->k && near[count].row != UINT32_MAX)
            count++;
        for (size_t k = 0; k < found->k; k++) {
            assert_true(k < count ? near[k].far < INFINITY : near[k].row == UINT32_MAX && isinf(near[k].far));
            assert_true(k == 0 || near[k].far >= near[k - 1].far);
        }
        lacking += count < found->k;
        least = count < least ? count : least;
    }
    assert_true(found->lacking == lacking && found->least == least);
}

static void expect_end(const cpu_variant *variant, const eb_dataset *ds, size_t k, size_t least, size_t most)
{
    const eb_setup setup = setup_of(variant, 2);
    const eb_knn_request r = {.setup = &setup, .base = ds, .k = k};
    eb_status status = {.message = ""};
    eb_knn found;
    if (eb_knn_find(&r, NULL, &found, &status))
        fail_msg("%s: %s", setup.spec, status.message);
    expect_sound(&found);
    if (found.lacking == 0 || found.least < least || found.least > most)
        fail_msg("%s, k = %zu: %zu queries have fewer, at least %zu", setup.spec, k, found.lacking, found.least);
    eb_knn_free(&found);
}

TEST(lists_that_are_not_looked_at)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 1200, 8, 3);
    expect_end(&(cpu_variant){&eb_engine_ivfpq, "nlist=64,nprobe=1,rounds=2"}, ds, 100, 0, 60);
    expect_end(&(cpu_variant){&eb_engine_ivfpq, "nlist=8,nprobe=4,rounds=2"}, ds, 1199, 1, 1000);
    eb_dataset_free(ds);
}

/* FP32 squares overflow: no point has a neighbour at any ε. */
TEST(sums_that_overflow)
{
    static const cpu_variant single[] = {{&eb_engine_ego, "type=f32"}, {&eb_engine_hilbert, "type=f32"}};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 500, 4, 3);
    double *values = ds->owner;
    eb_status status;
    for (size_t k = 0; k < ds->n * ds->d; k++)
        values[k] *= 1e25;
    assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
    for (size_t v = 0; v < sizeof single / sizeof single[0]; v++)
        expect_end(&single[v], ds, 3, 0, 0);
    eb_dataset_free(ds);
}

/* Two clusters whose distance exceeds the largest double, each within FP64's range: 7 neighbours, not 8. The last few
 * queries use all their distances, many use joins. */
TEST(distances_that_overflow)
{
    static const size_t sizes[] = {8, 400};
    for (size_t c = 0; c < sizeof sizes / sizeof sizes[0]; c++) {
        const size_t each = sizes[c];
        double *values = malloc(2 * each * sizeof *values);
        assert_non_null(values);
        for (size_t i = 0; i < 2 * each; i++)
            values[i] = (i % 2 ? -1.7e308 : 1.7e308) * (1 - 1e-3 * (double)(i / 2) / (double)each);
        eb_dataset *ds = given_points(values, 2 * each, 1);
        for (size_t v = 0; v < TRUTHS; v++) {
            expect_end(&variants[v], ds, each, each - 1, each - 1);
            assert_true(holds((eb_knn_request){.base = ds, .k = each + 3}, v, 2));
        }
        eb_dataset_free(ds);
        free(values);
    }
}

/* An engine whose sums differ in their last bits finds rows that are equally near up to rounding. */
static void expect_about(const cpu_variant *variant)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 500, 9, 3);
    const eb_setup by_truth = setup_of(&variants[0], 2), setup = setup_of(variant, 2);
    eb_status status = {.message = ""};
    eb_knn right, found;
    assert_int_equal(eb_knn_find(&(eb_knn_request){.setup = &by_truth, .base = ds, .k = 8}, NULL, &right, &status),
                     EB_OK);
    assert_int_equal(eb_knn_find(&(eb_knn_request){.setup = &setup, .base = ds, .k = 8}, NULL, &found, &status), EB_OK);
    for (size_t k = 0; k < 500 * 8; k++) {
        assert_true(fabs(found.near[k].far - right.near[k].far) < 1e-6 * right.near[k].far);
        assert_true(fabs(eb_truth_distance(ds, k / 8, found.near[k].row) - right.near[k].far) <
                    1e-6 * right.near[k].far);
    }
    eb_knn_free(&right);
    eb_knn_free(&found);
    eb_dataset_free(ds);
}

TEST(sums_that_vary_cost_no_more_than_their_rounding)
{
    for (size_t v = 0; v < sizeof varying / sizeof varying[0]; v++)
        expect_about(&varying[v]);
}

/* Joined whole rows that exceed the buffer come in shorter ranges; no row is used twice. */
TEST(rows_in_little_room)
{
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, 3000, 2, 3);
    eb_setup setup = setup_of(&variants[BOXES], 2);
    eb_implementation joins_only = *setup.run;
    eb_status status = {.message = ""};
    eb_knn found;
    joins_only.nearest_rows = NULL;
    setup.run = &joins_only;
    setup.resources.memory_limit = setup.run->memory_needed(ds->n, ds->d, ds->dtype);
    const eb_knn_request r = {.setup = &setup, .base = ds, .k = 120};
    if (eb_knn_find(&r, NULL, &found, &status))
        fail_msg("%s", status.message);
    assert_true(found.effort.pairs * 12 > 2 * setup.resources.memory_limit);
    expect_all(&r, &found, true);
    eb_knn_free(&found);
    eb_dataset_free(ds);
}

/* Most queries find their k in the first join, and few more than k; else all distances would be as fast. */
TEST(few_pairs_are_looked_at)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 6000, 8, 3);
    const eb_setup setup = setup_of(&variants[0], 2);
    eb_status status = {.message = ""};
    eb_knn found;
    const eb_knn_request r = {.setup = &setup, .base = ds, .k = 10};
    assert_int_equal(eb_knn_find(&r, NULL, &found, &status), EB_OK);
    assert_true(found.effort.pairs < 100 * ds->n && found.effort.rounds <= 5 && found.effort.measured < 200);
    eb_knn_free(&found);
    eb_dataset_free(ds);
}

TEST(too_large_a_k_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 20, 2, 1);
    const eb_setup setup = setup_of(&variants[0], 1);
    const uint32_t rows[] = {3, 9};
    const eb_knn_request wrong[] = {{.k = 20}, {.k = 0}, {.k = 19, .rows = rows, .count = 2, .taken_out = 2}};
    for (size_t c = 0; c < 3; c++) {
        eb_knn_request r = wrong[c];
        eb_status status = {.message = ""};
        eb_knn found;
        r.setup = &setup;
        r.base = ds;
        assert_int_equal(eb_knn_find(&r, NULL, &found, &status), EB_USAGE);
        assert_true(strlen(status.message) > 20);
    }
    eb_dataset_free(ds);
}

/* ---- cancelling ---- */

static eb_code find_for_long(eb_job *job, void *argument, eb_status *status)
{
    eb_knn found;
    const eb_code failed = eb_knn_find(argument, job, &found, status);
    if (!failed)
        eb_knn_free(&found);
    return failed;
}

TEST(a_cancel_is_heard)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 60000, 64, 3);
    const eb_setup setup = setup_of(&variants[1], 2);
    const eb_knn_request r = {.setup = &setup, .base = ds, .k = 10};
    eb_status status = {.message = ""};
    eb_job *job;
    assert_int_equal(eb_job_start(find_for_long, (void *)(uintptr_t)&r, &job, &status), EB_OK);
    while (strcmp(eb_job_progress(job).phase, "nearest") != 0)
        assert_false(eb_job_progress(job).finished);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(ds);
}

RUN_TESTS
