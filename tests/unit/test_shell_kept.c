/* Reports that the log keeps come back as they were shown; damaged ones lose what is damaged. Reports as parts of a
 * document. */
#include <stdlib.h>

#include "core/report/find.h"
#include "store/kept.h"
#include "tests/unit/named.h"
#include "tests/unit/render_reports.h"

static char *kept(const eb_report *report)
{
    char *text;
    eb_status status = {0};
    assert_int_equal(eb_kept_write(report, &text, &status), EB_OK);
    return text;
}

static eb_report *read_back(const char *text)
{
    eb_report *report = eb_kept_read(text);
    assert_true(eb_report_ok(report));
    return report;
}

/* Series are kept with nine digits, which is more than a plot shows, unless a point lies between two dots. */
static void round_series(eb_report *report)
{
    char digits[32];
    for (size_t k = 0; k < report->items; k++) {
        const eb_series *s = &report->item[k]->as.series;
        double *const numbers[] = {s->x, s->y, s->low, s->high};
        for (size_t a = 0; report->item[k]->kind == EB_SERIES && a < 4; a++)
            for (size_t p = 0; numbers[a] && p < s->points; p++) {
                (void)snprintf(digits, sizeof digits, "%.9g", numbers[a][p]);
                numbers[a][p] = strtod(digits, NULL);
            }
    }
}

static void expect_the_same(eb_report *report)
{
    round_series(report);
    char *text = kept(report), *before, *after;
    assert_non_null(text);
    eb_report *back = read_back(text);
    assert_string_equal(back->command, report->command);
    const eb_render_options modes[] = {plain, csv, markdown};
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        before = rendered(report, modes[k]);
        after = rendered(back, modes[k]);
        assert_string_equal(after, before);
        free(before);
        free(after);
    }
    eb_report_free(back);
    free(text);
}

TEST(a_kept_report_reads_as_it_was)
{
    eb_report *report = sample();
    expect_the_same(report);
    eb_report_free(report);
}

/* Every look has its word. */
TEST(each_look_is_kept)
{
    for (eb_look look = EB_AS_TABLE; look <= EB_AS_CODE; look++) {
        eb_report *report = eb_report_new("sample");
        eb_table *table = EB_TABLE(report, EB_F(code), "Lines", EB_F(row), EB_F(text));
        EB_ROW(table, eb_uint(1), eb_text("int x;"));
        eb_table_draw(table, look);
        char *text = kept(report);
        eb_report *back = read_back(text);
        assert_int_equal(back->item[0]->as.table.look, look);
        eb_report_free(back);
        free(text);
        eb_report_free(report);
    }
}

TEST(values_and_looks_are_kept)
{
    eb_report *report = eb_report_new("sample");
    const double x[] = {1, 1, 2}, y[] = {1, 2, 1}, none[] = {NAN, 1, 2};
    eb_report_field(report, EB_F(eps), eb_real(0.1));
    eb_report_field(report, EB_F(pairs), eb_uint(UINT64_C(1) << 40));
    eb_report_field(report, EB_F(kernel_s), eb_na());
    eb_report_field(report, EB_NAMED("whole", "whole", EB_PLAIN), eb_real(100000));
    eb_report_field(report, EB_HIDDEN(overlap), eb_real(0.5));
    eb_report_field(report, EB_NAMED("text", "text", EB_PLAIN), eb_text("\"quoted\" \\ and \x1b[31m \xff"));
    eb_table *table = EB_TABLE(report, EB_F(times), "Times", EB_F(spec), EB_F(kernel_s));
    EB_ROW(table, eb_text("a"), eb_real(1e-3));
    EB_ROW(table, eb_text("b"), eb_real(2e-3));
    eb_table_turn(table);
    eb_report_page(report);
    eb_series *heat = eb_report_dots(report, EB_F(cells), "Heat", EB_HEAT);
    for (size_t k = 0; k < 3; k++)
        eb_series_add(heat, x[k], y[k], none[k], (char)('a' + k));
    eb_series_axes(heat, EB_F(n), true, EB_F(d), true);
    eb_series_heat(heat, EB_F(tflops_derived));
    eb_series *points = eb_report_series(report, EB_F(projection), "Points", EB_POINTS, 3, x, y, NULL, NULL);
    eb_series_marks(points, "aab");
    eb_series_name(points, 'a', "the first");
    eb_series *bars = eb_report_series(report, EB_F(errors), "Bars", EB_BARS, 3, x, y, NULL, NULL);
    bars->under = 3;
    bars->over = 5;
    eb_report_raw(report, "raw\ntext\n");
    expect_the_same(report);

    char *text = kept(report);
    eb_report *back = read_back(text);
    const eb_series *read = eb_report_find_series(back, EB_F(projection));
    assert_non_null(read);
    assert_string_equal(read->names, "a the first\n");
    assert_true(eb_report_find_field(back, EB_F(overlap)).as.real == 0.5);
    eb_report_free(back);
    free(text);
    eb_report_free(report);
}

