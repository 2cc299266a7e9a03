/* Tables on screen: sorted with unknown values, filtered, scrolled, clicked; overlays; no drawing outside the area. */
#include <math.h>

#include "core/report/find.h"
#include "draw/table.h"
#include "tests/unit/cases.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"
#include "ui/desk.h"
#include "ui/widgets/overlay.h"
#include "ui/widgets/table_view.h"

static eb_report *make_report(size_t rows)
{
    static const char *const names[] = {"delta", "alpha", "charlie", "bravo", "echo"};
    eb_report *report = eb_report_new("runs");
    eb_table *table = eb_report_table(report, EB_KEY("runs"), "Runs");
    eb_table_column(table, EB_NAMED("run", "run", EB_IDENTITY));
    eb_table_column(table, EB_NAMED("name", "name", EB_PLAIN));
    eb_table_column(table, EB_NAMED("time_s", "time", EB_SECONDS));
    eb_table_column(table, EB_NAMED("verdict", "verdict", EB_PLAIN));
    for (size_t k = 0; k < rows; k++)
        eb_table_row(table,
                     (eb_value[]){eb_uint(k + 1), eb_text(names[k % 5]),
                                  k % 3 == 1 ? eb_na() : eb_real(1.0 / (double)(k + 1)),
                                  eb_text(k % 2 ? "FASTER" : "SLOWER")},
                     4);
    assert_true(eb_report_ok(report));
    return report;
}

static void press(eb_table_view *view, const eb_table *table, const char *script, eb_rect area)
{
    eb_key key;
    const char *error;
    while (eb_key_parse(script, &script, &key, &error))
        assert_true(eb_table_view_key(view, table, key, area));
}

TEST(rows_are_sorted_with_unknowns_last)
{
    eb_report *report = make_report(5);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view;
    eb_table_view_init(&view);
    eb_table_view_update(&view, table);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(view.shown.row[k], k);
    strcpy(view.sort, "name");
    eb_table_view_update(&view, table);
    const size_t by_name[] = {1, 3, 2, 0, 4};
    assert_memory_equal(view.shown.row, by_name, sizeof by_name);
    strcpy(view.sort, "time_s");
    eb_table_view_update(&view, table);
    const size_t by_time[] = {3, 2, 0, 1, 4}; /* 0.25, 0.33, 1, n/a, n/a */
    assert_memory_equal(view.shown.row, by_time, sizeof by_time);
    strcpy(view.sort, "-time_s");
    eb_table_view_update(&view, table);
    const size_t back[] = {0, 2, 3, 1, 4};
    assert_memory_equal(view.shown.row, back, sizeof back);
    eb_table_view_free(&view);
    eb_report_free(report);
}

TEST(filters_look_into_every_cell)
{
    eb_report *report = make_report(5);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view;
    eb_table_view_init(&view);
    view.cursor = 4;
    strcpy(view.where, "FAST");
    eb_table_view_update(&view, table);
    assert_int_equal(view.shown.table.rows, 2);
    assert_int_equal(eb_table_view_row(&view), 3); /* the cursor stays in the table */
    strcpy(view.where, "ALPHA");
    eb_table_view_update(&view, table);
    assert_int_equal(view.shown.table.rows, 1);
    strcpy(view.where, "nothing like it");
    eb_table_view_update(&view, table);
    assert_int_equal(view.shown.table.rows, 0);
    assert_true(eb_table_view_row(&view) == EB_NO_TABLE_ROW);
    press(&view, table, "<Up><Down><PageDown><End><Home><Left><Right>", (eb_rect){0, 0, 40, 10});
    eb_table_view_free(&view);
    eb_report_free(report);
}

