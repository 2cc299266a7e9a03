/* bisect, leaves: leaves of the specified size that hold each point once, the same with any number of threads; tight
 * boxes; and near points in the same leaf, also where a grid would fail. */
#include <math.h>

#include "core/order/bisect.h"
#include "core/order/leaves.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"
#include "tests/unit/uneven_points.h"

static eb_leaves leaves_of(const eb_dataset *ds, unsigned threads)
{
    eb_leaves leaves;
    eb_status status = {.message = ""};
    if (eb_leaves_make(ds, threads, NULL, &leaves, &status))
        fail_msg("%s", status.message);
    return leaves;
}

/* ---- bisecting ---- */

static void expect_bisected(size_t n, unsigned spread, size_t middle, uint64_t *seed)
{
    enum { D = 3 };
    double *values = malloc(D * n * sizeof *values);
    uint32_t *at = malloc(n * sizeof *at);
    eb_keyed *keys = malloc(n * sizeof *keys);
    assert_true(values && at && keys);
    for (size_t k = 0; k < D * n; k++)
        values[k] = (double)(naive_random(seed) % spread) * (k / n == 1 ? 1 : 0.25);
    for (uint32_t i = 0; i < n; i++)
        at[i] = i;
    const eb_block block = {.d = D, .room = n, .values = values, .at = at, .keys = keys};
    const eb_cut cut = eb_bisect(&block, 0, middle, n);
    if (spread > 4 && n > 20)
        assert_int_equal(cut.dimension, 1);
    for (size_t i = 0; i < n; i++) {
        const double x = values[cut.dimension * n + at[i]];
        assert_true(i < middle ? x <= cut.value : x >= cut.value);
    }
    for (uint32_t i = 0, seen; i < n; i++) {
        for (seen = 0; seen < n && at[seen] != i; seen++)
            continue;
        assert_true(seen < n);
    }
    free(values);
    free(at);
    free(keys);
}

TEST(a_block_is_cut_where_it_is_widest)
{
    uint64_t seed = 1;
    for (size_t n = 2; n < 200; n += 1 + n / 5)
        for (unsigned spread = 1; spread < 1000; spread *= 3)
            for (size_t part = 0; part <= 4; part++)
                expect_bisected(n, spread, 1 + (n - 2) * part / 4, &seed);
}

/* ---- leaves ---- */

static void expect_box(const eb_leaves *l, size_t leaf, size_t k)
{
    const double *bounds = eb_family_bounds(l, 0, leaf / EB_SIBLINGS, k),
                 *values = eb_leaf_values(l, leaf) + k * EB_LEAF;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < eb_leaf_count(l, leaf); i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    assert_true(bounds[leaf % EB_SIBLINGS] == low && bounds[EB_SIBLINGS + leaf % EB_SIBLINGS] == high);
    for (size_t i = eb_leaf_count(l, leaf); i < EB_LEAF; i++)
        assert_true(isnan(values[i]));
}

static void expect_families(const eb_leaves *l, uint32_t level, size_t k)
{
    for (size_t box = 0; box < l->level[level].boxes; box++) {
        const double *above = eb_family_bounds(l, level, box / EB_SIBLINGS, k) + box % EB_SIBLINGS;
        const double *below = eb_family_bounds(l, level - 1, box, k);
        double low = INFINITY, high = -INFINITY;
        for (size_t c = 0; c < EB_SIBLINGS && box * EB_SIBLINGS + c < l->level[level - 1].boxes; c++) {
            low = fmin(low, below[c]);
            high = fmax(high, below[EB_SIBLINGS + c]);
        }
        assert_true(above[0] == low && above[EB_SIBLINGS] == high);
    }
}

static void expect_points(const eb_leaves *l, const eb_dataset *ds)
{
    double *row = malloc(ds->d * sizeof *row);
    assert_non_null(row);
    for (size_t leaf = 0; leaf < l->order.leaves; leaf++)
        for (size_t i = 0; i < eb_leaf_count(l, leaf); i++) {
            const uint32_t point = l->order.point[l->order.first[leaf] + i];
            assert_int_equal(l->point[leaf * EB_LEAF + i], point);
            eb_to_f64(ds->dtype, eb_row(ds, point), ds->d, row);
            for (size_t k = 0; k < ds->d; k++)
                assert_true(eb_leaf_values(l, leaf)[k * EB_LEAF + i] == row[k]);
        }
    free(row);
}

