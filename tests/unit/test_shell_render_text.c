/* Reports as text: layout, completeness and page width; plots keep their frame. */
#include "draw/format.h"
#include "draw/utf8.h"
#include "tests/unit/cases.h"
#include "tests/unit/named.h"
#include "tests/unit/render_reports.h"

/* ---- values ---- */

TEST(a_small_buffer_is_not_overrun)
{
    for (size_t size = 1; size < 30; size++) {
        char buffer[32];
        memset(buffer, 'x', sizeof buffer);
        (void)eb_format_value(buffer, size, eb_uint(UINT64_MAX), EB_PLAIN);
        assert_true(strlen(buffer) < size);
        assert_true(buffer[size] == 'x');
    }
}

/* ---- characters ---- */

TEST(columns_are_counted)
{
    assert_int_equal(eb_utf8_columns("", SIZE_MAX), 0);
    assert_int_equal(eb_utf8_columns("abc", 2), 2);
    assert_int_equal(eb_utf8_columns("ε×µ", SIZE_MAX), 3);
    assert_int_equal(eb_utf8_columns("日本", SIZE_MAX), 4);
    assert_int_equal(eb_utf8_columns("e\xCC\x81", SIZE_MAX), 1); /* a combining accent */
    assert_int_equal(eb_utf8_columns("\xFF\xC3", SIZE_MAX), 2);  /* not UTF-8: one column a byte */
}

TEST(bad_utf8_is_seen)
{
    static const char *const bad[] = {"\x80",     "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xE2\x82", "\xF8"};
    size_t length;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(eb_utf8_next(bad[k], &length), 0xFFFD);
        assert_int_equal(length, 1);
    }
    assert_int_equal(eb_utf8_next("\xF0\x9F\x98\x80", &length), 0x1F600);
    assert_int_equal(length, 4);
    assert_int_equal(eb_utf8_next("", &length), 0);
    assert_int_equal(length, 0);
}

TEST(shown_text_steers_no_terminal)
{
    char *shown = eb_utf8_shown("a\x1b[2Jb\nc\xFF\xC2\x9B", false);
    assert_string_equal(shown, "a\xEF\xBF\xBD[2Jb c\xEF\xBF\xBD\xEF\xBF\xBD");
    free(shown);
    shown = eb_utf8_shown("ε ≤ 1.5×, λ 日\x07", true);
    assert_string_equal(shown, "eps <= 1.5x, lambda ??");
    free(shown);
}

TEST(lines_break_at_blanks)
{
    const char *text = "one two  unbreakable x", *at = text;
    assert_int_equal(eb_utf8_line(&at, 7), 7);
    assert_string_equal(at, "unbreakable x");
    assert_int_equal(eb_utf8_line(&at, 7), 7); /* a word longer than the line */
    assert_string_equal(at, "able x");
    assert_int_equal(eb_utf8_line(&at, 7), 6);
    assert_string_equal(at, "");
    at = "日本";
    assert_int_equal(eb_utf8_line(&at, 1), 3); /* at least one character, even if too wide */
}

/* ---- text ---- */

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), columns = eb_utf8_columns(text, length);
        widest = columns > widest ? columns : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

/* Removes blanks and line ends, to check that wrapping lost nothing else. */
static void squash(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    *to = '\0';
}

TEST(pages_keep_their_width_and_lose_nothing)
{
    eb_report *report = sample();
    for (unsigned width = 40; width <= 200; width++)
        for (int unicode = 0; unicode < 2; unicode++) {
            char *text =
                rendered(report, (eb_render_options){.mode = EB_MODE_TEXT, .width = width, .unicode = unicode != 0});
            if (widest_line(text) > width)
                fail_msg("%zu columns at a width of %u:\n%s", widest_line(text), width, text);
            squash(text);
            assert_non_null(strstr(text, "12.3ms"));
            assert_non_null(strstr(text, "99.971%"));
            assert_non_null(strstr(text, unicode ? "•εisadistance,never" : "*epsisadistance,never"));
            assert_non_null(strstr(text, "itssquare;thisnoteislongenoughtobewrappedat80columns"));
            assert_non_null(
                strstr(text, "/a/very/long/path/without/any/blank/at/which/it/could/be/broken/points.fvecs"));
            free(text);
        }
    for (unsigned width = 1; width < 40; width++) /* too narrow to look right; must not crash */
        free(rendered(report, (eb_render_options){.width = width, .unicode = true, .colour = true}));
    eb_report_free(report);
}

TEST(ascii_is_ascii)
{
    eb_report *report = sample();
    char *text = rendered(report, (eb_render_options){.mode = EB_MODE_TEXT, .width = 80});
    for (const char *c = text; *c; c++)
        assert_true((*c >= ' ' && *c < 0x7F) || *c == '\n');
    free(text);
    eb_report_free(report);
}

