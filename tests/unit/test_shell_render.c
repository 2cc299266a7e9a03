/* Reports look right, lose nothing, stay within the page, and are valid JSON and CSV. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "shell/accuracy_report.h"
#include "shell/render.h"
#include "shell/run_report.h"
#include "shell/utf8.h"

#define ROW(table, ...) \
    eb_table_row(table, (eb_value[]){__VA_ARGS__}, sizeof((eb_value[]){__VA_ARGS__}) / sizeof(eb_value))

/* ---- helpers ---- */

static char *rendered(const eb_report *report, eb_render_options options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    eb_status status = {0};
    assert_non_null(out);
    assert_true(eb_report_ok(report));
    if (eb_render(out, report, &options, &status))
        fail_msg("%s", status.message);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_renders(const eb_report *report, eb_render_options options, const char *expected)
{
    char *text = rendered(report, options);
    assert_string_equal(text, expected);
    free(text);
}

static const eb_render_options plain = {.mode = EB_MODE_TEXT, .unicode = true};
static const eb_render_options csv = {.mode = EB_MODE_CSV};
static const eb_render_options markdown = {.mode = EB_MODE_MARKDOWN};
static const eb_render_options json = {.mode = EB_MODE_JSON};

static json_t *parsed(const eb_report *report)
{
    char *text = rendered(report, json);
    char *end = strchr(text, '\n');
    assert_true(end && end[1] == '\0'); /* one document, one line */
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s in %s", error.text, text);
    free(text);
    return document;
}

/* Something of everything. */
static eb_report *sample(void)
{
    eb_report *report = eb_report_new("sample");
    eb_report_field(report, "engine", "engine", EB_PLAIN, eb_text("ref64"));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(1048576));
    eb_report_field(report, "path", "a title with words in it", EB_PLAIN,
                    eb_text("/a/very/long/path/without/any/blank/at/which/it/could/be/broken/points.fvecs"));
    eb_table *table = eb_report_table(report, "targets", "Targets");
    eb_table_column(table, "wanted", "wanted S", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels", EB_SECONDS);
    eb_table_column(table, "name", "日本 name", EB_PLAIN);
    eb_table_column(table, "ok", "ok", EB_PLAIN);
    ROW(table, eb_real(64), eb_real(0.0123), eb_text("日本語 and a text that is wider than the page may well be"),
        eb_bool(true));
    ROW(table, eb_real(128.5), eb_na(), eb_text("b"), eb_bool(false));
    eb_record *record = eb_report_record(report, "accuracy", "Accuracy");
    eb_record_field(record, "overlap", "overlap", EB_PERCENT, eb_real(0.99971));
    double x[64], y[64], low[64], high[64];
    for (size_t k = 0; k < 64; k++) {
        x[k] = pow(1.1, (double)k);
        y[k] = x[k] * x[k];
        low[k] = 0.7 * y[k];
        high[k] = 1.4 * y[k];
    }
    eb_series_axes(eb_report_series(report, "curve", "Curve", EB_LINE, 64, x, y, low, high), "eps", "ε", true,
                   "selectivity", "S", true);
    eb_series_axes(eb_report_series(report, "errors", "Errors", EB_BARS, 64, x, y, NULL, NULL), "error", "error", false,
                   "pairs", "pairs", false);
    eb_report_note(report, "ε is a distance, never its square; this note is long enough to be wrapped at %d columns",
                   80);
    return report;
}

/* ---- values ---- */

static void assert_format(eb_value value, eb_unit unit, const char *expected)
{
    char buffer[64];
    assert_string_equal(eb_format_value(buffer, sizeof buffer, value, unit), expected);
}

static void values_read_well(void **state)
{
    (void)state;
    assert_format(eb_na(), EB_SECONDS, "n/a");
    assert_format(eb_real(NAN), EB_PLAIN, "n/a");
    assert_format((eb_value){.kind = EB_REAL, .as.real = INFINITY}, EB_BYTES, "n/a");
    assert_format(eb_bool(true), EB_PLAIN, "yes");
    assert_format(eb_uint(0), EB_PLAIN, "0");
    assert_format(eb_uint(999), EB_PLAIN, "999");
    assert_format(eb_uint(1048576), EB_PLAIN, "1,048,576");
    assert_format(eb_uint(UINT64_MAX), EB_PLAIN, "18,446,744,073,709,551,615");
    assert_format(eb_int(INT64_MIN), EB_PLAIN, "-9,223,372,036,854,775,808");
    assert_format(eb_int(-1234), EB_IDENTITY, "-1234");
    assert_format(eb_uint(1234567), EB_IDENTITY, "1234567");
    assert_format(eb_real(1455.8605702470275), EB_PLAIN, "1455.86");
    assert_format(eb_real(-5.2e-7), EB_PLAIN, "-5.2e-7");
    assert_format(eb_real(1e300), EB_PLAIN, "1e300");
    assert_format(eb_real(260000), EB_PLAIN, "260,000");
    assert_format(eb_real(0.0123), EB_SECONDS, "12.3 ms");
    assert_format(eb_real(0.9996), EB_SECONDS, "1.00 s"); /* not 1000 ms */
    assert_format(eb_real(1.5e-6), EB_SECONDS, "1.50 µs");
    assert_format(eb_real(0), EB_SECONDS, "0 s");
    assert_format(eb_real(99.97), EB_SECONDS, "100 s");
    assert_format(eb_real(119.7), EB_SECONDS, "2 min 0 s");
    assert_format(eb_real(7265), EB_SECONDS, "2 h 1 min");
    assert_format(eb_uint(1048576), EB_BYTES, "1.00 MiB");
    assert_format(eb_uint(1023), EB_BYTES, "1023 B");
    assert_format(eb_real(1.98e9), EB_HERTZ, "1.98 GHz");
    assert_format(eb_real(0.247), EB_TERAFLOPS, "247 GFLOPS");
    assert_format(eb_real(312.4), EB_TERAFLOPS, "312 TFLOPS");
    assert_format(eb_real(0.99971), EB_PERCENT, "99.971 %");
    assert_format(eb_real(0.9999999), EB_PERCENT, "99.99999 %"); /* not 100 % */
    assert_format(eb_real(1), EB_PERCENT, "100 %");
    assert_format(eb_real(0.0123), EB_PERCENT, "1.23 %");
    assert_format(eb_real(1.234), EB_RATIO, "1.23×");
    assert_format(eb_real(12345.6), EB_RATIO, "12,346×");
    assert_format(eb_real(0.00123), EB_RATIO, "1.23e-3×");
    assert_format(eb_real(0.25), EB_JOULES, "250 mJ");
    assert_format(eb_real(700), EB_WATTS, "700 W");
    assert_format(eb_text("as it is"), EB_SECONDS, "as it is");
}

static void a_small_buffer_is_not_overrun(void **state)
{
    (void)state;
    for (size_t size = 1; size < 30; size++) {
        char buffer[32];
        memset(buffer, 'x', sizeof buffer);
        (void)eb_format_value(buffer, size, eb_uint(UINT64_MAX), EB_PLAIN);
        assert_true(strlen(buffer) < size);
        assert_true(buffer[size] == 'x');
    }
}

/* ---- characters ---- */

static void columns_are_counted(void **state)
{
    (void)state;
    assert_int_equal(eb_utf8_columns("", SIZE_MAX), 0);
    assert_int_equal(eb_utf8_columns("abc", 2), 2);
    assert_int_equal(eb_utf8_columns("ε×µ", SIZE_MAX), 3);
    assert_int_equal(eb_utf8_columns("日本", SIZE_MAX), 4);
    assert_int_equal(eb_utf8_columns("e\xCC\x81", SIZE_MAX), 1); /* a combining accent */
    assert_int_equal(eb_utf8_columns("\xFF\xC3", SIZE_MAX), 2);  /* not UTF-8: one for each byte */
}

static void bad_utf8_is_seen(void **state)
{
    (void)state;
    static const char *const bad[] = {"\x80",         "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
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

static void shown_text_steers_no_terminal(void **state)
{
    (void)state;
    char *shown = eb_utf8_shown("a\x1b[2Jb\nc\xFF\xC2\x9B", false);
    assert_string_equal(shown, "a\xEF\xBF\xBD[2Jb c\xEF\xBF\xBD\xEF\xBF\xBD");
    free(shown);
    shown = eb_utf8_shown("ε ≤ 1.5×, λ 日\x07", true);
    assert_string_equal(shown, "eps <= 1.5x, lambda ??");
    free(shown);
}

static void lines_break_at_blanks(void **state)
{
    (void)state;
    const char *text = "one two  unbreakable x", *at = text;
    assert_int_equal(eb_utf8_line(&at, 7), 7);
    assert_string_equal(at, "unbreakable x");
    assert_int_equal(eb_utf8_line(&at, 7), 7); /* a word that is too long */
    assert_string_equal(at, "able x");
    assert_int_equal(eb_utf8_line(&at, 7), 6);
    assert_string_equal(at, "");
    at = "日本";
    assert_int_equal(eb_utf8_line(&at, 1), 3); /* a character at least, even if it is too wide */
}

/* ---- text ---- */

static void a_table_is_aligned(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_report_field(report, "n", "points", EB_PLAIN, eb_uint(4000));
    eb_report_field(report, "device", "device ε", EB_PLAIN, eb_text("cpu"));
    eb_table *table = eb_report_table(report, "runs", "Runs");
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels", EB_SECONDS);
    ROW(table, eb_text("fasted"), eb_real(0.0123));
    ROW(table, eb_text("日本"), eb_na());
    eb_report_note(report, "a note");
    assert_renders(report, plain,
                   "  points    4,000\n"
                   "  device ε  cpu\n"
                   "\n"
                   "Runs\n"
                   "  engine  kernels\n"
                   "  ───────────────\n"
                   "  fasted  12.3 ms\n"
                   "  日本        n/a\n"
                   "\n"
                   "• a note\n"
                   "\n");
    eb_report_free(report);
}

static void a_turned_table_shows_ratios(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_turn(table);
    eb_table_column(table, "engine", "engine", EB_PLAIN);
    eb_table_column(table, "pairs", "pairs", EB_PLAIN);
    eb_table_column(table, "kernel_s", "kernels", EB_SECONDS);
    eb_table_column(table, "kernel_cov", "CoV", EB_PERCENT);
    eb_table_column(table, "tflops", "rate", EB_TERAFLOPS);
    ROW(table, eb_text("fasted"), eb_uint(260000), eb_real(0.5), eb_real(0.01), eb_na());
    ROW(table, eb_text("ref64"), eb_uint(260000), eb_real(0.25), eb_real(0.02), eb_real(1));
    assert_renders(report, (eb_render_options){.mode = EB_MODE_TEXT},
                   "            fasted        ref64  ratio\n"
                   "  ------------------------------------\n"
                   "  pairs    260,000      260,000  1.00x\n"
                   "  kernels   500 ms       250 ms  2.00x\n"
                   "  CoV          1 %          2 %\n"
                   "  rate         n/a  1.00 TFLOPS\n"
                   "\n");
    assert_renders(report, csv,
                   "engine,pairs,kernel_s,kernel_cov,tflops\r\n"
                   "fasted,260000,0.5,0.01,\r\n"
                   "ref64,260000,0.25,0.02,1\r\n");
    eb_report_free(report);
}

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

/* What is left of a text when blanks and line ends are taken out: wrapping must not lose anything of it. */
static void squash(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    *to = '\0';
}

static void pages_keep_their_width_and_lose_nothing(void **state)
{
    (void)state;
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
            assert_non_null(strstr(text, "/a/very/long/path/without/any/blank/at/which/it/could/be/broken/points.fvecs"));
            free(text);
        }
    for (unsigned width = 1; width < 40; width++) /* too narrow to keep, not to survive */
        free(rendered(report, (eb_render_options){.width = width, .unicode = true, .colour = true}));
    eb_report_free(report);
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    eb_report *report = sample();
    char *text = rendered(report, (eb_render_options){.mode = EB_MODE_TEXT, .width = 80});
    for (const char *c = text; *c; c++)
        assert_true((*c >= ' ' && *c < 0x7F) || *c == '\n');
    free(text);
    eb_report_free(report);
}

static void a_table_too_wide_is_split_and_names_its_rows(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, "t", "");
    eb_table_column(table, "id", "run", EB_IDENTITY);
    eb_table_column(table, "a", "first number", EB_PLAIN);
    eb_table_column(table, "b", "second number", EB_PLAIN);
    ROW(table, eb_uint(7), eb_uint(1), eb_uint(2));
    assert_renders(report, (eb_render_options){.mode = EB_MODE_TEXT, .width = 22},
                   "  run  first number\n"
                   "  -----------------\n"
                   "    7             1\n"
                   "\n"
                   "  run  second number\n"
                   "  ------------------\n"
                   "    7              2\n"
                   "\n");
    eb_report_free(report);
}

static void colour_adds_nothing_but_colour(void **state)
{
    (void)state;
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

static void raw_text_ends_its_line(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("help");
    eb_report_raw(report, "a page\n  of help");
    assert_renders(report, plain, "a page\n  of help\n\n");
    assert_renders(report, markdown, "```text\na page\n  of help\n```\n\n");
    assert_renders(report, csv, "key,value\r\ntext,\"a page\n  of help\"\r\n");
    json_t *document = parsed(report);
    assert_string_equal(json_string_value(json_object_get(json_object_get(document, "data"), "text")),
                        "a page\n  of help");
    json_decref(document);
    eb_report_free(report);
}

/* ---- JSON ---- */

static void json_keeps_order_values_and_unknowns(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("join");
    eb_report_field(report, "zeta", "", EB_PLAIN, eb_int(-1));
    eb_report_field(report, "alpha", "", EB_SECONDS, eb_na());
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "ok", "", EB_PLAIN);
    ROW(table, eb_bool(true));
    ROW(table, eb_bool(false));
    eb_record *record = eb_report_record(report, "rec", "");
    eb_record_field(record, "big", "", EB_PLAIN, eb_uint(UINT64_MAX));
    eb_record_field(record, "most", "", EB_PLAIN, eb_uint(INT64_MAX));
    double x[] = {1, NAN}, y[] = {0.5, 2};
    eb_series *series = eb_report_series(report, "errors", "", EB_BARS, 2, x, y, NULL, NULL);
    eb_series_axes(series, "error", "", false, "pairs", "", false);
    series->over = 3;
    eb_report_note(report, "say \"ε\"");
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"join\",\"ok\":true,\"data\":{\"zeta\":-1,\"alpha\":null,"
                   "\"runs\":[{\"ok\":true},{\"ok\":false}],"
                   "\"rec\":{\"big\":1.8446744073709552e19,\"most\":9223372036854775807},"
                   "\"errors\":{\"error\":[1.0,null],\"pairs\":[0.5,2.0],\"under\":null,\"over\":3.0}},"
                   "\"notes\":[\"say \\\"ε\\\"\"]}\n");
    eb_report_free(report);
}

