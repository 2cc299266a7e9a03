/* The scrolled view of a report: all of the report can be reached. */
#include <math.h>

#include "tests/unit/cases.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"
#include "ui/widgets/overlay.h"
#include "ui/widgets/report_view.h"

#define BOTH (EB_PARTS_TEXT | EB_PARTS_PLOTS)

/* The screen as text, which the caller frees; *lines: height of the whole report. */
static char *drawn(const eb_report *report, int width, int height, unsigned parts, int *top, int *lines)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status = {0};
    eb_canvas canvas = {.unicode = true};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_resize(&canvas, width, height, &status), EB_OK);
    *lines = eb_draw_report(&canvas, eb_canvas_rect(&canvas), report, parts, top);
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    eb_canvas_free(&canvas);
    return text;
}

static void expect(const eb_report *report, int width, int height, unsigned parts, int top, int top_after, int lines,
                   const char *screen)
{
    int found_lines;
    char *text = drawn(report, width, height, parts, &top, &found_lines);
    if (strcmp(text, screen) != 0)
        fail_msg("found\n%sexpected\n%s", text, screen);
    assert_int_equal(top, top_after);
    assert_int_equal(found_lines, lines);
    free(text);
}

static eb_report *something(void)
{
    eb_report *report = eb_report_new("something");
    eb_report_field(report, EB_NAMED("a", "first", EB_PLAIN), eb_uint(1000));
    eb_report_field(report, EB_NAMED("b", "second one", EB_SECONDS), eb_na());
    eb_record *record = eb_report_record(report, EB_KEY("r"), "Record");
    eb_record_field(record, EB_NAMED("c", "verdict", EB_PLAIN), eb_text("a sentence that goes on"));
    eb_report_field(report, EB_NAMED("d", "after", EB_PLAIN), eb_bool(true));
    eb_report_note(report, "a note that is long");
    return report;
}

TEST(parts_stand_one_below_the_other)
{
    eb_report *report = something();
    expect(report, 60, 11, BOTH, 0, 0, 9,
           "first       1,000\nsecond one  n/a\n\nRecord\nverdict  a sentence that goes on\n\nafter  yes\n\n"
           "a note that is long\n\n\n");
    expect(report, 60, 1, EB_PARTS_PLOTS, 0, 0, 0, "\n");
    eb_report_free(report);
}

TEST(what_is_long_is_broken)
{
    eb_report *report = something();
    expect(report, 18, 14, BOTH, 0, 0, 14, case_text("drawn", "what is long is broken"));
    eb_report_free(report);
}

TEST(a_hash_is_cut)
{
    eb_report *report = eb_report_new("info");
    eb_report_field(report, EB_NAMED("sha256", "sha256", EB_PLAIN), eb_text("0123456789abcdef0123456789abcdef"));
    eb_report_field(report, EB_NAMED("source", "dataset", EB_PLAIN), eb_text("/a/path/without/blanks/that/is/long"));
    expect(report, 30, 3, BOTH, 0, 0, 3,
           "sha256   0123456789abcdef012…\ndataset  /a/path/without/blan\n         ks/that/is/long\n");
    eb_report_free(report);
}

TEST(scrolling_ends_with_the_report)
{
    eb_report *report = something();
    expect(report, 60, 3, BOTH, 0, 0, 9,
           "first       1,000\nsecond one  n/a\n                                                           ▼\n");
    expect(report, 60, 2, BOTH, 6, 6, 9,
           "after  yes                                                 ▲\n                                             "
           "              ▼\n");
    expect(report, 60, 2, BOTH, 1000, 7, 9,
           "                                                           ▲\na note that is long\n");
    expect(report, 60, 1, BOTH, -5, 0, 9, "first       1,000                                          ▼\n");
    eb_report_free(report);
}

