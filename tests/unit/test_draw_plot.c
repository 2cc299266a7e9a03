/* Tests of draw_plot: small screens as expected, unusual numbers and sizes, nothing outside the area. */
#include <float.h>
#include <math.h>

#include "draw/plots/plot.h"
#include "tests/unit/cases.h"
#include "tests/unit/test.h"

/* ---- helpers ---- */

static eb_canvas screen(int width, int height, bool unicode)
{
    eb_canvas canvas = {.unicode = unicode};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
    return canvas;
}

/* Frees the canvas. */
static void assert_screen(eb_canvas *canvas, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_dump(canvas, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    if (strcmp(text, expected) != 0)
        fail_msg("found:\n%s\nexpected:\n%s", text, expected);
    free(text);
    eb_canvas_free(canvas);
}

static eb_rect all_of(const eb_canvas *canvas) { return eb_canvas_rect(canvas); }

/* ---- axes ---- */

TEST(axes_hold_their_values)
{
    static const double values[][3] = {{1, 2, 3},           {0, 0, 0},
                                       {5, 5, 5},           {-1e308, 1e308, 0},
                                       {5e-324, 1, 2},      {NAN, NAN, NAN},
                                       {INFINITY, -1, 1},   {1, 1 + DBL_EPSILON, 1},
                                       {1e300, 2e300, 0},   {-3, -2, -1},
                                       {5e-324, 5e-324, 0}, {DBL_MAX, DBL_MAX, DBL_MAX}};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
        for (int log = 0; log < 2; log++) {
            eb_axis axis = eb_axis_of(3, values[k], log != 0, "t");
            assert_true(axis.low < axis.high && isfinite(axis.low) && isfinite(axis.high));
            assert_true(!log || axis.low > 0);
            for (size_t j = 0; j < 3; j++) {
                double x = values[k][j];
                bool seen = isfinite(x) && fabs(x) <= 1e300 && (!log || x > 0);
                assert_true(!seen || (axis.low <= x && x <= axis.high));
            }
        }
    eb_axis none = eb_axis_of(0, NULL, true, NULL);
    assert_true(none.low > 0 && none.low < none.high && !none.title);
    eb_axis counts = eb_axis_of(3, (double[]){0, 10, 20}, false, NULL);
    assert_true(counts.low == 0 && counts.high > 20);
}

TEST(columns_and_values_are_inverse)
{
    for (int width = 1; width <= 200; width++)
        for (int log = 0; log < 2; log++) {
            eb_plot plot = {.x = {.low = 0.5, .high = 700, .log = log != 0},
                            .y = {.low = 0, .high = 1},
                            .area = {.x = 7, .y = 2, .width = width, .height = 5}};
            double before = 0;
            for (int column = 7; column < 7 + width; column++) {
                double x = eb_plot_x_at(&plot, column);
                assert_true(x > before && x >= 0.5 && x <= 700);
                assert_int_equal(eb_plot_column(&plot, x), column);
                before = x;
            }
            assert_int_equal(eb_plot_column(&plot, 0.5), 7);
            assert_int_equal(eb_plot_column(&plot, 700), 6 + width);
            assert_int_equal(eb_plot_column(&plot, 0.49), -1);
            assert_int_equal(eb_plot_column(&plot, 701), -1);
            assert_int_equal(eb_plot_column(&plot, NAN), -1);
        }
}

/* ---- lines ---- */

TEST(a_line_stands_in_its_frame)
{
    eb_canvas canvas = screen(24, 9, true);
    eb_plot plot = {.x = {.low = 0, .high = 10, .title = "ε"}, .y = {.low = 0, .high = 10, .title = "S"}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    assert_int_equal(plot.area.width, 20);
    assert_int_equal(plot.area.height, 5);
    eb_plot_line(&canvas, &plot, 2, (double[]){0, 10}, (double[]){0, 10}, EB_ROLE_SERIES);
    assert_screen(&canvas, case_text("drawn", "a line stands in its frame"));
}

TEST(ascii_is_ascii)
{
    eb_canvas canvas = screen(24, 9, false);
    eb_plot plot = {.x = {.low = 0, .high = 10, .title = "ε"}, .y = {.low = 0, .high = 10, .title = "S"}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    static const double x[] = {0, 5, 10}, low[] = {2, 4, 6}, high[] = {6, 8, 10};
    eb_plot_band(&canvas, &plot, 3, x, low, high, EB_ROLE_BAND);
    eb_plot_line(&canvas, &plot, 3, x, (double[]){4, 6, 8}, EB_ROLE_SERIES);
    assert_screen(&canvas, case_text("drawn", "ascii is ascii"));
}

/* A gap interrupts a line; a point between two gaps is visible; lines are cut at the frame. */
TEST(gaps_and_edges_are_kept)
{
    eb_canvas canvas = screen(20, 6, true);
    eb_plot plot = {.x = {.low = 0, .high = 6}, .y = {.low = 0, .high = 1}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    static const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 0, NAN, 0.5, INFINITY, 1, -1e300};
    eb_plot_line(&canvas, &plot, 7, x, y, EB_ROLE_SERIES);
    assert_screen(&canvas, case_text("drawn", "gaps and edges are kept"));
}

TEST(log_axes_have_decades)
{
    eb_canvas canvas = screen(40, 11, true);
    static const double eps[] = {1, 10, 100, 1000}, s[] = {0, 1, 100, 10000};
    eb_plot plot = {.x = {.low = 1, .high = 1000, .log = true, .title = "ε"},
                    .y = {.low = 0.1, .high = 10000, .log = true, .title = "S"}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    eb_plot_line(&canvas, &plot, 4, eps, s, EB_ROLE_SERIES); /* S = 0 has no place on a log axis */
    eb_plot_vertical(&canvas, &plot, 31.6, EB_ROLE_CURSOR, "ε = 31.6");
    eb_plot_mark(&canvas, &plot, 100, 100, EB_ROLE_TARGET, 0x25C6, '@', "100");
    assert_screen(&canvas, case_text("drawn", "log axes have decades"));
}

TEST(a_band_lies_under_the_line)
{
    eb_canvas canvas = screen(30, 10, true);
    eb_plot plot = {.x = {.low = 0, .high = 10}, .y = {.low = 0, .high = 10}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    static const double x[] = {0, 5, 10}, low[] = {1, 3, 4}, high[] = {4, 6, 30}, y[] = {2, 4, 7};
    eb_plot_line(&canvas, &plot, 3, x, y, EB_ROLE_SERIES);
    eb_canvas before = screen(30, 10, true);
    memcpy(before.cell, canvas.cell, 300 * sizeof *canvas.cell);
    eb_plot_band(&canvas, &plot, 3, x, low, high, EB_ROLE_BAND); /* drawn after the line: the line stays whole */
    for (size_t k = 0; k < 300; k++)
        assert_true(canvas.cell[k].role == EB_ROLE_BAND ||
                    memcmp(&canvas.cell[k], &before.cell[k], sizeof before.cell[k]) == 0);
    memcpy(before.cell, canvas.cell, 300 * sizeof *canvas.cell);
    eb_plot_line(&canvas, &plot, 3, x, y, EB_ROLE_SERIES); /* drawn before the line: the line looks as if alone */
    assert_memory_equal(before.cell, canvas.cell, 300 * sizeof *canvas.cell);
    eb_canvas_free(&before);
    assert_screen(&canvas, case_text("drawn", "a band lies under the line"));
}

/* Each line of a series has its own band: no band joins the end of one to the start of the next. */
TEST(bands_of_two_lines_stay_apart)
{
    eb_canvas canvas = screen(40, 12, true);
    double x[] = {0, 1, 9, 10}, y[] = {5, 5, 5, 5}, low[] = {1, 1, 1, 1}, high[] = {9, 9, 9, 9};
    char mark[] = "aabb", title[] = "";
    const eb_series series = {.shape = EB_LINE,
                              .points = 4,
                              .x = x,
                              .y = y,
                              .low = low,
                              .high = high,
                              .mark = mark,
                              .x_title = title,
                              .y_title = title};
    eb_draw_series(&canvas, all_of(&canvas), &series);
    size_t of_bands = 0, between = 0;
    for (size_t k = 0; k < 480; k++) {
        of_bands += canvas.cell[k].role == EB_ROLE_BAND;
        between += canvas.cell[k].role == EB_ROLE_BAND && k % 40 > 12 && k % 40 < 32;
    }
    assert_true(of_bands > 4 && between == 0);
    eb_canvas_free(&canvas);
}

/* On a log axis a band from 0 begins at the bottom. */
TEST(a_band_from_zero_reaches_the_foot)
{
    eb_canvas canvas = screen(16, 7, false);
    eb_plot plot = {.x = {.low = 1, .high = 10, .log = true}, .y = {.low = 1, .high = 100, .log = true}};
    assert_true(eb_plot_frame(&canvas, all_of(&canvas), &plot));
    eb_plot_band(&canvas, &plot, 2, (double[]){1, 10}, (double[]){0, 0}, (double[]){10, 1000}, EB_ROLE_BAND);
    assert_screen(&canvas, case_text("drawn", "a band from zero reaches the foot"));
}

TEST(points_share_cells)
{
    eb_canvas canvas = screen(12, 4, true);
    eb_plot plot = {.x = {.low = 0, .high = 1}, .y = {.low = 0, .high = 1}, .area = {1, 1, 2, 1}};
    eb_plot_points(&canvas, &plot, 4, (double[]){0, 1.0 / 3, 0, 1}, (double[]){0, 1, 1.0 / 3, 1}, EB_ROLE_SERIES);
    eb_plot_points(&canvas, &plot, 2, (double[]){1, 2}, (double[]){0, 0}, EB_ROLE_GOOD);
    assert_screen(&canvas, case_text("drawn", "points share cells"));
}

/* ---- bars ---- */

static const eb_histogram_view whole = {.low = NAN, .high = NAN};

TEST(a_histogram_fills_its_width)
{
    double x[] = {-1.5, -0.5, 0.5, 1.5}, y[] = {1, 8, 4, 0};
    eb_series series =
        {.shape = EB_BARS, .points = 4, .x = x, .y = y, .x_title = "error", .y_title = "pairs", .under = 3, .over = 0};
    eb_canvas canvas = screen(34, 10, true);
    eb_draw_histogram(&canvas, all_of(&canvas), &series, &whole);
    assert_screen(&canvas, case_text("drawn", "a histogram fills its width"));
    canvas = screen(34, 10, false);
    eb_draw_histogram(&canvas, all_of(&canvas), &series, &(eb_histogram_view){.low = -1, .high = 1, .log = true});
    assert_screen(&canvas, case_text("drawn", "a histogram fills its width 2"));
    canvas = screen(8, 2, true); /* no room for axes */
    eb_draw_histogram(&canvas, all_of(&canvas), &series, &whole);
    assert_screen(&canvas, "  ██\n"
                           "▂▂████\n");
    canvas = screen(60, 6, true);
    eb_draw_histogram(&canvas, all_of(&canvas), &series, &(eb_histogram_view){.low = 7, .high = 9});
    assert_screen(&canvas, "(no bins in the zoom)\n\n\n\n\nNot drawn: 3 left, 0 right, 13 outside this zoom\n");
}

/* If several bins share a column, the highest counts: a single count among thousands of bins is visible. */
TEST(rare_counts_are_seen)
{
    enum { BINS = 5000 };
    double x[BINS], y[BINS];
    for (size_t k = 0; k < BINS; k++) {
        x[k] = (double)k;
        y[k] = k == 2500 ? 1e9 : k == 4990 ? 1 : 0;
    }
    eb_series series =
        {.shape = EB_BARS, .points = BINS, .x = x, .y = y, .x_title = "", .y_title = "", .under = NAN, .over = NAN};
    eb_canvas canvas = screen(40, 7, true);
    eb_draw_histogram(&canvas, all_of(&canvas), &series, &whole);
    assert_screen(&canvas, case_text("drawn", "rare counts are seen"));
}

TEST(stacked_bars_share_a_scale)
{
    static const char *const labels[] = {"fasted", "ref64", "nothing", "unknown"};
    static const char *const parts[] = {"upload", "kernel", "download"};
    static const double value[] = {0.1, 0.3, 0.1, 0, 1, 1e-9, 0, 0, 0, NAN, NAN, NAN};
    eb_canvas canvas = screen(40, 6, true);
    assert_int_equal(eb_draw_stacked(&canvas, all_of(&canvas), 4, labels, 3, parts, value, EB_SECONDS), 5);
    assert_screen(&canvas, case_text("drawn", "stacked bars share a scale"));
    canvas = screen(40, 6, false);
    assert_int_equal(eb_draw_stacked(&canvas, all_of(&canvas), 4, labels, 3, parts, value, EB_SECONDS), 5);
    assert_screen(&canvas, case_text("drawn", "stacked bars share a scale 2"));
    canvas = screen(14, 8, true);
    assert_int_equal(eb_draw_stacked(&canvas, all_of(&canvas), 4, labels, 3, parts, value, EB_SECONDS), 7);
    assert_screen(&canvas, case_text("drawn", "stacked bars share a scale 3"));
}

/* The texts go when bars would be shorter than twelve cells, and the bars take their room. */
TEST(texts_stand_beside_stacked_bars)
{
    static const char *const labels[] = {"team", "  cuda:0", "  cuda:1"};
    static const char *const beside[] = {"2 devices", "half of it", ""};
    static const char *const parts[] = {"kernel", "download"};
    static const double value[] = {0.8, 0.2, 0.8, 0.2, NAN, NAN};
    eb_canvas canvas = screen(50, 5, true);
    assert_int_equal(eb_draw_stacked_beside(&canvas, all_of(&canvas), 3, labels, beside, 2, parts, value, EB_SECONDS),
                     4);
    assert_screen(&canvas, case_text("drawn", "texts beside stacked bars"));
    canvas = screen(36, 5, true);
    assert_int_equal(eb_draw_stacked_beside(&canvas, all_of(&canvas), 3, labels, beside, 2, parts, value, EB_SECONDS),
                     4);
    assert_screen(&canvas, case_text("drawn", "texts beside stacked bars 2"));
}

/* ---- any size and number ---- */

static const double odd[][4] =
    {{-1e308, 1e308, 0, NAN},      {NAN, NAN, NAN, NAN}, {0, 0, 0, 0}, {5e-324, 1e-300, 1e300, DBL_MAX}, {1, 2, 3, 4},
     {-INFINITY, INFINITY, 1, -1}, {7, 7, 7, 7}};
enum { ODD = sizeof odd / sizeof odd[0] };

static void draw_everything(eb_canvas *canvas, eb_rect area, const double *x, const double *y, unsigned variant)
{
    bool x_log = variant & 1, y_log = variant & 2;
    size_t count = variant & 4 ? 1 : 4;
    eb_plot plot = {.x = eb_axis_of(count, x, x_log, "x"), .y = eb_axis_of(count, y, y_log, "y")};
    (void)eb_plot_frame(canvas, area, &plot);
    eb_plot_band(canvas, &plot, count, x, odd[0], y, EB_ROLE_BAND);
    eb_plot_line(canvas, &plot, count, x, y, EB_ROLE_SERIES);
    eb_plot_points(canvas, &plot, count, y, x, EB_ROLE_SERIES);
    for (size_t k = 0; k < count; k++) {
        eb_plot_vertical(canvas, &plot, x[k], EB_ROLE_CURSOR, "a label");
        eb_plot_mark(canvas, &plot, x[k], y[k], EB_ROLE_TARGET, 0x25C6, '@', k % 2 ? NULL : "mark");
    }
    eb_series series = {.shape = EB_BARS,
                        .points = count,
                        .x = (double *)(uintptr_t)x,
                        .y = (double *)(uintptr_t)y,
                        .x_title = "x",
                        .y_title = "y",
                        .x_log = x_log,
                        .under = 1,
                        .over = NAN};
    eb_draw_histogram(canvas, area, &series,
                      &(eb_histogram_view){.low = variant & 4 ? NAN : 0, .high = NAN, .log = y_log});
    eb_draw_histogram(canvas, area, NULL, &whole);
    (void)eb_draw_stacked(canvas, area, 2, (const char *const[]){"one", "日本 two"}, 2,
                          (const char *const[]){"p", "part"}, y, EB_SECONDS);
    (void)eb_draw_stacked_beside(canvas, area, 2, (const char *const[]){"one", "日本 two"},
                                 (const char *const[]){"日本 beside", ""}, 2, (const char *const[]){"p", "part"}, y,
                                 EB_SECONDS);
}

/* Every area from 0 × 0 to 60 × 20 on a canvas full of a sentinel, which must stay outside the area. */
TEST(nothing_is_drawn_outside_the_area)
{
    enum { LEFT = 3, TOP = 2, WIDTH = 66, HEIGHT = 24 };
    const eb_cell sentinel = {.character = '@', .combining = 0, .role = EB_ROLE_WARNING};
    unsigned variant = 0;
    eb_canvas canvas = screen(WIDTH, HEIGHT, true);
    for (int width = 0; width <= 60; width++)
        for (int height = 0; height <= 20; height++, variant++) {
            eb_rect area = {LEFT, TOP, width, height};
            for (size_t k = 0; k < (size_t)WIDTH * HEIGHT; k++)
                canvas.cell[k] = sentinel;
            canvas.unicode = variant & 8;
            eb_fill(&canvas, area, EB_ROLE_TEXT);
            draw_everything(&canvas, area, odd[variant % ODD], odd[variant / ODD % ODD], variant / 3);
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++) {
                    eb_cell cell = canvas.cell[y * WIDTH + x];
                    if (eb_rect_has(area, x, y)) {
                        assert_true(canvas.unicode || (cell.character >= ' ' && cell.character < 0x7F));
                        continue;
                    }
                    if (cell.character != '@' || cell.role != EB_ROLE_WARNING)
                        fail_msg("an area of %d × %d drew at %d, %d", width, height, x - LEFT, y - TOP);
                }
        }
    eb_canvas_free(&canvas);
}

/* An area that extends beyond the canvas's end, and one that begins before the canvas. */
TEST(areas_may_reach_beyond_the_canvas)
{
    eb_canvas canvas = screen(20, 8, true);
    for (unsigned variant = 0; variant < 8 * ODD * ODD; variant++) {
        const double *x = odd[variant / 8 % ODD], *y = odd[variant / 8 / ODD];
        draw_everything(&canvas, (eb_rect){10, 4, 60, 20}, x, y, variant);
        draw_everything(&canvas, (eb_rect){-30, -10, 60, 20}, x, y, variant);
        draw_everything(&canvas, (eb_rect){500, 500, 60, 20}, x, y, variant);
    }
    eb_canvas_free(&canvas);
}

RUN_TESTS