static void json_reals_come_back_bit_for_bit(void **state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3, 1455.8605702470275, 5e-324, 1.7976931348623157e308, -5.2e-7, 0.573214971092};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        eb_report *report = eb_report_new("x");
        eb_report_field(report, "eps", "", EB_PLAIN, eb_real(values[k]));
        json_t *document = parsed(report);
        assert_true(json_real_value(json_object_get(json_object_get(document, "data"), "eps")) == values[k]);
        json_decref(document);
        char *text = rendered(report, csv);
        assert_true(strtod(strchr(strchr(text, '\n'), ',') + 1, NULL) == values[k]);
        free(text);
        eb_report_free(report);
    }
}

static void json_survives_any_bytes(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    char bytes[256];
    for (size_t k = 0; k < 255; k++)
        bytes[k] = (char)(k + 1);
    bytes[255] = '\0';
    eb_report_field(report, "file", "", EB_PLAIN, eb_text(bytes));
    eb_report_note(report, "%s", bytes);
    json_decref(parsed(report));
    eb_report_free(report);
}

static void the_whole_sample_is_json(void **state)
{
    (void)state;
    eb_report *report = sample();
    json_t *document = parsed(report), *data = json_object_get(document, "data");
    assert_int_equal(json_array_size(json_object_get(data, "targets")), 2);
    assert_int_equal(json_array_size(json_object_get(json_object_get(data, "curve"), "high")), 64);
    assert_null(json_object_get(json_object_get(data, "curve"), "under"));
    assert_int_equal(json_array_size(json_object_get(document, "notes")), 1);
    json_decref(document);
    eb_report_free(report);
}

