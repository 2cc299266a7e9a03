/* Tests of heat maps: numbers, shades and marks are at the right places, at every size, without colours and without
 * Unicode. */
#include <math.h>

#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"
#include "tests/unit/cases.h"
#include "tests/unit/test.h"

/* 3 × 2 cells; the last one is missing. */
static double xs[] = {1000, 1000, 31623, 31623, 1e6, 1e6}, ys[] = {64, 128, 64, 128, 64, 128};
static double zs[] = {0.0004, 12.34, 99, 250, 600, NAN};
static char marks[] = "mmmkm>";

static eb_series series_of(void)
{
    static char key[] = "k", n[] = "points n", d[] = "dimensions d", rate[] = "derived rate";
    return (eb_series){.shape = EB_HEAT,
                       .x_key = key,
                       .y_key = key,
                       .z_key = key,
                       .x_title = n,
                       .y_title = d,
                       .z_title = rate,
                       .points = 6,
                       .x = xs,
                       .y = ys,
                       .z = zs,
                       .z_unit = EB_TERAFLOPS,
                       .mark = marks};
}

static eb_canvas drawn(const eb_series *series, int width, int height, bool unicode, size_t at)
{
    eb_canvas canvas = {.unicode = unicode};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
    eb_draw_heat_map(&canvas, eb_canvas_rect(&canvas), series, at);
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

TEST(numbers_stand_in_their_cells)
{
    const eb_series series = series_of();
    assert_int_equal(eb_heat_map_rows(&series), 5);
    eb_canvas canvas = drawn(&series, 52, 5, true, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "numbers stand in their cells"));
    canvas = drawn(&series, 22, 5, false, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "numbers stand in their cells 2"));
}

/* First only bars are left, then no titles, then only a sentence. */
TEST(less_room_shows_less)
{
    const eb_series series = series_of();
    eb_canvas canvas = drawn(&series, 12, 5, true, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "less room shows less"));
    canvas = drawn(&series, 7, 2, false, SIZE_MAX);
    assert_screen(&canvas, "    .->\n"
                           "    ..#\n");
    canvas = drawn(&series, 6, 2, true, SIZE_MAX);
    assert_screen(&canvas, "(too …\n\n");
    canvas = drawn(&series, 22, 1, true, SIZE_MAX);
    assert_screen(&canvas, "(too small for a map)\n");
}

/* Rates use the unit in which the greatest is at least one. */
TEST(small_rates_have_a_small_unit)
{
    double z[] = {0.0000123, 0.00045, 0.00025};
    eb_series series = series_of();
    series.points = 3;
    series.z = z;
    series.mark = NULL;
    eb_canvas canvas = drawn(&series, 60, 5, true, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "small rates have a small unit"));
}

TEST(every_mark_is_explained_that_is_there)
{
    double z[] = {1, NAN, NAN, NAN, NAN, NAN};
    char mark[] = "m.x>.x";
    eb_series series = series_of();
    series.z = z;
    series.mark = mark;
    eb_canvas canvas = drawn(&series, 70, 5, true, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "every mark is explained that is there"));
    z[0] = NAN; /* no value yet */
    canvas = drawn(&series, 60, 5, true, SIZE_MAX);
    assert_screen(&canvas, case_text("drawn", "every mark is explained that is there 2"));
}

TEST(shades_follow_the_share)
{
    const eb_series series = series_of();
    eb_canvas canvas = drawn(&series, 52, 5, true, 3);
    const struct {
        int x, y;
        eb_role role;
    } cells[] = {{4, 2, EB_ROLE_HEAT},  {4, 1, EB_ROLE_HEAT},     {16, 1, EB_ROLE_SELECTED},
                 {16, 2, EB_ROLE_HEAT}, {28, 2, EB_ROLE_HOTTEST}, {28, 1, EB_ROLE_DIM}};
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
        for (int x = 0; x < 12; x++)
            assert_int_equal(canvas.cell[cells[k].y * canvas.width + cells[k].x + x].role, cells[k].role);
    eb_canvas_free(&canvas);
}

/* Turns are drawn up to a given one, which is highlighted; later turns are empty, but cells that never have one are
 * not. */
