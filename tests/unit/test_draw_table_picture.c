/* Tests of table_picture: a timeline and a memory chart made from their tables, with and without Unicode, at every
 * size. */
#include <math.h>

#include "core/report/find.h"
#include "draw/plots/table_picture.h"
#include "tests/unit/cases.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

static const char *const lanes[] = {"copy", "multiply"};

/* Two slices in two stages: copies of 25 clocks, products of 50. */
static eb_report *two_slices(size_t blocks)
{
    eb_report *report = eb_report_new("model");
    eb_table *table = eb_report_table(report, EB_KEY("pipeline"), "The pipeline");
    EB_COLUMNS(table, EB_NAMED("block", NULL, EB_IDENTITY), EB_NAMED("lane", NULL, EB_IDENTITY),
               EB_NAMED("slice", NULL, EB_IDENTITY), EB_NAMED("stage", NULL, EB_IDENTITY),
               EB_NAMED("begin_clocks", NULL, EB_PLAIN), EB_NAMED("end_clocks", NULL, EB_PLAIN));
    for (size_t b = 0; b < blocks; b++)
        for (size_t l = 0; l < 2; l++)
            for (size_t k = 0; k < 2; k++) {
                const double begin = 50. * (double)k + (l == 0 ? 0 : 25), end = begin + (l == 0 ? 25 : 50);
                EB_ROW(table, eb_uint(b), eb_text(lanes[l]), eb_uint(k), eb_uint(k), eb_real(begin), eb_real(end));
            }
    eb_table_draw(table, EB_AS_TIMELINE);
    return report;
}

static eb_report *five_levels(void)
{
    static const char *const title[] = {"registers", "shared", "L1", "L2", "DRAM"};
    eb_report *report = eb_report_new("model");
    eb_table *table = eb_report_table(report, EB_KEY("memory"), "Memory");
    EB_COLUMNS(table, EB_NAMED("title", NULL, EB_IDENTITY), EB_NAMED("bytes", NULL, EB_BYTES),
               EB_NAMED("bytes_s", NULL, EB_BYTES), EB_NAMED("peak_bytes_s", NULL, EB_BYTES),
               EB_NAMED("source", NULL, EB_IDENTITY), EB_NAMED("written_bytes", NULL, EB_BYTES),
               EB_NAMED("written_bytes_s", NULL, EB_BYTES), EB_NAMED("written_source", NULL, EB_IDENTITY),
               EB_NAMED("hit_rate", NULL, EB_PERCENT), EB_NAMED("hit_source", NULL, EB_IDENTITY));
    for (int k = 0; k < 5; k++) {
        const bool counted = k >= 3, known = k > 0 && k != 2;
        EB_ROW(table, eb_text(title[k]), known ? eb_real(0x1p30 * k) : eb_na(), known ? eb_real(0x1p32 * k) : eb_na(),
               k == 4 ? eb_na() : eb_real(0x1p34), known ? eb_text(counted ? "counted" : "model") : eb_na(),
               counted ? eb_real(0x1p20) : eb_na(), counted ? eb_real(0x1p22) : eb_na(),
               counted ? eb_text("counted") : eb_na(), k == 3 ? eb_real(0.5) : eb_na(),
               k == 3 ? eb_text("counted") : eb_na());
    }
    eb_table_draw(table, EB_AS_MEMORY);
    return report;
}

static eb_report *some_code(void)
{
    eb_report *report = eb_report_new("lesson");
    eb_table *table = EB_TABLE(report, EB_F(code), "a function", EB_F(row), EB_F(text));
    EB_ROW(table, eb_uint(9), eb_text("/* |p − q|² of two"));
    EB_ROW(table, eb_uint(10), eb_text(" * points. */"));
    EB_ROW(table, eb_uint(11), eb_text(""));
    EB_ROW(table, eb_uint(12), eb_text("    return squared(left, right, dimensions);"));
    eb_table_draw(table, EB_AS_CODE);
    return report;
}

static const eb_table *table_of(const eb_report *report) { return &report->item[0]->as.table; }

static eb_canvas drawn(const eb_table *table, int width, int height, bool unicode)
{
    eb_canvas canvas = {.unicode = unicode};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, NULL), EB_OK);
    eb_draw_table_picture(&canvas, eb_canvas_rect(&canvas), table);
    return canvas;
}

