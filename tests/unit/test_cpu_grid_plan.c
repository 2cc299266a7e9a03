/* Tests of the grid's cells and the tree's bins, whose arithmetic host and GPU share. Pairs within ε are at most one
 * cell apart, even at the limits of the stated ranges. Cells along the last axis have consecutive numbers, and no two
 * cells share a number. */
#include <float.h>

#include "kernels/grid/plan.h"
#include "kernels/indexed/verdict.h"
#include "kernels/mistic/bins.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

static double unit(uint64_t *seed) { return (double)(naive_random(seed) >> 11) * 0x1p-53; }

/* The largest y above x that the pair test accepts: t ← fl(y − x), s ← fl(t·t) ≤ fl(ε·ε). */
static double farthest_within(double x, double eps)
{
    double y = x + eps;
    if (eps <= 0)
        return x;
    while ((y - x) * (y - x) <= eps * eps && y < DBL_MAX)
        y = nextafter(y, INFINITY);
    while ((y - x) * (y - x) > eps * eps && y > x)
        y = nextafter(y, -INFINITY);
    return y;
}

static void check_cells(double low, double extent, double eps, uint64_t *seed)
{
    const double lows[1] = {low}, highs[1] = {low + extent};
    const eb_grid grid = eb_grid_plan(lows, highs, 1, eps);
    assert_int_equal(grid.k, 1);
    for (int k = 0; k < 200; k++) {
        /* x is next to a border between cells, or anywhere. */
        const double border = low + grid.axis[0].side * floor(unit(seed) * extent / grid.axis[0].side);
        const double x = k % 2 ? nextafter(border, -INFINITY) : low + unit(seed) * extent, y = farthest_within(x, eps);
        if (x < low || y > highs[0])
            continue;
        const uint64_t a = eb_grid_coordinate(&grid.axis[0], x), b = eb_grid_coordinate(&grid.axis[0], y);
        if (b > a + 1)
            fail_msg("%.17g and %.17g: cells %llu and %llu of side %.17g", x, y, (unsigned long long)a,
                     (unsigned long long)b, grid.axis[0].side);
    }
}

TEST(pairs_within_eps_are_in_neighbouring_cells)
{
    uint64_t seed = 7;
    const double lows[] = {0, -1, 1e6, -3e-5}, extents[] = {1, 1e-3, 4096, 1e7, 1e-100};
    for (size_t l = 0; l < sizeof lows / sizeof lows[0]; l++)
        for (size_t e = 0; e < sizeof extents / sizeof extents[0]; e++)
            for (int k = 0; k < 40; k++)
                check_cells(lows[l], extents[e], extents[e] * ldexp(0.5 + unit(&seed), -(k % 30)), &seed);
    check_cells(0, 1, 0, &seed);
    check_cells(5, 0, 0, &seed);
    check_cells(0, 1, 10, &seed);
}

TEST(pairs_within_eps_are_in_neighbouring_bins)
{
    uint64_t seed = 9;
    for (int k = 0; k < 4000; k++) {
        const double most = ldexp(0.5 + unit(&seed), (int)(naive_random(&seed) % 40) - 20);
        const double eps = most * ldexp(0.5 + unit(&seed), -(int)(naive_random(&seed) % 20));
        const double width = eb_bin_width(eps, most);
        const double border = width * (1 + floor(unit(&seed) * most / width));
        const double v = nextafter(border, 0), w = fmin(v + eps, most);
        if (v > most)
            continue;
        if (eb_bin_of(w, width) > eb_bin_of(v, width) + 1)
            fail_msg("%.17g and %.17g: bins %u and %u of width %.17g", v, w, eb_bin_of(v, width), eb_bin_of(w, width),
                     width);
        assert_true(eb_bin_of(most, width) < 1u << EB_BIN_BITS);
    }
}

/* The 27 neighbours of a cell in a small grid have the expected numbers. */
TEST(rows_of_cells_are_what_they_say)
{
    const double low[3] = {0, 0, 0}, high[3] = {3.5, 2.5, 4.5};
    const eb_grid grid = eb_grid_plan(low, high, 3, 1);
    uint64_t met = 0;
    assert_int_equal(grid.k, 3);
    assert_int_equal(eb_grid_rows(&grid), 9);
    for (uint32_t row = 0; row < 9; row++)
        for (int along = -1; along <= 1; along++) {
            const double x[3] = {1.5 + ((int)(row % 3) - 1) * 1.0001, 1.5 + ((int)(row / 3) - 1) * 1.0001,
                                 1.5 + along * 1.0001};
            const double middle[3] = {1.5, 1.5, 1.5};
            met += eb_grid_number(&grid, middle) + eb_grid_row_offset(&grid, row) + (uint64_t)(int64_t)along ==
                   eb_grid_number(&grid, x);
        }
    assert_int_equal(met, 27);
}

/* An axis whose cells would need numbers beyond 62 bits is left out. */
TEST(numbers_fit)
{
    const double low[6] = {0}, high[6] = {1, 1, 1, 1, 1, 1};
    const eb_grid grid = eb_grid_plan(low, high, 6, 1e-9);
    assert_int_equal(grid.k, 2); /* 2^25 cells each */
    assert_true(grid.numbers <= (uint64_t)1 << 62);
    const eb_grid all = eb_grid_plan(low, high, 6, 0.1);
    assert_int_equal(all.k, 6);
}

/* √s ≤ ε holds exactly where s is at most the threshold: tested on both sides. */
TEST(thresholds_are_those_of_roots)
{
    static const double ends[] = {0, 1e-300, 0x1p-1074, 1e-40, 1, 2, 1e30, 1e160, DBL_MAX, INFINITY};
    uint64_t seed = 5;
    for (int k = 0; k < 20010; k++) {
        const double eps = k < 10 ? ends[k] : ldexp(1 + unit(&seed), (int)(naive_random(&seed) % 60) - 30);
        const double s = eb_root_threshold_f64(eps), above = nextafter(s, INFINITY);
        const float f = (float)eb_root_threshold_f32(eps), above_f = nextafterf(f, INFINITY);
        assert_true(sqrt(s) <= eps);
        assert_true(isinf(s) || sqrt(above) > eps);
        assert_true(sqrtf(f) <= (float)eps);
        assert_true(isinf(f) || sqrtf(above_f) > (float)eps);
    }
    assert_true(eb_root_threshold_f64(sqrt(3.0)) >= 3.0); /* sqrt(3.0) squared is below 3 */
}

RUN_TESTS
