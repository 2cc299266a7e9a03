/* sample: strata that cover all points, draw each fairly, and are short where it is crowded. */
#include <math.h>

#include "core/sample/strata.h"
#include "tests/unit/test.h"
#include "tests/unit/uneven_points.h"

static eb_strata draw(const eb_dataset *ds, size_t count, uint64_t seed)
{
    eb_strata strata;
    eb_status status;
    if (eb_strata_draw(ds, count, seed, NULL, &strata, &status) != EB_OK)
        fail_msg("%s", status.message);
    return strata;
}

TEST(strata_cover_all_points)
{
    for (size_t n = 1; n <= 300; n += 13)
        for (size_t count = 1; count <= n; count += 1 + n / 7) {
            eb_dataset *ds = naive_points(n, 1 + n % 12, n % 3 ? 40 : 1, n); /* some have all points equal */
            eb_strata strata = draw(ds, count, n);
            bool *drawn = calloc(n, sizeof *drawn);
            size_t all = 0;
            assert_int_equal(strata.count, count);
            for (size_t h = 0; h < count; h++) {
                assert_true(strata.size[h] >= 1 && strata.row[h] < n && !drawn[strata.row[h]]);
                drawn[strata.row[h]] = true;
                all += strata.size[h];
            }
            assert_int_equal(all, n);
            free(drawn);
            eb_strata_free(&strata);
            eb_dataset_free(ds);
        }
}

/* Draws are unbiased: the sizes of the strata whose drawn point is in some part of the points sum, on average, to the
 * size of that part. */
TEST(draws_are_fair)
{
    enum { POINTS = 500, SEEDS = 400 };
    for (size_t kind = 0; kind < UNEVEN_KINDS; kind++) {
        eb_dataset *ds = uneven_points(&uneven_kinds[kind], POINTS, 3);
        double sum[3] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            eb_strata strata = draw(ds, 20, seed);
            for (size_t h = 0; h < strata.count; h++)
                sum[strata.row[h] % 20 == 0 ? 0 : strata.row[h] % 2 + 1] += (double)strata.size[h] / SEEDS;
            eb_strata_free(&strata);
        }
        if (fabs(sum[0] - POINTS / 20.0) > 5 || fabs(sum[1] - POINTS * 0.45) > 12 || fabs(sum[2] - POINTS / 2.0) > 12)
            fail_msg("%s: %g %g %g", uneven_kinds[kind].name, sum[0], sum[1], sum[2]);
        eb_dataset_free(ds);
    }
}

/* Of very many points some are ordered, and their strata stand for all: a tenth of the points are a crowd, and a tenth
 * of the sizes is the crowd's. */
TEST(some_stand_for_very_many)
{
    const size_t n = EB_MOST_ORDERED + 100000, queries = 200;
    float *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = i % 10 == 0 ? 1e-6f * (float)(i % 1000) : 1 + (float)i;
    const eb_dataset ds = {.n = n, .d = 1, .dtype = EB_F32, .rows = (unsigned char *)x, .stride = sizeof *x};
    eb_strata_order order;
    eb_strata strata;
    eb_status status = {.message = ""};
    assert_int_equal(eb_strata_order_make(&ds, queries, 7, NULL, &order, &status), EB_OK);
    assert_true(order.ordered < n && order.ordered > n / 2); /* a row that is drawn twice counts once */
    assert_true(eb_strata_order_serves(&order, queries) && !eb_strata_order_serves(&order, n / 2));
    assert_int_equal(eb_strata_cut(&order, queries, 7, &strata, &status), EB_OK);
    size_t sum = 0, crowd = 0;
    for (size_t h = 0; h < queries; h++) {
        assert_true(strata.row[h] < n && strata.size[h] >= 1);
        sum += strata.size[h];
        crowd += strata.row[h] % 10 == 0 ? strata.size[h] : 0;
    }
    assert_int_equal(sum, n);
    assert_true(fabs((double)crowd / (double)n - 0.1) < 0.02);
    eb_strata_free(&strata);
    eb_strata_order_free(&order);
    free(x);
}