/* ---- errors ---- */

static void assert_error(const char *message, eb_mode mode, const char *expected_out, const char *expected_err)
{
    char *out_text, *err_text;
    size_t out_size, err_size;
    FILE *out = open_memstream(&out_text, &out_size), *err = open_memstream(&err_text, &err_size);
    eb_status failure;
    (void)eb_fail(&failure, EB_BAD_FORMAT, "%s", message);
    eb_render_error(out, err, "load", &failure, mode);
    (void)fclose(out);
    (void)fclose(err);
    assert_string_equal(out_text, expected_out);
    assert_string_equal(err_text, expected_err);
    free(out_text);
    free(err_text);
}

static void errors_go_where_they_should(void **state)
{
    (void)state;
    assert_error("x.npy: \x1b[2J", EB_MODE_TEXT, "", "epsbench: load: x.npy: \xEF\xBF\xBD[2J\n");
    assert_error("x", EB_MODE_CSV, "", "epsbench: load: x\n");
    assert_error("a \"b\" \xFF", EB_MODE_JSON,
                 "{\"schema\":\"epsbench/1\",\"command\":\"load\",\"ok\":false,"
                 "\"error\":{\"code\":\"bad-format\",\"message\":\"a \\\"b\\\" \xEF\xBF\xBD\"}}\n", "");
}

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    (void)setvbuf(full, NULL, _IONBF, 0);
    eb_report *report = sample();
    eb_status status = {0};
    assert_int_equal(eb_render(full, report, &plain, &status), EB_IO);
    assert_non_null(strstr(status.message, "No space left"));
    (void)fclose(full);
    eb_report_free(report);
}