TEST(the_cursor_stays_in_sight)
{
    eb_report *report = make_report(100);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view;
    eb_rect area = {0, 0, 40, 11};
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, 40, 11, &status), EB_OK);
    eb_table_view_init(&view);
    eb_table_view_update(&view, table);
    const struct {
        const char *keys;
        size_t cursor, top;
    } steps[] = {{"<Down><Down>", 2, 0},       {"<End>", 99, 90},     {"<Up>", 98, 90},
                 {"<PageUp><PageUp>", 80, 80}, {"<Home>", 0, 0},      {"<PageDown><PageDown>", 18, 9},
                 {"<Wheel-up 3 3>", 15, 9},    {"<Click 5 4>", 12, 9}};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        press(&view, table, steps[k].keys, area);
        eb_draw_table(&canvas, area, &view, true);
        assert_int_equal(view.cursor, steps[k].cursor);
        assert_int_equal(view.top, steps[k].top);
    }
    press(&view, table, "<Click 8 0>",
          area); /* a click on a title sorts by the column, a second one reverses the order */
    assert_int_equal(view.sort_column, 1);
    assert_false(view.shown.descending);
    press(&view, table, "<Click 8 0>", area);
    assert_true(view.shown.descending);
    eb_canvas_free(&canvas);
    eb_table_view_free(&view);
    eb_report_free(report);
}

static void assert_screen(const eb_canvas *canvas, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(eb_canvas_dump(canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

TEST(a_table_on_a_screen)
{
    eb_report *report = make_report(5);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view;
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, 36, 5, &status), EB_OK);
    eb_table_view_init(&view);
    strcpy(view.sort, "-run");
    view.marked[0] = 3;
    eb_table_view_update(&view, table);
    view.cursor = 2;
    eb_draw_table(&canvas, eb_canvas_rect(&canvas), &view, true);
    assert_screen(&canvas, case_text("drawn", "a table on a screen"));
    eb_canvas_free(&canvas);
    eb_table_view_free(&view);
    eb_report_free(report);
}

static eb_canvas make_canvas(int width, int height, bool unicode)
{
    eb_canvas canvas = {.unicode = unicode};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, width, height, &status), EB_OK);
    return canvas;
}

static eb_table_view make_view(const eb_table *table)
{
    eb_table_view view;
    eb_table_view_init(&view);
    eb_table_view_update(&view, table);
    return view;
}

TEST(words_and_numbers_are_sorted_apart)
{
    eb_report *report = eb_report_new("mixed");
    eb_table *table = eb_report_table(report, EB_KEY("mixed"), "Mixed");
    eb_table_column(table, EB_NAMED("value", "value", EB_PLAIN));
    const eb_value values[] = {eb_text("pear"), eb_real(10),   eb_na(),         eb_text("Apple"), eb_int(-3),
                               eb_uint(9),      eb_real(-0.5), eb_text("pear"), eb_real(1e300),   eb_na()};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (size_t k = 0; k < VALUES; k++)
        eb_table_row(table, &values[k], 1);
    assert_true(eb_report_ok(report));
    eb_table_view view = make_view(table);
    strcpy(view.sort, "value");
    eb_table_view_update(&view, table);
    const size_t up[VALUES] = {4, 6, 5, 1, 8, 3, 0, 7, 2, 9}; /* -3 -0.5 9 10 1e300 Apple pear pear n/a n/a */
    assert_memory_equal(view.shown.row, up, sizeof up);
    strcpy(view.sort, "-value");
    eb_table_view_update(&view, table);
    const size_t down[VALUES] = {0, 7, 3, 8, 1, 5, 6, 4, 2, 9};
    assert_memory_equal(view.shown.row, down, sizeof down);
    strcpy(view.sort, "other"); /* no such column */
    eb_table_view_update(&view, table);
    assert_int_equal(view.sort_column, -1);
    assert_string_equal(view.wrong.message, "no column `other`; there are: value");
    eb_table_view_free(&view);
    eb_report_free(report);
}