TEST(turns_are_drawn_up_to_one)
{
    double z[] = {1, 2, 3, 4, 5, NAN};
    char mark[] = "------";
    eb_series series = series_of();
    series.z = z;
    series.z_unit = EB_IDENTITY;
    series.mark = mark;
    assert_true(eb_last_turn(&series) == 5);
    eb_canvas canvas = {.unicode = true};
    assert_int_equal(eb_canvas_resize(&canvas, 52, 5, NULL), EB_OK);
    eb_draw_turns(&canvas, eb_canvas_rect(&canvas), &series, 3);
    assert_int_equal(canvas.cell[2 * 52 + 27].role, EB_ROLE_SELECTED); /* the third turn */
    assert_int_equal(canvas.cell[2 * 52 + 15].role, EB_ROLE_HEAT + 1); /* the first turn */
    assert_int_equal(canvas.cell[2 * 52 + 39].role, EB_ROLE_TEXT);     /* the fifth turn */
    assert_screen(&canvas, case_text("drawn", "turns are drawn up to one"));
    assert_int_equal(eb_canvas_resize(&canvas, 12, 2, NULL), EB_OK); /* no room for numbers: a sign beside the bar */
    eb_draw_turns(&canvas, eb_canvas_rect(&canvas), &series, 3);
    assert_screen(&canvas, "     ▃   -\n"
                           "     ▂▸▅\n");
}

TEST(a_place_belongs_to_a_cell)
{
    const eb_series series = series_of();
    const eb_rect area = {10, 20, 52, 5};
    assert_int_equal(eb_heat_map_at(area, &series, 14, 22), 0);
    assert_int_equal(eb_heat_map_at(area, &series, 25, 21), 1);
    assert_int_equal(eb_heat_map_at(area, &series, 26, 21), 3);
    assert_int_equal(eb_heat_map_at(area, &series, 49, 22), 4);
    assert_true(eb_heat_map_at(area, &series, 50, 22) == SIZE_MAX);
    assert_true(eb_heat_map_at(area, &series, 13, 22) == SIZE_MAX);
    assert_true(eb_heat_map_at(area, &series, 14, 20) == SIZE_MAX);
    assert_true(eb_heat_map_at((eb_rect){0}, &series, 0, 0) == SIZE_MAX);
}

TEST(no_size_and_no_number_writes_outside)
{
    double odd[][6] = {{0, 0, 0, 0, 0, 0},
                       {-1, 5, NAN, 2, 1, 3},
                       {INFINITY, 1, -INFINITY, 2, 3, 4},
                       {1e308, 1e-308, 1, 1, 1, 1},
                       {NAN, NAN, NAN, NAN, NAN, NAN}};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++)
        for (int width = 1; width < 60; width++)
            for (int height = 1; height < 14; height++) {
                eb_series series = series_of();
                eb_canvas canvas = {.unicode = width % 2 == 0};
                series.z = odd[k];
                series.z_unit = width % 3 ? EB_TERAFLOPS : EB_PLAIN;
                assert_int_equal(eb_canvas_resize(&canvas, width + 2, height + 2, NULL), EB_OK);
                eb_draw_heat_map(&canvas, (eb_rect){1, 1, width, height}, &series, (size_t)height);
                for (int y = 0; y < height + 2; y++)
                    for (int x = 0; x < width + 2; x++)
                        if (x == 0 || y == 0 || x > width || y > height)
                            assert_int_equal(canvas.cell[y * canvas.width + x].character, ' ');
                eb_canvas_free(&canvas);
            }
    eb_series none = series_of();
    none.points = 0;
    eb_canvas canvas = drawn(&none, 12, 1, true, SIZE_MAX);
    assert_screen(&canvas, "(no points)\n");
    none = series_of();
    none.z = NULL; /* out of memory */
    canvas = drawn(&none, 12, 1, true, SIZE_MAX);
    assert_screen(&canvas, "(no points)\n");
}

/* ---- line labels at their marks or beside them ---- */

TEST(lines_end_in_their_letters)
{
    static char key[] = "k", title[] = "t", mark[] = "aaabbAA";
    double x[] = {1, 2, 4, 1, 2, 1, 4}, y[] = {1, 2, 3, 1, NAN, 4, 4};
    const eb_series series = {.shape = EB_LINE,
                              .x_key = key,
                              .y_key = key,
                              .x_title = title,
                              .y_title = title,
                              .points = 7,
                              .x = x,
                              .y = y,
                              .mark = mark};
    eb_canvas canvas = {.unicode = false};
    assert_int_equal(eb_canvas_resize(&canvas, 30, 12, NULL), EB_OK);
    eb_draw_series(&canvas, eb_canvas_rect(&canvas), &series);
    assert_screen(&canvas, case_text("drawn", "lines end in their letters"));
}

RUN_TESTS