TEST(raw_text_keeps_its_lines)
{
    eb_report *report = eb_report_new("help");
    eb_report_raw(report, "one\n\nthree and more\n");
    expect(report, 60, 4, BOTH, 0, 0, 3, "one\n\nthree and more\n\n");
    char line[3000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    eb_report_raw(report, line);
    int top = 0, lines;
    free(drawn(report, 30, 5, BOTH, &top, &lines));
    assert_true(lines > 30);
    eb_report_free(report);
}

TEST(tables_and_series_are_drawn)
{
    double x[] = {1, 2, 3}, y[] = {1, 4, 9};
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, EB_KEY("t"), "Table");
    eb_table_column(table, EB_NAMED("c", "column", EB_PLAIN));
    for (int k = 0; k < 3; k++)
        eb_table_row(table, (eb_value[]){eb_int(k)}, 1);
    (void)eb_report_series(report, EB_KEY("line"), "Line", EB_LINE, 3, x, y, x, y);
    (void)eb_report_series(report, EB_KEY("bars"), "Bars", EB_BARS, 3, x, y, NULL, NULL);
    (void)eb_report_series(report, EB_KEY("points"), "Points", EB_POINTS, 3, x, y, NULL, NULL);
    (void)eb_report_series(report, EB_KEY("none"), "None", EB_LINE, 0, NULL, NULL, NULL, NULL);
    int top = 0, lines;
    char *text = drawn(report, 40, 80, BOTH, &top, &lines);
    static const char *const parts[] = {"Table\n", "column",   "Line\n", "Bars\n",
                                        "█",       "Points\n", "None\n", "(no points)"};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        assert_non_null(strstr(text, parts[k]));
    free(text);
    text = drawn(report, 40, 80, EB_PARTS_TEXT, &top, &lines);
    assert_null(strstr(text, "Line"));
    assert_int_equal(lines, 5);
    free(text);
    eb_report_free(report);
}

TEST(no_report_draws_nothing)
{
    eb_report *report = eb_report_new("empty");
    expect(NULL, 5, 1, BOTH, 3, 3, 0, "\n");
    expect(report, 5, 1, BOTH, 3, 0, 0, "\n");
    eb_report_free(report);
}

/* ---- wrapped text ---- */

TEST(help_flows_at_the_width_there_is)
{
    eb_report *report = eb_report_new("help");
    eb_report_flow(report, "broken\nelsewhere\n", "join\n\tall of it may be broken\n\n  eps  \tradius of the join\n");
    expect(report, 43, 5, BOTH, 0, 0, 4, "join\nall of it may be broken\n\n  eps  radius of the join\n\n");
    expect(report, 25, 6, BOTH, 0, 0, 5, "join\nall of it may be broken\n\n  eps  radius of the\n       join\n\n");
    expect(report, 12, 8, BOTH, 0, 0, 8, "join\nall of it\nmay be\nbroken\n\n  eps\nradius of\nthe join\n");
    eb_report_raw(report, "as it is\n");
    expect(report, 43, 2, BOTH, 0, 0, 1, "as it is\n\n");
    eb_report_free(report);
}

/* ---- horizontal scrolling ---- */

static char *aside(const eb_report *report, int width, int *left)
{
    char *text = NULL;
    size_t size = 0;
    eb_report_place place = {.left = *left, .turn = NAN};
    eb_status status = {0};
    eb_canvas canvas = {.unicode = true};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_resize(&canvas, width, 5, &status), EB_OK);
    (void)eb_draw_wide_report(&canvas, eb_canvas_rect(&canvas), report, BOTH, &place);
    *left = place.left;
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    eb_canvas_free(&canvas);
    return text;
}

static void expect_aside(const eb_report *report, int width, int left, int left_after, const char *screen)
{
    char *text = aside(report, width, &left);
    if (strcmp(text, screen) != 0)
        fail_msg("found\n%sexpected\n%s", text, screen);
    assert_int_equal(left, left_after);
    free(text);
}

/* Every column of a table can be reached, and notes are wrapped at the visible width. */
TEST(wide_tables_are_scrolled_sideways)
{
    eb_report *report = eb_report_new("wide");
    eb_table *table = eb_report_table(report, EB_KEY("t"), "Wide");
    EB_COLUMNS(table, EB_NAMED("a", "one", EB_PLAIN), EB_NAMED("b", "two", EB_PLAIN), EB_NAMED("c", "three", EB_PLAIN));
    EB_ROW(table, eb_text("abcdefghij"), eb_text("klmnopqrst"), eb_text("uvw"));
    eb_report_note(report, "a note of words that go on");
    assert_int_equal(eb_report_columns(report, false), 10 + 2 + 10 + 2 + 5);
    expect_aside(report, 22, 0, 0, case_text("drawn", "wide tables are scrolled sideways"));
    expect_aside(report, 22, 5, 5, case_text("drawn", "wide tables are scrolled sideways 2"));
    expect_aside(report, 22, 99, 29 - 21, case_text("drawn", "wide tables are scrolled sideways 3"));
    expect_aside(report, 40, 7, 0, case_text("drawn", "wide tables are scrolled sideways 4"));
    eb_report_free(report);
}

/* ---- turns ---- */