/* The first column stays in place; each key scrolls, and columns that all fit do not scroll. */
TEST(columns_are_scrolled)
{
    eb_report *report = make_report(2);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view = make_view(table);
    eb_canvas c = make_canvas(22, 3, true);
    eb_rect area = eb_canvas_rect(&c);
    strcpy(view.sort, "verdict"); /* column out of sight: no arrow */
    eb_draw_table(&c, area, &view, false);
    assert_screen(&c, "  run  name     time▸\n▸   1  delta  1.00 s\n    2  alpha     n/a\n");
    press(&view, table, "<Right>", area);
    assert_int_equal(view.left, 2);
    eb_canvas_clear(&c);
    eb_draw_table(&c, area, &view, false);
    assert_screen(&c, "  run    time  verdi▸\n▸   1  1.00 s  SLOWER\n    2     n/a  FASTER\n");
    press(&view, table, "<Right>", area);
    assert_int_equal(view.left, 3);
    press(&view, table, "<Right>", area);
    assert_int_equal(view.left, 3); /* all in sight */
    press(&view, table, "<Left>", area);
    assert_int_equal(view.left, 2);
    press(&view, table, "<Left>", area);
    assert_int_equal(view.left, 0);
    press(&view, table, "<Right>", (eb_rect){0, 0, 60, 3});
    assert_int_equal(view.left, 0); /* all columns fit */
    eb_canvas_free(&c);
    eb_table_view_free(&view);
    eb_report_free(report);
}

/* "λ(ε)" is four columns wide, "lambda(eps)" eleven: a click selects the title drawn there. */
TEST(clicks_find_the_title_that_is_seen)
{
    eb_report *report = eb_report_new("tune");
    eb_table *table = eb_report_table(report, EB_KEY("tune"), "Tune");
    eb_table_column(table, EB_NAMED("a", "λ(ε)", EB_PLAIN));
    eb_table_column(table, EB_NAMED("b", "second", EB_PLAIN));
    eb_table_column(table, EB_NAMED("c", "third", EB_PLAIN));
    eb_table_row(table, (eb_value[]){eb_uint(1), eb_uint(2), eb_uint(3)}, 3);
    for (int unicode = 0; unicode < 2; unicode++) {
        eb_table_view view = make_view(table);
        eb_canvas c = make_canvas(30, 3, unicode);
        eb_rect area = eb_canvas_rect(&c);
        eb_draw_table(&c, area, &view, true);
        for (int k = 0; k < 3; k++) {
            const uint32_t before[] = {unicode ? 0x3B5 : 's', 'n', 'r'}; /* the last two characters of each title */
            int x = 1;
            while (c.cell[x].character != (uint32_t) ")dd"[k] || c.cell[x - 1].character != before[k])
                x++;
            eb_key key = {.code = EB_KEY_CLICK, .x = x, .y = 0};
            assert_true(eb_table_view_key(&view, table, key, area));
            assert_int_equal(view.sort_column, k);
        }
        eb_canvas_free(&c);
        eb_table_view_free(&view);
    }
    eb_report_free(report);
}

/* A click changes only the widget under it. */
TEST(clicks_outside_are_not_for_the_table)
{
    eb_report *report = make_report(3);
    const eb_table *table = eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view = make_view(table);
    eb_rect area = {4, 2, 30, 8};
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 40; x++) {
            eb_key key = {.code = EB_KEY_CLICK, .x = x, .y = y};
            size_t before = view.cursor;
            assert_int_equal(eb_table_view_key(&view, table, key, area), eb_rect_has(area, x, y));
            bool row = eb_rect_has(area, x, y) && y > area.y && y <= area.y + 3;
            assert_int_equal(view.cursor, row ? (size_t)(y - area.y - 1) : before);
        }
    eb_table_view_free(&view);
    eb_report_free(report);
}

