/* Tests of the arithmetic that boxes on the GPU share with the host: places, cells, Morton codes, and the sum over the
 * gaps of two boxes, which must never exceed the exact s of a pair in them; and the cost estimates before a run. */
#include <float.h>
#include <math.h>

#include "core/engine/problem.h"
#include "io/load.h"
#include "kernels/boxes/cost.h"
#include "kernels/exact/estimate.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

enum { MOST_D = 40 };

static uint64_t seed = 1;

static double chance(void) { return (double)(naive_random(&seed) >> 11) * 0x1p-53; }

/* ---- places ---- */

TEST(every_coordinate_has_a_place_of_its_own)
{
    enum { N = 100, D = 7 };
    const size_t places = (size_t)eb_groups_of_32(N) * 32 * D;
    unsigned char *taken = calloc(places, 1);
    assert_non_null(taken);
    for (uint32_t x = 0; x < N; x++)
        for (uint32_t k = 0; k < D; k++) {
            const size_t at = eb_at_dimension(x, k, D);
            assert_true(at < places);
            assert_int_equal(taken[at]++, 0);
            if (x % 32 > 0) /* lanes of a warp read adjacent elements */
                assert_int_equal(at, eb_at_dimension(x - 1, k, D) + 1);
        }
    free(taken);
    assert_int_equal(eb_groups_of_32(1), 1);
    assert_int_equal(eb_groups_of_32(32), 1);
    assert_int_equal(eb_groups_of_32(33), 2);
    assert_int_equal(eb_groups_of_32(UINT32_MAX), 1u << 27);
}

/* ---- the order ---- */

TEST(cells_ascend_and_stay_in_their_range)
{
    static const struct {
        double low, high;
    } spans[] = {{0, 1}, {-3e300, 2e300}, {1e6, 1e6 + 1}, {0x1p-1070, 0x1p-1060}, {5, 5}, {-DBL_MAX, DBL_MAX}};
    for (uint32_t dimensions = 1; dimensions <= EB_MORTON_DIMENSIONS; dimensions++)
        for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++) {
            const uint32_t bits = eb_cell_bits(dimensions);
            const double low = spans[s].low, high = spans[s].high;
            uint32_t before = 0;
            for (size_t k = 0; k <= 1000; k++) {
                const double x = low + (high / 1000 - low / 1000) * (double)k;
                const uint32_t cell = eb_cell_of(x, low, high, bits);
                assert_true(cell >= before && (uint64_t)cell < 1ull << bits);
                before = cell;
            }
            assert_int_equal(eb_cell_of(-INFINITY, low, high, bits), 0);
            if (isfinite(high - low) && high > low)
                assert_int_equal(eb_cell_of(DBL_MAX, low, high, bits), (1ull << bits) - 1);
        }
}

/* Decoding a code gives back every bit of its cells. */
TEST(codes_hold_all_bits_of_the_cells)
{
    for (uint32_t dimensions = 1; dimensions <= EB_MORTON_DIMENSIONS; dimensions++)
        for (size_t repeat = 0; repeat < 1000; repeat++) {
            const uint32_t bits = eb_cell_bits(dimensions);
            uint32_t cell[EB_MORTON_DIMENSIONS], out[EB_MORTON_DIMENSIONS] = {0};
            for (uint32_t k = 0; k < dimensions; k++)
                cell[k] = (uint32_t)(naive_random(&seed) & ((1ull << bits) - 1));
            const uint64_t code = eb_morton_code(cell, dimensions);
            assert_true(code >> (bits * dimensions) == 0);
            for (uint32_t b = 0; b < bits * dimensions; b++)
                out[b % dimensions] |= (uint32_t)(code >> b & 1) << (b / dimensions);
            assert_memory_equal(cell, out, dimensions * sizeof cell[0]);
        }
}

/* ---- boxes ---- */

typedef double drawing(size_t leaf, size_t k);