static eb_report *walk_of_four(void)
{
    static const double x[] = {0, 1, 0, 1}, y[] = {0, 0, 1, 1}, turn[] = {1, 2, 4, 3};
    eb_report *report = eb_report_new("model");
    eb_report_field(report, EB_NAMED("n", "points n", EB_PLAIN), eb_uint(4));
    eb_series *series = eb_report_dots(report, EB_KEY("walk"), "The walk", EB_HEAT);
    eb_series_axes(series, EB_NAMED("column", "column", EB_PLAIN), false, EB_NAMED("row", "row", EB_PLAIN), false);
    eb_series_heat(series, EB_NAMED("turn", "turn", EB_IDENTITY));
    for (size_t k = 0; k < 4; k++)
        eb_series_add(series, x[k], y[k], turn[k], 0);
    eb_series_turns(series);
    eb_report_note(report, "the end");
    return report;
}

/* The overlay at 40 columns and `rows` rows, with its current turn. */
static char *shown(eb_overlay *overlay, int rows)
{
    char *text = NULL;
    size_t size = 0;
    eb_canvas canvas = {.unicode = true};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_resize(&canvas, 40, rows, NULL), EB_OK);
    eb_overlay_draw(overlay, &canvas, eb_canvas_rect(&canvas), NULL);
    assert_int_equal(eb_canvas_dump(&canvas, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    eb_canvas_free(&canvas);
    return text;
}

static void expect_shown(eb_overlay *overlay, const char *first, const char *second, const char *legend)
{
    char *text = shown(overlay, 12);
    if (!strstr(text, first) || !strstr(text, second) || !strstr(text, legend))
        fail_msg("expected\n%s\n%s\n%s\nfound\n%s", first, second, legend, text);
    free(text);
}

static void press(eb_overlay *overlay, uint32_t character)
{
    assert_true(
        eb_overlay_key(overlay, (eb_key){.code = EB_KEY_CHARACTER, .character = character}, (eb_rect){0, 0, 40, 12}));
}

/* Still until Space; then one turn per tick, paused and stepped; after the last turn the whole picture is shown. */
TEST(turns_pass_when_they_are_told_to)
{
    eb_overlay overlay = {.kind = EB_OVERLAY_NONE};
    eb_overlay_report(&overlay, walk_of_four());
    assert_true(eb_overlay_has_turns(&overlay));
    eb_overlay_tick(&overlay);
    expect_shown(&overlay, "1 █         4 ▆         3", "0 ▂         1 ▅         2", "▃▅▆█ 4    ");
    press(&overlay, ' ');
    expect_shown(&overlay, "│ 1        ", "│ 0        ", "now 0");
    for (int k = 0; k < 3; k++)
        eb_overlay_tick(&overlay);
    expect_shown(&overlay, "1             ▆         3", "0 ▂         1 ▅         2", "now 3");
    press(&overlay, ' ');
    eb_overlay_tick(&overlay); /* paused */
    press(&overlay, ',');
    expect_shown(&overlay, "│ 1        ", "0 ▂         1 ▅         2", "now 2");
    press(&overlay, '.');
    press(&overlay, '.');
    press(&overlay, '.'); /* stays at the last turn */
    expect_shown(&overlay, "1 █         4 ▆         3", "0 ▂         1 ▅         2", "now 4");
    press(&overlay, ' ');
    eb_overlay_tick(&overlay);
    assert_false(overlay.plays);
    expect_shown(&overlay, "1 █         4 ▆         3", "0 ▂         1 ▅         2", "▃▅▆█ 4    ");
    eb_overlay_close(&overlay);
}

/* Space scrolls the turns into sight; a picture moves only in sight. */
TEST(turns_come_into_sight)
{
    eb_overlay overlay = {.kind = EB_OVERLAY_NONE};
    eb_report *report = eb_report_new("model");
    for (int k = 0; k < 30; k++)
        eb_report_field(report, EB_NAMED("n", "points n", EB_PLAIN), eb_uint(4));
    eb_report *walk = walk_of_four();
    assert_true(eb_report_hand_on(walk, EB_KEY("walk"), NULL, report));
    eb_report_free(walk);
    const eb_rect area = {0, 0, 40, 10};
    eb_overlay_report(&overlay, report);
    free(shown(&overlay, 10));
    assert_int_equal(eb_overlay_frames(&overlay, area), 0);
    assert_true(eb_overlay_key(&overlay, (eb_key){.code = EB_KEY_CHARACTER, .character = ' '}, area));
    char *text = shown(&overlay, 10);
    assert_non_null(strstr(text, "The walk"));
    assert_non_null(strstr(text, "now 0"));
    assert_int_equal(eb_overlay_frames(&overlay, area), 4);
    free(text);
    eb_overlay_close(&overlay);
    eb_overlay_report(&overlay, eb_report_new("info")); /* no turns to play */
    assert_false(eb_overlay_has_turns(&overlay));
    assert_false(eb_overlay_key(&overlay, (eb_key){.code = EB_KEY_CHARACTER, .character = ' '}, area));
    eb_overlay_close(&overlay);
}

RUN_TESTS
