/* The expected S at an ε, interpolated on a curve, and the steps of the ε dial. */
#include <float.h>
#include <math.h>

#include "tests/unit/test.h"
#include "ui/panels/tune/scene.h"

static void near(double found, double expected) { assert_true(fabs(found - expected) <= 1e-12 * fabs(expected)); }

TEST(a_curve_is_read_between_its_points)
{
    double x[] = {1, 10, 100}, y[] = {2, 200, 800}, low[] = {1, 100, 700}, high[] = {4, 400, 900};
    eb_series curve = {.points = 3, .x = x, .y = y, .low = low, .high = high};
    for (size_t k = 0; k < 3; k++) {
        eb_expectation e = eb_expect(&curve, x[k]);
        assert_true(e.s == y[k] && e.low == low[k] && e.high == high[k]); /* to the last bit */
    }
    eb_expectation e = eb_expect(&curve, sqrt(10));
    near(e.s, 20); /* linear in log ε and log S */
    near(e.low, 10);
    near(e.high, 40);
    near(eb_expect(&curve, 10 * sqrt(10)).s, 400);
}

TEST(beyond_its_ends_it_says_nothing)
{
    double x[] = {1, 10}, y[] = {2, 200};
    eb_series curve = {.points = 2, .x = x, .y = y};
    assert_true(isnan(eb_expect(&curve, 0.999).s));
    assert_true(isnan(eb_expect(&curve, 10.001).s));
    assert_true(isnan(eb_expect(&curve, NAN).s));
    assert_true(isnan(eb_expect(NULL, 1).s));
    curve.points = 0;
    assert_true(isnan(eb_expect(&curve, 1).s));
    curve.points = 1;
    assert_true(eb_expect(&curve, 1).s == 2);
    assert_true(isnan(eb_expect(&curve, 2).s));
}

TEST(without_a_band_there_is_no_interval)
{
    double x[] = {1, 10}, y[] = {2, 200};
    eb_series curve = {.points = 2, .x = x, .y = y};
    eb_expectation e = eb_expect(&curve, 3);
    assert_true(e.s > 2 && e.s < 200 && isnan(e.low) && isnan(e.high));
}

TEST(zeros_are_read_straight)
{
    double x[] = {0, 1, 100}, y[] = {0, 0, 10}, low[] = {0, 0, 8};
    eb_series curve = {.points = 3, .x = x, .y = y, .low = low};
    assert_true(eb_expect(&curve, 0).s == 0);
    assert_true(eb_expect(&curve, 0.5).s == 0);
    near(eb_expect(&curve, 10).s, 5);
    near(eb_expect(&curve, 10).low, 4);
    double from_zero[] = {4, 8, 10};
    curve.y = from_zero;
    near(eb_expect(&curve, 0.5).s, 4 * sqrt(2));
}

TEST(odd_curves_do_no_harm)
{
    double same[] = {3, 3, 3}, y[] = {1, NAN, 5}, wide[] = {DBL_TRUE_MIN, 1, DBL_MAX}, rising[] = {1, 2, 3};
    eb_series curve = {.points = 3, .x = same, .y = y};
    assert_true(eb_expect(&curve, 3).s == 5);
    curve.x = wide;
    assert_true(isnan(eb_expect(&curve, 0.5).s));
    curve.y = rising;
    assert_true(eb_expect(&curve, 1).s == 2);
    double s = eb_expect(&curve, 1e-300).s;
    assert_true(s > 1 && s < 2);
}

/* ---- the dial ---- */

TEST(a_step_back_undoes_a_step)
{
    const eb_dial dials[] = {{0.1, 10, 400},       {1, 1.0001, 400},
                             {1e-300, 1e300, 400}, {DBL_TRUE_MIN, DBL_MAX, 400},
                             {3, 4, 400u << 10},   {1455.86, 1455.87, 7}};
    for (size_t k = 0; k < sizeof dials / sizeof dials[0]; k++) {
        double eps = eb_dial_at(&dials[k], 0.3);
        double right = eb_dial_turn(&dials[k], eps, 1), left = eb_dial_turn(&dials[k], right, -1);
        assert_true(right > eps);
        assert_true(left <= eps);
        for (int j = 0; j < 50; j++) {
            double before = right;
            right = eb_dial_turn(&dials[k], right, 1);
            assert_true(right > before || right == dials[k].high);
            if (right < dials[k].high)
                assert_true(eb_dial_turn(&dials[k], right, -1) == before);
        }
    }
}

TEST(it_takes_so_many_steps_from_end_to_end)
{
    const eb_dial dial = {0.123456789012345, 77.7, 400};
    double eps = dial.low;
    int steps = 0;
    while (eps < dial.high && steps < 1000) {
        eps = eb_dial_turn(&dial, eps, 1);
        steps++;
    }
    assert_int_equal(steps, 400);
    assert_true(eps == dial.high); /* the ends are not rounded */
    for (steps = 0; eps > dial.low && steps < 1000; steps++)
        eps = eb_dial_turn(&dial, eps, -20);
    assert_int_equal(steps, 20);
    assert_true(eps == dial.low);
    assert_true(eb_dial_turn(&dial, dial.low, -1) == dial.low);
    assert_true(eb_dial_turn(&dial, dial.high, 20) == dial.high);
}

TEST(an_eps_between_steps_goes_to_the_next)
{
    const eb_dial dial = {1, 10000, 4}; /* steps at 1, 10, 100, … */
    assert_true(eb_dial_turn(&dial, 50, 1) == 100);
    assert_true(eb_dial_turn(&dial, 50, -1) == 10);
    assert_true(eb_dial_turn(&dial, 100, 1) == 1000);
    assert_true(eb_dial_turn(&dial, 1e9, -1) == 1000); /* from outside the range, and from its end */
    assert_true(eb_dial_turn(&dial, 0, 1) == 10);
}

TEST(an_eps_is_short)
{
    char text[40];
    const eb_dial dial = {0.1, 10, 400};
    for (int k = 1; k < 400; k++) {
        (void)snprintf(text, sizeof text, "%.5g", eb_dial_at(&dial, k / 400.0));
        assert_true(strtod(text, NULL) == eb_dial_at(&dial, k / 400.0));
    }
}

RUN_TESTS