static double near_each_other(size_t leaf, size_t k) { return (double)leaf * 1e-8 + 1e-8 * chance() + (double)k; }
static double far_from_the_origin(size_t leaf, size_t k) { return 1e15 + (double)(8 * leaf + k % 3) + 8 * chance(); }
static double of_all_scales(size_t leaf, size_t k) { return ldexp(chance() - 0.5, (int)((k * 7 + leaf) % 120) - 60); }
static double subnormal(size_t leaf, size_t k) { return 0x1p-1060 * (chance() + (double)leaf + (double)(k % 2)); }
static double roots_of_it(size_t leaf, size_t k) { return 0x1p-537 * (chance() + (double)leaf + (double)(k % 2)); }
static double huge(size_t leaf, size_t k) { return 1e150 * (chance() + (double)leaf + (double)(k % 5)); }

static drawing *const drawings[] = {near_each_other, far_from_the_origin, of_all_scales, subnormal, roots_of_it, huge};

static double chain(const double *p, const double *q, size_t d)
{
    double s = 0;
    for (size_t k = 0; k < d; k++)
        s = fma(p[k] - q[k], p[k] - q[k], s);
    return s;
}

/* For two leaves, and for a leaf and a single point: the sum over gaps is at most each s, to the bit. */
TEST(no_pair_is_nearer_than_its_boxes)
{
    size_t met = 0;
    for (size_t repeat = 0; repeat < 3000; repeat++) {
        drawing *draw = drawings[repeat % (sizeof drawings / sizeof drawings[0])];
        const size_t d = 1 + repeat % MOST_D, points = 1 + repeat % 5;
        double point[2][5][MOST_D], low[2][MOST_D], high[2][MOST_D], boxes = 0, least = INFINITY;
        for (size_t leaf = 0; leaf < 2; leaf++)
            for (size_t k = 0; k < d; k++) {
                low[leaf][k] = INFINITY;
                high[leaf][k] = -INFINITY;
                for (size_t i = 0; i < points; i++) {
                    point[leaf][i][k] = draw(leaf, k);
                    low[leaf][k] = fmin(low[leaf][k], point[leaf][i][k]);
                    high[leaf][k] = fmax(high[leaf][k], point[leaf][i][k]);
                }
            }
        for (size_t k = 0; k < d; k++)
            boxes = eb_add_gap(boxes, eb_gap(low[0][k], high[0][k], low[1][k], high[1][k]));
        for (size_t j = 0; j < points; j++) {
            double alone = 0;
            for (size_t k = 0; k < d; k++)
                alone = eb_add_gap(alone, eb_gap(low[0][k], high[0][k], point[1][j][k], point[1][j][k]));
            for (size_t i = 0; i < points; i++) {
                const double s = chain(point[0][i], point[1][j], d);
                least = fmin(least, s);
                assert_true(alone <= eb_box_threshold(s));
            }
            assert_true(boxes <= eb_box_threshold(alone));
        }
        assert_true(boxes <= eb_box_threshold(least));
        met += points == 1 && boxes == least;
    }
    assert_true(met > 300); /* boxes of one point: the bound is the distance */
}

TEST(nothing_is_a_gap_to_padding)
{
    assert_true(eb_gap(0, 1, NAN, NAN) == 0);
    assert_true(eb_gap(NAN, NAN, 0, 1) == 0);
    assert_true(eb_gap(0, 1, 0.5, 2) == 0);
    assert_true(eb_gap(0, 1, 1, 2) == 0);
    assert_true(eb_gap(0, 1, 3, 4) == 2);
    assert_true(eb_gap(3, 4, 0, 1) == 2);
}

/* ---- costs ---- */

static double least_of(eb_synth_kind kind, size_t n, size_t d, double eps, double *candidates)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    const eb_device device = {.kind = EB_DEVICE_CUDA};
    const eb_question question = {.eps = eps};
    eb_estimate estimate;
    assert_int_equal(eb_synth_as(EB_F64, kind, n, d, 42, NULL, &ds, &status), EB_OK);
    const eb_problem problem = eb_self_join(ds);
    assert_int_equal(eb_estimate_make(&problem, &question, 65536, 2, &estimate, &status), EB_OK);
    const double seconds = eb_boxes_least(&estimate, &device);
    *candidates = eb_boxes_least_candidates(&estimate);
    eb_estimate_free(&estimate);
    eb_dataset_free(ds);
    return seconds;
}

