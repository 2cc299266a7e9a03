/* Tests of dots and ticks: lines are cut, not bent, at the edges of a plot; ticks are round, ascending and distinct. */
#include <float.h>
#include <math.h>

#include "draw/plots/plot.h"
#include "tests/unit/test.h"

enum { ACROSS = 40, UP = 24 };

typedef struct raster {
    unsigned char dot[UP][ACROSS];
    size_t taken; /* number of dots put */
} raster;

static void take(void *context, size_t i, size_t j)
{
    raster *r = context;
    assert_true(i < ACROSS && j < UP);
    r->dot[j][i] = 1;
    r->taken++;
}

static raster line(double x0, double y0, double x1, double y1)
{
    raster r = {.taken = 0};
    eb_pen pen = {.across = ACROSS, .up = UP, .dot = take, .context = &r};
    eb_pen_line(&pen, x0, y0, x1, y1);
    return r;
}

/* ---- dots ---- */

TEST(eight_dots_make_a_character)
{
    unsigned all = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 4; j++) {
            uint8_t bit = eb_braille_bit(i, j);
            assert_true(bit != 0 && (bit & (bit - 1)) == 0 && (all & bit) == 0);
            assert_int_equal(eb_braille_bit(i + 2, j + 8), bit);
            all |= bit;
        }
    assert_int_equal(all, 0xFF);
    assert_int_equal(eb_braille_bit(0, 3), 0x01); /* dot 1: upper left */
    assert_int_equal(eb_braille_bit(1, 0), 0x80); /* dot 8: lower right */
}

TEST(a_line_has_no_gaps)
{
    raster r = line(0, 0, 1, 1);
    for (size_t i = 0; i < ACROSS; i++) {
        size_t dots = 0;
        for (size_t j = 0; j < UP; j++)
            dots += r.dot[j][i];
        assert_in_range(dots, 1, 2);
    }
    assert_true(r.dot[0][0] && r.dot[UP - 1][ACROSS - 1]);
    raster back = line(1, 1, 0, 0);
    assert_memory_equal(r.dot, back.dot, sizeof r.dot);
}

/* A line far beyond the plot costs no more dots than one within, and has the right place. */
TEST(lines_are_cut_at_the_edges)
{
    static const double far[] = {1, 10, 1e9};
    for (size_t k = 0; k < 3; k++) {
        raster r = line(0.5 - far[k], 0.5 - far[k], 0.5 + far[k], 0.5 + far[k]);
        assert_in_range(r.taken, ACROSS, 3 * ACROSS);
        assert_true(r.dot[0][0] && r.dot[UP - 1][ACROSS - 1]);
        r = line(-far[k], 0.25, far[k], 0.25);
        for (size_t i = 0; i < ACROSS; i++)
            assert_int_equal(r.dot[6][i], 1);
    }
    raster steep = line(0.5, 0.5, 0.75, -1e150); /* leaves the plot straight down */
    for (size_t j = 0; j < UP; j++)
        assert_int_equal(steep.dot[j][20], j <= 12);
    assert_int_equal(line(-1, -1, -2, 5).taken, 0);
    assert_int_equal(line(0.5, 1.01, 2, 7).taken, 0);
    assert_int_equal(line(0.5, 0.5, NAN, 0.5).taken, 0);
    assert_int_equal(line(0.5, 0.5, INFINITY, 0.5).taken, 0);
    assert_true(line(1, 1, 1, 1).taken > 0);
}

/* ---- ticks ---- */

static void assert_ticks(const eb_span *span, size_t most)
{
    eb_ticks ticks;
    eb_ticks_find(span, most, &ticks);
    assert_true(ticks.count <= EB_MOST_TICKS);
    for (size_t k = 0; k < ticks.count; k++) {
        assert_true(ticks.share[k] >= 0 && ticks.share[k] <= 1);
        assert_true(ticks.label[k][0] != '\0' && strlen(ticks.label[k]) < EB_TICK_LABEL);
        assert_true(k == 0 || ticks.share[k] > ticks.share[k - 1]);
        assert_true(k == 0 || strcmp(ticks.label[k], ticks.label[k - 1]) != 0);
    }
}

TEST(ticks_ascend_and_differ)
{
    static const double ends[][2] = {{0, 1},         {-1, 1},      {0, 1e300},        {-1e300, 1e300},
                                     {1, 1 + 1e-12}, {1e-9, 3e-9}, {999999, 1000001}, {-0.0001, 12345678},
                                     {2, 3},         {0.3, 300}};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        for (size_t most = 0; most < 20; most++) {
            eb_span span = {.low = ends[k][0], .high = ends[k][1]};
            assert_ticks(&span, most);
            if (ends[k][0] > 0) {
                span = (eb_span){.low = log10(ends[k][0]), .high = log10(ends[k][1]), .log = true};
                assert_ticks(&span, most);
            }
        }
}

TEST(decades_are_marked)
{
    eb_ticks ticks;
    eb_span span = {.low = 0, .high = 3, .log = true};
    eb_ticks_find(&span, 4, &ticks);
    assert_int_equal(ticks.count, 4);
    assert_string_equal(ticks.label[3], "1000");
    eb_ticks_find(&span, 12, &ticks);
    assert_int_equal(ticks.count, 10);
    assert_string_equal(ticks.label[1], "2");
    assert_true(fabs(ticks.share[3] - 1.0 / 3) < 1e-12);
}

TEST(spans_hold_what_can_be_drawn)
{
    static const double values[] = {NAN, -1, 0, 10, 1000, INFINITY, -INFINITY};
    eb_span span = eb_span_of(5, values, true);
    assert_true(span.log && span.low == 1 && span.high == 3);
    assert_true(isnan(eb_span_share(&span, 0)) && isnan(eb_span_share(&span, NAN)));
    assert_true(eb_span_share(&span, 100) == 0.5);
    span = eb_span_of(7, values, false);
    assert_true(span.low == -1e300 && span.high == 1e300 && eb_span_share(&span, DBL_MAX) == 1);
    span = eb_span_of(1, values, false);
    assert_true(span.low == 0 && span.high == 1);
    span = eb_span_of(1, values + 2, false);
    assert_true(span.low == -1 && span.high == 1);
}

RUN_TESTS