/* ---- CSV, Markdown ---- */

static void csv_quotes_what_needs_it(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_table *table = eb_report_table(report, "t", "a title");
    eb_table_column(table, "name", "", EB_PLAIN);
    eb_table_column(table, "eps", "", EB_PLAIN);
    ROW(table, eb_text("a,b"), eb_real(0.1));
    ROW(table, eb_text("say \"ε\"\nand more"), eb_na());
    ROW(table, eb_text(""), eb_uint(UINT64_MAX));
    eb_report_note(report, "in the way of a spreadsheet");
    assert_renders(report, csv,
                   "name,eps\r\n\"a,b\",0.1\r\n\"say \"\"ε\"\"\nand more\",\r\n,18446744073709551615\r\n");
    eb_report_free(report);
}

static void csv_has_sections_when_there_is_more(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    double x[] = {1, 2}, y[] = {3, NAN}, high[] = {4, 5};
    eb_report_field(report, "eps", "", EB_PLAIN, eb_real(0.5));
    eb_record *record = eb_report_record(report, "accuracy", "");
    eb_record_field(record, "overlap", "", EB_PERCENT, eb_real(0.25));
    eb_table *table = eb_report_table(report, "runs", "");
    eb_table_column(table, "ok", "", EB_PLAIN);
    ROW(table, eb_bool(true));
    (void)eb_report_series(report, "curve", "", EB_LINE, 2, x, y, NULL, high);
    eb_report_note(report, "a, b");
    assert_renders(report, csv,
                   "key,value\r\neps,0.5\r\naccuracy.overlap,0.25\r\nnote,\"a, b\"\r\n"
                   "\r\nruns\r\nok\r\ntrue\r\n"
                   "\r\ncurve\r\nx,y,high\r\n1,3,4\r\n2,,5\r\n");
    eb_report_free(report);
}