TEST(colour_adds_nothing_but_colour)
{
    eb_report *report = sample();
    char *without = rendered(report, (eb_render_options){.mode = EB_MODE_TEXT, .width = 80, .unicode = true});
    char *with = rendered(report, (eb_render_options){.width = 80, .unicode = true, .colour = true});
    char *to = with;
    for (const char *c = with; *c; c++) {
        if (*c == '\x1b')
            c += strcspn(c, "m");
        else
            *to++ = *c;
    }
    assert_true(strlen(with) > strlen(without));
    *to = '\0';
    assert_string_equal(with, without);
    free(with);
    free(without);
    eb_report_free(report);
}

/* ---- plots ---- */

static char *drawn(const eb_series *series, unsigned width, unsigned height, eb_font font)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(eb_put_series(out, series, width, height, font, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

TEST(bars_are_as_long_as_their_counts)
{
    double x[] = {-1.5, -0.5, 0.5, 1.5}, y[] = {0, 40, 20, 1};
    eb_series series =
        {.shape = EB_BARS, .points = 4, .x = x, .y = y, .x_title = "error", .y_title = "pairs", .under = 0, .over = 2};
    char *text = drawn(&series, 22, 10, EB_FONT_ASCII);
    assert_string_equal(text, case_text("drawn", "bars are as long as their counts"));
    free(text);
    text = drawn(&series, 22, 2, EB_FONT_UNICODE); /* two bins per bar */
    assert_string_equal(text, case_text("drawn", "bars are as long as their counts 2"));
    free(text);
    text = drawn(&series, 22, 2, EB_FONT_CONSOLE); /* half a column of resolution */
    assert_string_equal(text, case_text("drawn", "bars are as long as their counts 3"));
    free(text);
    series.y_log = true;
    text = drawn(&series, 22, 10, EB_FONT_ASCII);
    assert_non_null(strstr(text, "  1.5 |## 1\n")); /* log 2 is a fifth of log 41 */
    assert_non_null(strstr(text, "pairs, logarithmic"));
    free(text);
}

TEST(bins_are_merged_symmetrically)
{
    double x[200], y[200];
    for (size_t k = 0; k < 200; k++) {
        x[k] = ((double)k - 99.5) * 1e-6;
        y[k] = 1;
    }
    eb_series series =
        {.shape = EB_BARS, .points = 200, .x = x, .y = y, .x_title = "", .y_title = "", .under = NAN, .over = NAN};
    char *text = drawn(&series, 80, 25, EB_FONT_UNICODE);
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 26);
    assert_non_null(strstr(text, "\n        0 │"));
    free(text);
}

TEST(a_line_rises_from_corner_to_corner)
{
    double x[] = {0, 10}, y[] = {0, 10};
    eb_series series = {.shape = EB_LINE, .points = 2, .x = x, .y = y, .x_title = "ε", .y_title = "S"};
    char *text = drawn(&series, 25, 9, EB_FONT_ASCII);
    assert_string_equal(text, case_text("drawn", "a line rises from corner to corner"));
    free(text);
}

TEST(points_are_not_joined)
{
    double x[] = {10, 0, 5}, y[] = {10, 0, 10};
    eb_series series = {.shape = EB_POINTS, .points = 3, .x = x, .y = y, .x_title = "first", .y_title = "second"};
    char *text = drawn(&series, 25, 9, EB_FONT_ASCII);
    assert_string_equal(text, case_text("drawn", "points are not joined"));
    free(text);
    text = drawn(&series, 25, 9, EB_FONT_UNICODE);
    assert_non_null(strstr(text, "  10 ┤         ⠁        ⠁\n"));
    assert_non_null(strstr(text, "   0 ┤⡀\n"));
    free(text);
    text = drawn(&series, 25, 9, EB_FONT_CONSOLE);
    assert_non_null(strstr(text, "  10 ┤         ▀        ▀\n"));
    assert_non_null(strstr(text, "   0 ┤▄\n"));
    free(text);
}

/* Any numbers give a plot with its frame. */
TEST(odd_series_are_drawn)
{
    double huge[] = {-1e308, 1e308, 0}, nan[] = {NAN, NAN, NAN}, zero[] = {0, 0, 0}, tiny[] = {5e-324, 1e-300, 1e300};
    double *all[] = {huge, nan, zero, tiny};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (unsigned variant = 0; variant < 48; variant++) {
                eb_series series = {.shape = (eb_series_shape)(variant % 3),
                                    .points = variant & 8 ? 1 : 3,
                                    .x_title = "x",
                                    .y_title = "y",
                                    .x_log = (variant & 2) != 0,
                                    .y_log = (variant & 4) != 0,
                                    .x = all[i],
                                    .y = all[j],
                                    .low = zero,
                                    .high = huge,
                                    .under = NAN,
                                    .over = NAN};
                char *text = drawn(&series, 60, 12, EB_FONT_UNICODE);
                if (widest_line(text) > 60 && series.shape != EB_BARS)
                    fail_msg("a plot of 60 columns has %zu:\n%s", widest_line(text), text);
                free(text);
                free(drawn(&series, 0, 0, EB_FONT_ASCII));
            }
    eb_series none = {.points = 0, .x_title = "", .y_title = ""};
    char *text = drawn(&none, 80, 10, EB_FONT_UNICODE);
    assert_string_equal(text, "  (no points)\n");
    free(text);
}

RUN_TESTS