/* ---- limits ---- */

TEST(long_lines_are_thinned_and_long_tables_are_cut)
{
    enum { POINTS = 1777 };
    double x[POINTS], y[POINTS];
    eb_report *report = eb_report_new("sample");
    for (size_t k = 0; k < POINTS; k++)
        x[k] = y[k] = (double)k;
    (void)eb_report_series(report, EB_F(curve), "Line", EB_LINE, POINTS, x, y, NULL, NULL);
    eb_table *table = EB_TABLE(report, EB_F(points), "Rows", EB_F(eps));
    for (size_t k = 0; k < POINTS; k++)
        EB_ROW(table, eb_real(x[k]));
    char *text = kept(report);
    eb_report *back = read_back(text);
    const eb_series *line = eb_report_find_series(back, EB_F(curve));
    assert_true(line->points <= EB_KEPT_POINTS + 1 && line->points > EB_KEPT_POINTS / 2);
    assert_true(line->x[0] == 0 && line->x[line->points - 1] == POINTS - 1);
    assert_int_equal(eb_report_find_table(back, EB_F(points))->rows, EB_KEPT_ROWS);
    assert_string_equal(back->note[0], "the log kept the first 500 of the 1777 rows of \"Rows\"");
    eb_report_free(back);
    free(text);
    eb_report_free(report);
}

TEST(too_long_a_report_is_not_kept)
{
    eb_report *report = eb_report_new("sample");
    char *text = malloc(EB_KEPT_BYTES + 1);
    assert_non_null(text);
    memset(text, 'x', EB_KEPT_BYTES);
    text[EB_KEPT_BYTES] = '\0';
    eb_report_raw(report, text);
    assert_null(kept(report));
    free(text);
    eb_report_free(report);
}

/* ---- damage ---- */

TEST(what_is_damaged_is_left_out)
{
    static const char *const texts[] = {
        "",
        "nothing",
        "[]",
        "{\"items\":7,\"notes\":{}}",
        "{\"items\":[null,7,{},{\"kind\":\"field\"},{\"kind\":\"field\",\"key\":\"\"},{\"kind\":\"wheel\",\"key\":"
        "\"a\"}]}",
        "{\"items\":[{\"kind\":\"series\",\"key\":\"a\",\"shape\":\"line\",\"x\":{\"values\":[1]},\"y\":{\"values\":[]}"
        "}]}",
        "{\"items\":[{\"kind\":\"series\",\"key\":\"a\",\"shape\":\"heat\",\"x\":{\"values\":[1]},\"y\":{\"values\":[1]"
        "}}]}",
        "{\"items\":[{\"kind\":\"series\",\"key\":\"a\",\"shape\":\"ring\",\"x\":{\"values\":[1]},\"y\":{\"values\":[1]"
        "}}]}",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        eb_report *report = read_back(texts[k]);
        assert_int_equal(report->items + report->notes, 0);
        eb_report_free(report);
    }
    eb_report *report =
        read_back("{\"items\":[{\"kind\":\"table\",\"key\":\"a\",\"title\":\"A\",\"columns\":[{\"key\":"
                  "\"b\",\"title\":\"b\"}],\"rows\":[[1],[1,2],7,[]]},{\"kind\":\"series\",\"key\":\"c\","
                  "\"title\":\"C\",\"shape\":\"line\",\"x\":{\"values\":[1,\"a\"]},\"y\":{\"values\":[1,"
                  "null]},\"mark\":\"abc\",\"low\":[1]}],\"notes\":[1,\"told\"]}");
    assert_int_equal(report->items, 2);
    assert_int_equal(report->item[0]->as.table.rows, 1);
    assert_int_equal(report->item[1]->as.series.points, 2);
    assert_null(report->item[1]->as.series.mark);
    assert_null(report->item[1]->as.series.low);
    assert_int_equal(report->notes, 1);
    free(rendered(report, plain));
    eb_report_free(report);
}