/* Frees canvas and report. */
static void assert_drawn(eb_report *report, int width, bool unicode, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    eb_canvas canvas = drawn(table_of(report), width, eb_table_picture_rows(table_of(report), width), unicode);
    assert_non_null(out);
    assert_int_equal(eb_canvas_dump(&canvas, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    if (strcmp(text, expected) != 0)
        fail_msg("found:\n%s\nexpected:\n%s", text, expected);
    free(text);
    eb_canvas_free(&canvas);
    eb_report_free(report);
}

/* Two lines with their places, and what each has become. */
static eb_report *compiled_code(void)
{
    eb_report *report = eb_report_new("model");
    eb_table *table = EB_TABLE(report, EB_F(cuda), "CUDA lines", EB_F(source), EB_F(text), EB_F(made));
    EB_ROW(table, eb_text("a.cuh:7"), eb_text("    load(a, row);"), eb_text("2 LDSM, 12 others"));
    EB_ROW(table, eb_text("a.cuh:19"), eb_text("    wait();"), eb_text(""));
    eb_table_draw(table, EB_AS_CODE);
    return report;
}

TEST(what_a_line_has_become_stands_beside_it_or_below_it)
{
    assert_drawn(compiled_code(), 46, true,
                 "a.cuh:7       load(a, row);  2 LDSM, 12 others\n"
                 "a.cuh:19      wait();\n");
    assert_drawn(compiled_code(), 45, true,
                 "a.cuh:7       load(a, row);\n"
                 "                2 LDSM, 12 others\n"
                 "a.cuh:19      wait();\n");
}

TEST(a_long_line_of_code_goes_on_below_its_text)
{
    assert_drawn(some_code(), 34, true,
                 "   9  /* |p − q|² of two\n  10   * points. */\n  11\n  12      return squared(left,\n"
                 "          right, dimensions);\n");
    eb_report *code = some_code();
    assert_int_equal(eb_table_picture_columns(table_of(code)), 50);
    assert_int_equal(eb_table_picture_rows(table_of(code), 50), 4);
    assert_int_equal(eb_table_picture_rows(table_of(code), 34), 5);
    eb_report_free(code);
}

TEST(bars_lie_in_time)
{
    assert_drawn(two_slices(1), 44, true, case_text("drawn", "bars lie in time"));
    assert_drawn(two_slices(2), 44, false, case_text("drawn", "bars lie in time 2"));
    assert_drawn(two_slices(1), 30, true, "(too small for a timeline)\n\n\n\n\n");
}

TEST(levels_lie_above_each_other)
{
    assert_drawn(five_levels(), 80, true, case_text("drawn", "levels lie above each other"));
    assert_drawn(five_levels(), 50, false, case_text("drawn", "levels lie above each other 2"));
}

/* Missing numbers and tables are harmless. */
TEST(no_size_writes_outside)
{
    eb_report *reports[] = {two_slices(2),          five_levels(), eb_report_new("model"),
                            eb_report_new("model"), some_code(),   compiled_code()};
    eb_table *odd = eb_report_table(reports[2], EB_KEY("pipeline"), "odd");
    EB_COLUMNS(odd, EB_NAMED("block", NULL, EB_IDENTITY), EB_NAMED("begin_clocks", NULL, EB_PLAIN),
               EB_NAMED("end_clocks", NULL, EB_PLAIN));
    EB_ROW(odd, eb_int(-3), eb_real(1e300), eb_na());
    EB_ROW(odd, eb_na(), eb_real(5), eb_real(1e308));
    eb_table_draw(odd, EB_AS_TIMELINE);
    eb_table_draw(eb_report_table(reports[3], EB_KEY("memory"), "empty"), EB_AS_MEMORY);
    for (size_t k = 0; k < sizeof reports / sizeof *reports; k++) {
        for (int width = 1; width < 70; width++)
            for (int height = 1; height < 14; height++) {
                eb_canvas canvas = {.unicode = width % 2 == 0};
                assert_int_equal(eb_canvas_resize(&canvas, width + 2, height + 2, NULL), EB_OK);
                eb_draw_table_picture(&canvas, (eb_rect){1, 1, width, height}, table_of(reports[k]));
                for (int y = 0; y < height + 2; y++)
                    for (int x = 0; x < width + 2; x++)
                        if (x == 0 || y == 0 || x > width || y > height)
                            assert_int_equal(canvas.cell[y * canvas.width + x].character, ' ');
                eb_canvas_free(&canvas);
            }
        eb_report_free(reports[k]);
    }
}

RUN_TESTS