TEST(crowds_are_seen)
{
    enum { POINTS = 2000 };
    float *crowding = malloc(POINTS * sizeof *crowding);
    eb_status status;
    for (size_t kind = 0; kind < UNEVEN_KINDS; kind++) {
        eb_dataset *ds = uneven_points(&uneven_kinds[kind], POINTS, 5);
        double all = 0, few = 0;
        size_t every = uneven_kinds[kind].point == uneven_far ? 50 : uneven_kinds[kind].point == uneven_ball ? 33 : 20;
        assert_int_equal(eb_crowding(ds, 1, crowding, NULL, &status), EB_OK);
        for (size_t i = 0; i < POINTS; i++) {
            assert_true(crowding[i] >= 0 && isfinite(crowding[i]));
            all += (double)crowding[i] / POINTS;
            few += i % every ? 0 : (double)crowding[i] * (double)every / POINTS;
        }
        assert_true(fabs(all - 1) < 1e-4);
        bool crowded = uneven_kinds[kind].point == uneven_far || uneven_kinds[kind].point == uneven_ball ||
                       uneven_kinds[kind].point == uneven_copies_of_one;
        bool even = uneven_kinds[kind].point == uneven_even || uneven_kinds[kind].point == uneven_bell;
        if ((crowded && few < 4) || (even && (few < 0.7 || few > 1.4)))
            fail_msg("%s: %g", uneven_kinds[kind].name, few);
        eb_dataset_free(ds);
    }
    free(crowding);
}

TEST(crowds_are_asked_more)
{
    for (size_t kind = 0; kind < UNEVEN_KINDS; kind++) {
        if (uneven_kinds[kind].point != uneven_far)
            continue;
        eb_dataset *ds = uneven_points(&uneven_kinds[kind], 2000, 5);
        eb_strata strata = draw(ds, 64, 1);
        size_t asked = 0;
        for (size_t h = 0; h < strata.count; h++)
            asked += strata.row[h] % 50 == 0;
        assert_true(asked >= 8); /* evenly drawn it would be one or two */
        eb_strata_free(&strata);
        eb_dataset_free(ds);
    }
}

TEST(strange_points_are_no_trouble)
{
    static const double strange[] = {0, -0.0, 0x1p-1074, 1e-300, 1, 1e18, -1e300, 1.7e308, -1.7e308};
    for (size_t d = 1; d <= 17; d += 8) {
        eb_dataset *ds = uneven_points(&(uneven_kind){"", d, uneven_bell}, 400, 1);
        double *x = ds->owner;
        for (size_t k = 0; k < 400 * d; k += 3)
            x[k] = strange[k % 9];
        float crowding[400];
        eb_status status;
        assert_int_equal(eb_crowding(ds, 1, crowding, NULL, &status), EB_OK);
        for (size_t i = 0; i < 400; i++)
            assert_true(crowding[i] >= 0 && isfinite(crowding[i]));
        eb_strata strata = draw(ds, 37, 2), again = draw(ds, 37, 2);
        assert_memory_equal(strata.row, again.row, 37 * sizeof *strata.row);
        assert_memory_equal(strata.size, again.size, 37 * sizeof *strata.size);
        eb_strata_free(&strata);
        eb_strata_free(&again);
        eb_dataset_free(ds);
    }
}

/* Points far beyond FP32, or FP64's squares, are told apart as well. */
TEST(crowds_are_seen_at_any_scale)
{
    static const int exponents[] = {0, 100, 664, -300, -565};
    for (size_t d = 2; d <= 20; d += 18) {
        float crowding[5][300];
        for (size_t e = 0; e < 5; e++) {
            eb_dataset *ds = uneven_points(&(uneven_kind){"", d, uneven_far}, 300, 1);
            eb_status status;
            double *x = ds->owner;
            for (size_t k = 0; k < 300 * d; k++)
                x[k] = ldexp((float)x[k], exponents[e]);
            assert_int_equal(eb_crowding(ds, 1, crowding[e], NULL, &status), EB_OK);
            for (size_t i = 0; i < 300; i++)
                assert_true(fabs((double)crowding[e][i] / (double)crowding[0][i] - 1) < 0.01);
            eb_dataset_free(ds);
        }
    }
}

static eb_code draw_cancelled(eb_job *job, void *argument, eb_status *status)
{
    eb_strata strata;
    eb_job_cancel(job);
    return eb_strata_draw(argument, 10, 1, job, &strata, status);
}

TEST(a_cancel_passes_through)
{
    eb_dataset *ds = naive_points(1000, 3, 100, 1);
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(draw_cancelled, ds, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    eb_dataset_free(ds);
}

RUN_TESTS