/* The least cost is little more than that of the pairs found at few dimensions, and that of all pairs at many. */
TEST(least_costs_tell_few_dimensions_from_many)
{
    double few, many, none;
    const double quick = least_of(EB_SYNTH_SPHERE, 20000, 3, 0.1, &few);
    const double slow = least_of(EB_SYNTH_UNIFORM, 20000, 64, 2.2, &many);
    assert_true(few < 0.02 * 20000.0 * 20000 / 2);
    assert_true(many > 0.3 * 20000.0 * 20000 / 2);
    assert_true(quick > 1e-4 && quick < 1e-3 && slow > 1e-3);
    assert_true(least_of(EB_SYNTH_UNIFORM, 20000, 3, 0, &none) > 0);
    assert_true(none == 20000.0 * EB_LEAF);
    (void)least_of(EB_SYNTH_UNIFORM, 2, 3, 0.5, &none);
    assert_true(none == 1);
}

static double alive_of(eb_synth_kind kind, size_t n, size_t d, double eps)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    const eb_question question = {.eps = eps};
    eb_estimate estimate;
    assert_int_equal(eb_synth(kind, n, d, 42, NULL, &ds, &status), EB_OK);
    const eb_problem problem = eb_self_join(ds);
    assert_int_equal(eb_estimate_make(&problem, &question, 250000 / (d + 12), 2, &estimate, &status), EB_OK);
    const double alive = eb_boxes_alive(&estimate);
    eb_estimate_free(&estimate);
    eb_dataset_free(ds);
    return alive;
}

/* Measured: 1.5, 48 and 98 % of the leaf pairs of uniform points and 3 % of clusters are near; long rows need no
 * estimate. */
TEST(how_many_boxes_are_near_is_guessed)
{
    const double four = alive_of(EB_SYNTH_UNIFORM, 200000, 4, 0.093),
                 eight = alive_of(EB_SYNTH_UNIFORM, 200000, 8, 0.337);
    assert_true(four > 0.007 && four < 0.035);
    assert_true(eight > 0.15 && eight < 0.7);
    assert_true(alive_of(EB_SYNTH_UNIFORM, 200000, 16, 0.78) > 0.7);
    assert_true(alive_of(EB_SYNTH_CLUSTERS, 200000, 16, 0.202) < 0.15);
    assert_true(alive_of(EB_SYNTH_CLUSTERS, 20000, 512, 1.55) > 0.7);
    assert_true(alive_of(EB_SYNTH_UNIFORM, 20, 3, 0.1) > 0);
}

/* Predictions are within a factor of two of measurements on an H200 (tests/bench/gpu.md). */
TEST(the_verdicts_cost_what_was_measured)
{
    static const struct {
        double d, leaf_pairs, candidates, seconds;
    } runs[] = {{2, 2.53e5, 1.63e8, 2.1e-4},   {3, 4.54e5, 2.86e8, 3.6e-4},   {3, 1.95e6, 8.62e8, 1.07e-3},
                {4, 3.35e5, 9.42e7, 2.1e-4},   {8, 1.02e7, 1.04e9, 5.27e-3},  {10, 7.96e5, 2.98e8, 1.1e-3},
                {16, 1.95e7, 1.32e10, 0.0598}, {16, 6.17e5, 2.45e8, 1.72e-3}, {32, 8.11e5, 2.54e8, 5.3e-3}};
    const eb_device h200 = {.kind = EB_DEVICE_CUDA, .limit = {[EB_LIMIT_F64] = 30.2e12, [EB_LIMIT_COPY] = 4.22e12}};
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        const double told = eb_boxes_verdicts(runs[k].leaf_pairs, runs[k].candidates, runs[k].d, &h200);
        assert_true(told > runs[k].seconds / 2 && told < runs[k].seconds * 2);
    }
}

RUN_TESTS