static void expect_leaves(const eb_dataset *ds)
{
    eb_leaves l = leaves_of(ds, 1), other = leaves_of(ds, 5);
    eb_status status = {.message = ""};
    if (eb_order_check(&l.order, ds->n, &status))
        fail_msg("%s", status.message);
    for (size_t leaf = 0; leaf < l.order.leaves; leaf++)
        assert_in_range(eb_leaf_count(&l, leaf), 1, EB_LEAF);
    assert_in_range(l.order.leaves, (ds->n + EB_LEAF - 1) / EB_LEAF, ds->n / EB_LEAF + ds->n / 700 + 1);
    expect_points(&l, ds);
    for (size_t k = 0; k < ds->d; k++) {
        for (size_t leaf = 0; leaf < l.order.leaves; leaf++)
            expect_box(&l, leaf, k);
        for (uint32_t level = 1; level < l.levels; level++)
            expect_families(&l, level, k);
    }
    assert_int_equal(l.level[0].boxes, l.order.leaves);
    assert_in_range(l.level[l.levels - 1].boxes, 1, EB_SIBLINGS);
    assert_int_equal(other.order.leaves, l.order.leaves);
    assert_memory_equal(other.order.point, l.order.point, ds->n * sizeof *l.order.point);
    eb_leaves_free(&l);
    eb_leaves_free(&other);
}

TEST(leaves_of_points_of_all_numbers)
{
    static const size_t sizes[] = {1, 2, 31, 32, 33, 64, 511, 513, 2047, 2048, 5000, 20000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (unsigned spread = 1; spread < 5000; spread *= 40) {
            eb_dataset *ds = naive_points(sizes[k], 1 + k % 4, spread, k);
            expect_leaves(ds);
            eb_dataset_free(ds);
        }
}

TEST(leaves_of_uneven_points)
{
    for (size_t k = 0; k < UNEVEN_KINDS; k++) {
        eb_dataset *ds = uneven_points(&uneven_kinds[k], 3000, k);
        expect_leaves(ds);
        eb_dataset_free(ds);
    }
}

/* ---- quality of the leaves ---- */

static double volume(const eb_leaves *l, size_t leaf)
{
    double product = 1;
    for (size_t k = 0; k < l->d; k++) {
        const double *bounds = eb_family_bounds(l, 0, leaf / EB_SIBLINGS, k) + leaf % EB_SIBLINGS;
        product *= bounds[EB_SIBLINGS] - bounds[0];
    }
    return product;
}

/* The boxes of all leaves together are little larger than the unit square, except for the leaf with the outlier. */
TEST(points_far_off_spoil_one_leaf)
{
    eb_dataset *ds = uneven_points(&(uneven_kind){"even", 2, uneven_even}, 30000, 3);
    double *values = (double *)(uintptr_t)ds->rows, filled = 0;
    size_t far = 0;
    values[2 * 17] = 1e30;
    eb_leaves l = leaves_of(ds, 2);
    for (size_t leaf = 0; leaf < l.order.leaves; leaf++) {
        const double here = volume(&l, leaf);
        far += here > 1;
        filled += here > 1 ? 0 : here;
    }
    assert_int_equal(far, 1);
    assert_true(filled < 1);
    eb_leaves_free(&l);
    eb_dataset_free(ds);
}

static eb_code make_cancelled(eb_job *job, void *argument, eb_status *status)
{
    eb_leaves leaves;
    eb_job_cancel(job);
    return eb_leaves_make(argument, 2, job, &leaves, status);
}

TEST(a_cancel_is_heard)
{
    eb_dataset *ds = naive_points(5000, 2, 1000, 1);
    eb_job *job = NULL;
    assert_int_equal(eb_job_start(make_cancelled, ds, &job, NULL), EB_OK);
    assert_int_equal(eb_job_finish(job, NULL), EB_CANCELLED);
    eb_dataset_free(ds);
}

TEST(its_bytes_are_known_before)
{
    eb_dataset *ds = naive_points(50000, 3, 100000, 1);
    eb_leaves l = leaves_of(ds, 2);
    uint64_t bytes = l.order.n * sizeof(uint32_t) + (l.order.leaves + 1) * sizeof(uint32_t) +
                     l.order.leaves * EB_LEAF * (sizeof(uint32_t) + l.d * sizeof(double));
    for (uint32_t level = 0; level < l.levels; level++)
        bytes += (l.level[level].boxes + EB_SIBLINGS - 1) / EB_SIBLINGS * EB_SIBLINGS * 2 * l.d * sizeof(double);
    const uint64_t told = eb_leaves_bytes(ds->n, ds->d);
    assert_true(told >= bytes && told < bytes + bytes / 4);
    eb_leaves_free(&l);
    eb_dataset_free(ds);
}

RUN_TESTS