TEST(meters)
{
    static const struct {
        double share;
        const char *unicode, *ascii;
    } cases[] = {{0, "····\n", "....\n"},    {1, "████\n", "####\n"},   {0.5, "██··\n", "##..\n"},
                 {1e-9, "▏···\n", "#...\n"}, {0.6, "██▍·\n", "##..\n"}, {7, "████\n", "####\n"},
                 {-1, "····\n", "....\n"},   {NAN, "n/a\n", "n/a\n"},   {INFINITY, "████\n", "####\n"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int unicode = 0; unicode < 2; unicode++) {
            eb_canvas c = make_canvas(4, 1, unicode);
            eb_draw_meter(&c, eb_canvas_rect(&c), EB_ROLE_SERIES, cases[k].share);
            assert_screen(&c, unicode ? cases[k].unicode : cases[k].ascii);
            eb_canvas_free(&c);
        }
}

/* Every widget at every small size and several places: cells outside its area stay unchanged. */
TEST(nothing_is_drawn_outside_the_area)
{
    eb_report *report = make_report(9);
    eb_record *record = eb_report_record(report, EB_KEY("facts"), "Facts");
    eb_record_field(record, EB_NAMED("a", "a rather long title", EB_PLAIN), eb_text("some text, also long"));
    eb_record_field(record, EB_NAMED("b", "b", EB_PERCENT), eb_na());
    eb_report_note(report, "a note that is long enough to be wrapped over lines");
    eb_table *table = (eb_table *)(uintptr_t)eb_report_find_table(report, EB_KEY("runs"));
    eb_table_view view;
    eb_canvas c = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&c, 50, 18, &status), EB_OK);
    eb_table_view_init(&view);
    strcpy(view.sort, "time_s");
    eb_table_view_update(&view, table);
    for (int w = 0; w <= 42; w++)
        for (int h = 0; h <= 13; h++)
            for (int what = 0; what < 6; what++) {
                eb_rect area = {5, 3, w, h};
                c.unicode = (w + h) % 2 == 0;
                for (int k = 0; k < 50 * 18; k++)
                    c.cell[k] = (eb_cell){.character = '~', .role = EB_ROLE_BAD};
                eb_overlay overlay = {.kind = EB_OVERLAY_NONE};
                switch (what) {
                case 0: eb_draw_table(&c, area, &view, true); break;
                case 1: (void)eb_draw_plain_table(&c, area, table); break;
                case 2: eb_draw_meter(&c, area, EB_ROLE_SERIES, (w + h) / 50.0); break;
                case 3: eb_overlay_help(&overlay, false); break;
                case 4:
                    eb_overlay_text(&overlay, "It goes on with", strdup("load  lesson  and so on and so on and so on"));
                    break;
                default:
                    overlay = (eb_overlay){.kind = EB_OVERLAY_REPORT, .title = "runs", .report = report, .top = h};
                    break;
                }
                eb_overlay_draw(&overlay, &c, area, NULL);
                overlay.report = NULL; /* owned by the test */
                eb_overlay_close(&overlay);
                for (int k = 0; k < 50 * 18; k++) {
                    if (!eb_rect_has(area, k % 50, k / 50))
                        assert_true(c.cell[k].character == '~' && c.cell[k].role == EB_ROLE_BAD);
                    else if (!c.unicode)
                        assert_in_range(c.cell[k].character, 0x20, 0x7E);
                }
            }
    eb_canvas_free(&c);
    eb_table_view_free(&view);
    eb_report_free(report);
}

TEST(overlays_scroll_and_close)
{
    eb_overlay overlay = {.kind = EB_OVERLAY_NONE};
    eb_canvas c = {.unicode = true};
    eb_status status;
    eb_rect area = {0, 0, 80, 12};
    const char *rest, *error;
    eb_key key;
    assert_int_equal(eb_canvas_resize(&c, 80, 12, &status), EB_OK);
    char *words = strdup("one two three four five six seven eight nine ten");
    for (int k = 0; k < 5; k++) { /* 32 times the words */
        char *twice = NULL;
        assert_true(asprintf(&twice, "%s %s", words, words) > 0);
        free(words);
        words = twice;
    }
    eb_overlay_text(&overlay, "Words", words);
    eb_overlay_draw(&overlay, &c, area, NULL);
    assert_true(overlay.lines > 20);
    assert_true(eb_key_parse("<End>", &rest, &key, &error));
    assert_true(eb_overlay_key(&overlay, key, area));
    assert_int_equal(overlay.top, overlay.lines - 10);
    assert_true(eb_key_parse("<PageUp>", &rest, &key, &error));
    assert_true(eb_overlay_key(&overlay, key, area));
    assert_int_equal(overlay.top, overlay.lines - 10 - 9);
    assert_true(eb_key_parse("x", &rest, &key, &error));
    assert_false(eb_overlay_key(&overlay, key, area));
    assert_true(eb_key_parse("<Esc>", &rest, &key, &error));
    assert_true(eb_overlay_key(&overlay, key, area));
    assert_int_equal(overlay.kind, EB_OVERLAY_NONE);
    assert_false(eb_overlay_key(&overlay, key, area));
    eb_canvas_free(&c);
}

RUN_TESTS