static void markdown_escapes(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    eb_report_field(report, "file", "file", EB_PLAIN, eb_text("a|b*c.csv"));
    eb_table *table = eb_report_table(report, "t", "Table");
    eb_table_column(table, "name", "name", EB_PLAIN);
    eb_table_column(table, "n", "n", EB_PLAIN);
    ROW(table, eb_text("x_y"), eb_uint(1000));
    assert_renders(report, markdown,
                   "| | |\n|---|---|\n| file | a\\|b\\*c.csv |\n"
                   "\n### Table\n\n| name | n |\n|---|---:|\n| x_y | 1,000 |\n\n");
    eb_report_free(report);
}

static void empty_reports_and_tables_are_fine(void **state)
{
    (void)state;
    eb_report *report = eb_report_new("x");
    assert_renders(report, plain, "");
    assert_renders(report, csv, "");
    assert_renders(report, json,
                   "{\"schema\":\"epsbench/1\",\"command\":\"x\",\"ok\":true,\"data\":{},\"notes\":[]}\n");
    eb_table *table = eb_report_table(report, "runs", "");
    assert_renders(report, plain, "  (none)\n\n");
    eb_table_column(table, "run", "run", EB_IDENTITY);
    assert_renders(report, csv, "run\r\n");
    assert_renders(report, markdown, "(none)\n\n");
    eb_report_free(report);
}

/* ---- plots ---- */