/* ---- parts of documents ---- */

static char *part_of(const eb_report *report, eb_code (*put)(FILE *, const eb_report *, unsigned, eb_status *))
{
    char *text = NULL;
    size_t size;
    eb_status status = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(put(out, report, 4, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in %s", part, text);
}

TEST(shared_units_stand_in_titles)
{
    eb_report *report = eb_report_new("sample");
    eb_table *table = EB_TABLE(report, EB_F(times), "Times", EB_F(spec), EB_F(kernel_s), EB_F(total_s), EB_F(overlap));
    EB_ROW(table, eb_text("a 1 b"), eb_real(1e-3), eb_real(1), eb_na());
    EB_ROW(table, eb_text("2 c"), eb_real(-2e-3), eb_real(2e-3), eb_na());
    table = EB_TABLE(report, EB_F(runs), "Turned", EB_F(spec), EB_F(kernel_s), EB_F(overlap));
    EB_ROW(table, eb_text("a"), eb_real(1e-3), eb_real(0.25));
    EB_ROW(table, eb_text("b"), eb_real(2e-3), eb_na());
    eb_table_turn(table);
    eb_report_conclude(report, "The conclusion");
    char *text = part_of(report, eb_render_markdown_part);
    expect_in(text, "#### Times\n");
    expect_in(text, "| engine | kernels (ms) | end to end | overlap |\n");
    expect_in(text, "| a 1 b | 1.00 | 1.00 s | n/a |\n");
    expect_in(text, "| 2 c | -2.00 | 2.00 ms | n/a |\n");
    expect_in(text, "| kernels (ms) | 1.00 | 2.00 | 0.50× |\n");
    expect_in(text, "| overlap (%) | 25 | n/a |  |\n");
    assert_null(strstr(text, "conclusion"));
    free(text);
    eb_report_free(report);
}

TEST(html_has_no_markup_of_a_report)
{
    eb_report *report = eb_report_new("sample");
    eb_report_field(report, EB_NAMED("a", "<a>", EB_PLAIN), eb_text("</td>&\"\x01\xff"));
    eb_table *table = eb_report_table(report, EB_KEY("b"), "<b>");
    eb_table_column(table, EB_NAMED("c", "<c>", EB_PLAIN));
    ROW(table, eb_text("<d>"));
    eb_report_note(report, "warning: <e>");
    eb_report_raw(report, "<f>\n");
    char *text = part_of(report, eb_render_html_part);
    for (char letter = 'a'; letter <= 'f'; letter++) {
        char escaped[16], markup[8];
        (void)snprintf(markup, sizeof markup, "<%c>", letter);
        (void)snprintf(escaped, sizeof escaped, "&lt;%c&gt;", letter);
        assert_null(strstr(text, markup));
        expect_in(text, escaped);
    }
    expect_in(text, "&lt;/td&gt;&amp;&quot;\xEF\xBF\xBD\xEF\xBF\xBD</td>");
    expect_in(text, "<h4>&lt;b&gt;</h4>");
    expect_in(text, "<li class=\"warning\">");
    free(text);
    eb_report_free(report);
}

TEST(html_has_pictures)
{
    eb_report *report = sample();
    char *text = part_of(report, eb_render_html_part);
    size_t figures = 0;
    for (const char *at = text; (at = strstr(at, "<figure>")); at++)
        figures++;
    assert_int_equal(figures, 2);
    assert_null(strstr(text, "<pre")); /* every series of the sample has a figure */
    free(text);
    eb_report_free(report);
}

RUN_TESTS