static char *drawn(const eb_series *series, unsigned width, unsigned height, bool unicode)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(eb_draw_series(out, series, width, height, unicode, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void bars_are_as_long_as_their_counts(void **state)
{
    (void)state;
    double x[] = {-1.5, -0.5, 0.5, 1.5}, y[] = {0, 40, 20, 1};
    eb_series series = {.shape = EB_BARS, .points = 4, .x = x, .y = y, .x_title = "error", .y_title = "pairs",
                        .under = 0, .over = 2};
    char *text = drawn(&series, 22, 10, false);
    assert_string_equal(text, "  -1.5 |\n"
                              "  -0.5 |########## 40\n"
                              "   0.5 |##### 20\n"
                              "   1.5 |# 1\n"
                              "  error: pairs; 0 below, 2 above\n");
    free(text);
    text = drawn(&series, 22, 2, true); /* two bins a bar */
    assert_string_equal(text, "  -1 │████████████ 40\n"
                              "   1 │██████▎ 21\n"
                              "  error: pairs; 0 below, 2 above\n");
    free(text);
    series.y_log = true;
    text = drawn(&series, 22, 10, false);
    assert_non_null(strstr(text, "  1.5 |## 1\n")); /* log 2 is a fifth of log 41 */
    assert_non_null(strstr(text, "pairs, logarithmic"));
    free(text);
}

static void bins_are_merged_symmetrically(void **state)
{
    (void)state;
    double x[200], y[200];
    for (size_t k = 0; k < 200; k++) {
        x[k] = ((double)k - 99.5) * 1e-6;
        y[k] = 1;
    }
    eb_series series = {.shape = EB_BARS, .points = 200, .x = x, .y = y, .x_title = "", .y_title = "", .under = NAN,
                        .over = NAN};
    char *text = drawn(&series, 80, 25, true);
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 26);
    assert_non_null(strstr(text, "\n        0 │"));
    free(text);
}

static void a_line_rises_from_corner_to_corner(void **state)
{
    (void)state;
    double x[] = {0, 10}, y[] = {0, 10};
    eb_series series = {.shape = EB_LINE, .points = 2, .x = x, .y = y, .x_title = "ε", .y_title = "S"};
    char *text = drawn(&series, 25, 9, false);
    assert_string_equal(text, "  S\n"
                              "  10 +                ***\n"
                              "     |            *****\n"
                              "   5 +       *****\n"
                              "     |  *****\n"
                              "   0 +***\n"
                              "     ++--------+--------+\n"
                              "      0        5       10\n"
                              "               eps\n");
    free(text);
}

/* Whatever the numbers, a plot ends and keeps its frame. */
static void odd_series_are_drawn(void **state)
{
    (void)state;
    double huge[] = {-1e308, 1e308, 0}, nan[] = {NAN, NAN, NAN}, zero[] = {0, 0, 0}, tiny[] = {5e-324, 1e-300, 1e300};
    double *all[] = {huge, nan, zero, tiny};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (unsigned variant = 0; variant < 16; variant++) {
                eb_series series = {.shape = variant & 1 ? EB_BARS : EB_LINE, .points = variant & 8 ? 1 : 3,
                                    .x_title = "x", .y_title = "y", .x_log = (variant & 2) != 0,
                                    .y_log = (variant & 4) != 0, .x = all[i], .y = all[j], .low = zero, .high = huge,
                                    .under = NAN, .over = NAN};
                char *text = drawn(&series, 60, 12, true);
                if (widest_line(text) > 60 && series.shape == EB_LINE)
                    fail_msg("a plot of 60 columns has %zu:\n%s", widest_line(text), text);
                free(text);
                free(drawn(&series, 0, 0, false));
            }
    eb_series none = {.points = 0, .x_title = "", .y_title = ""};
    char *text = drawn(&none, 80, 10, true);
    assert_string_equal(text, "  (no points)\n");
    free(text);
}

/* ---- histograms of a comparison ---- */

static void bins_divide_the_fine_ones(void **state)
{
    (void)state;
    assert_int_equal(eb_possible_bins(200), 200);
    assert_int_equal(eb_possible_bins(10), 10);
    assert_int_equal(eb_possible_bins(100000), EB_FINE_BINS);
    for (size_t bins = 1; bins < 3000; bins++)
        assert_int_equal(EB_FINE_BINS % eb_possible_bins(bins), 0);
    assert_int_equal(EB_FINE_BINS % EB_SHOWN_BINS, 0);
}

static void coarse_bins_keep_every_pair(void **state)
{
    (void)state;
    uint64_t count[12];
    for (size_t k = 0; k < 12; k++)
        count[k] = 1u << k;
    eb_histogram fine = {.bins = 12, .low = -3, .high = 3, .count = count, .under = 5, .over = 6}, coarse;
    assert_int_equal(eb_histogram_coarsen(&fine, 4, &coarse, NULL), EB_OK);
    assert_int_equal(coarse.bins, 4);
    assert_int_equal(coarse.count[0], 1 + 2 + 4);
    assert_int_equal(coarse.count[3], 512 + 1024 + 2048);
    assert_int_equal(coarse.under + coarse.over, 11);
    free(coarse.count);
    assert_int_equal(eb_histogram_coarsen(&fine, 5, &coarse, NULL), EB_INTERNAL);
}

/* ---- what reports say of a run ---- */

static double half_the_work(size_t n, size_t d, const eb_engine_options *options)
{
    (void)options;
    return (double)n * (double)n * (double)d;
}

static const eb_engine engine = {.name = "half", .executed_flops = half_the_work};

static json_t *data_of_run(const eb_run *run)
{
    eb_report *report = eb_report_new("join");
    eb_report_run(report, run);
    json_t *document = parsed(report), *data = json_incref(json_object_get(document, "data"));
    json_decref(document);
    eb_report_free(report);
    return data;
}

static double real_in(const json_t *data, const char *key) { return json_real_value(json_object_get(data, key)); }

static void a_run_is_summarised(void **state)
{
    (void)state;
    eb_timing trials[3];
    for (size_t k = 0; k < 3; k++) {
        trials[k] = eb_timing_none();
        trials[k].kernel_s = (double[]){0.5, 0.25, 1.0}[k];
        trials[k].total_s = 2 * trials[k].kernel_s;
    }
    uint64_t offsets[] = {0, 2, 4, 6, 8};
    eb_neighbours table = {.n = 4, .rows = 4, .offsets = offsets};
    eb_run run = {.engine = &engine, .eps = 1, .mode = EB_RUN_TABLE, .state = EB_RUN_PARTIAL, .n = 1000000, .d = 1000,
                  .pairs = 3000000, .trials_wanted = 5, .trials_done = 3, .trials = trials, .table = &table,
                  .batches = 1};
    json_t *data = data_of_run(&run);
    assert_true(real_in(data, "kernel_s") == 0.5);
    assert_true(real_in(data, "kernel_min_s") == 0.25);
    assert_true(real_in(data, "total_s") == 1.0);
    assert_true(real_in(data, "selectivity") == 2.0);
    assert_true(fabs(real_in(data, "tflops_derived") - 4000) < 1e-9);
    assert_true(fabs(real_in(data, "tflops_executed") - 2000) < 1e-9);
    assert_int_equal(json_integer_value(json_object_get(data, "stored")), 8);
    assert_int_equal(json_integer_value(json_object_get(data, "trials")), 3);
    assert_string_equal(json_string_value(json_object_get(data, "state")), "partial");
    const json_t *timing = json_object_get(data, "timing");
    assert_int_equal(json_array_size(timing), 2); /* kernels and all else; no upload, so no row for it */
    assert_true(real_in(json_array_get(timing, 0), "share") == 0.5);
    json_decref(data);
}

/* A GPU's run: half of the work is executed, in half a second; the limits are of the device. */
static eb_run a_gpu_run(const eb_engine *of, eb_timing trials[3])
{
    for (size_t k = 0; k < 3; k++) {
        trials[k] = eb_timing_none();
        trials[k].kernel_s = 0.5;
        trials[k].total_s = 1;
        trials[k].energy_j = (double[]){30, 10, 20}[k];
        trials[k].sm_clock_hz = (double[]){1.5e9, 1.4e9, 1.6e9}[k];
    }
    trials[1].throttle = 0x4;
    trials[2].throttle = 0x40;
    return (eb_run){.engine = of, .device = {.kind = EB_DEVICE_CUDA, .name = "cuda:0", .limits = {.tensor_f16_flops = 8e15}},
                    .eps = 1, .state = EB_RUN_DONE, .n = 1000000, .d = 1000, .pairs = 3000000, .trials_wanted = 3,
                    .trials_done = 3, .trials = trials};
}

static void a_gpu_run_tells_its_limit_energy_and_clock(void **state)
{
    (void)state;
    eb_timing trials[3];
    const eb_engine on_f16 = {.name = "f16", .executed_flops = half_the_work, .limit = EB_LIMIT_TENSOR_F16};
    const eb_engine on_f64 = {.name = "f64", .executed_flops = half_the_work, .limit = EB_LIMIT_F64};
    eb_run run = a_gpu_run(&on_f16, trials);
    json_t *data = data_of_run(&run);
    assert_true(fabs(real_in(data, "limit_share") - 0.25) < 1e-12); /* 2000 of 8000 TFLOPS */
    assert_true(real_in(data, "energy_j") == 20);
    assert_true(real_in(data, "sm_clock_hz") == 1.5e9);
    assert_string_equal(json_string_value(json_object_get(data, "throttle")), "power cap, thermal slowdown by hardware");
    json_decref(data);

    run = a_gpu_run(&on_f64, trials); /* a limit that nobody measured */
    data = data_of_run(&run);
    assert_non_null(json_object_get(data, "limit_share"));
    assert_true(json_is_null(json_object_get(data, "limit_share")));
    json_decref(data);
}

static size_t limit_notes(double limit)
{
    eb_timing trials[3];
    const eb_engine on_f16 = {.name = "f16", .executed_flops = half_the_work, .limit = EB_LIMIT_TENSOR_F16};
    eb_run run = a_gpu_run(&on_f16, trials);
    run.device.limits.tensor_f16_flops = limit;
    eb_report *report = eb_report_new("join");
    eb_report_run(report, &run);
    size_t notes = report->notes;
    if (notes > 0)
        assert_non_null(strstr(report->note[0], "above the device's measured limit"));
    eb_report_free(report);
    return notes;
}

static void a_rate_above_its_limit_is_not_believed(void **state)
{
    (void)state;
    assert_int_equal(limit_notes(1.9e15), 1); /* 2000 TFLOPS are executed */
    assert_int_equal(limit_notes(2.1e15), 0);
    assert_int_equal(limit_notes(0), 0);
}

static void runs_side_by_side_leave_out_what_no_device_tells(void **state)
{
    (void)state;
    eb_timing trials[3];
    const eb_engine on_f16 = {.name = "f16", .executed_flops = half_the_work, .limit = EB_LIMIT_TENSOR_F16};
    eb_run gpu = a_gpu_run(&on_f16, trials), cpu = {.engine = &engine, .device = {.name = "cpu"}, .n = 10, .d = 2};
    const eb_run *both[] = {&gpu, &cpu};
    static const char *const of_gpu[] = {"limit_share", "energy_j", "sm_clock_hz", "throttle"};
    for (size_t first = 0; first < 2; first++) {
        eb_report *report = eb_report_new("compare");
        eb_report_runs(report, "Side by side", both + first, 2 - first);
        json_t *document = parsed(report);
        const json_t *runs = json_object_get(json_object_get(document, "data"), "runs");
        assert_int_equal(json_array_size(runs), 2 - first);
        for (size_t k = 0; k < sizeof of_gpu / sizeof of_gpu[0]; k++) {
            const json_t *last = json_object_get(json_array_get(runs, 1 - first), of_gpu[k]);
            assert_true(first == 0 ? json_is_null(last) : last == NULL);
        }
        json_decref(document);
        eb_report_free(report);
    }
}

static void what_a_run_does_not_know_is_null(void **state)
{
    (void)state;
    const eb_engine silent = {.name = "silent"};
    eb_run run = {.engine = &silent, .eps = 1, .mode = EB_RUN_COUNT, .state = EB_RUN_FAILED, .n = 10, .d = 2};
    json_t *data = data_of_run(&run);
    static const char *const unknown[] = {"pairs", "selectivity", "stored", "kernel_s", "kernel_cov", "total_s",
                                          "tflops_derived", "tflops_executed"};
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++)
        assert_true(json_is_null(json_object_get(data, unknown[k])));
    assert_null(json_object_get(data, "timing"));
    json_decref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_read_well),
        cmocka_unit_test(a_small_buffer_is_not_overrun),
        cmocka_unit_test(columns_are_counted),
        cmocka_unit_test(bad_utf8_is_seen),
        cmocka_unit_test(shown_text_steers_no_terminal),
        cmocka_unit_test(lines_break_at_blanks),
        cmocka_unit_test(a_table_is_aligned),
        cmocka_unit_test(a_turned_table_shows_ratios),
        cmocka_unit_test(pages_keep_their_width_and_lose_nothing),
        cmocka_unit_test(ascii_is_ascii),
        cmocka_unit_test(a_table_too_wide_is_split_and_names_its_rows),
        cmocka_unit_test(colour_adds_nothing_but_colour),
        cmocka_unit_test(raw_text_ends_its_line),
        cmocka_unit_test(json_keeps_order_values_and_unknowns),
        cmocka_unit_test(json_reals_come_back_bit_for_bit),
        cmocka_unit_test(json_survives_any_bytes),
        cmocka_unit_test(the_whole_sample_is_json),
        cmocka_unit_test(errors_go_where_they_should),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(csv_quotes_what_needs_it),
        cmocka_unit_test(csv_has_sections_when_there_is_more),
        cmocka_unit_test(markdown_escapes),
        cmocka_unit_test(empty_reports_and_tables_are_fine),
        cmocka_unit_test(bars_are_as_long_as_their_counts),
        cmocka_unit_test(bins_are_merged_symmetrically),
        cmocka_unit_test(a_line_rises_from_corner_to_corner),
        cmocka_unit_test(odd_series_are_drawn),
        cmocka_unit_test(bins_divide_the_fine_ones),
        cmocka_unit_test(coarse_bins_keep_every_pair),
        cmocka_unit_test(a_run_is_summarised),
        cmocka_unit_test(a_gpu_run_tells_its_limit_energy_and_clock),
        cmocka_unit_test(a_rate_above_its_limit_is_not_believed),
        cmocka_unit_test(runs_side_by_side_leave_out_what_no_device_tells),
        cmocka_unit_test(what_a_run_does_not_know_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
