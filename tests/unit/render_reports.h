/* render_reports: a report with every kind of content, and helpers for the renderers' tests. Header-only. */
#pragma once

#include <math.h>

#include <jansson.h>

#include "shell/render/render.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

#define ROW(table, ...)                                                                                                \
    eb_table_row(table, (eb_value[]){__VA_ARGS__}, sizeof((eb_value[]){__VA_ARGS__}) / sizeof(eb_value))

static inline char *rendered(const eb_report *report, eb_render_options options)
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

static inline void assert_renders(const eb_report *report, eb_render_options options, const char *expected)
{
    char *text = rendered(report, options);
    assert_string_equal(text, expected);
    free(text);
}

static const eb_render_options plain __attribute__((unused)) = {.mode = EB_MODE_TEXT, .unicode = true};
static const eb_render_options csv __attribute__((unused)) = {.mode = EB_MODE_CSV};
static const eb_render_options markdown __attribute__((unused)) = {.mode = EB_MODE_MARKDOWN};
static const eb_render_options json __attribute__((unused)) = {.mode = EB_MODE_JSON};

static inline json_t *parsed(const eb_report *report)
{
    char *text = rendered(report, json);
    assert_int_equal(strcspn(text, "\n") + 1, strlen(text)); /* one document, one line */
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s in %s", error.text, text);
    free(text);
    return document;
}

/* A report with every kind of content. */
static inline eb_report *sample(void)
{
    eb_report *report = eb_report_new("sample");
    eb_report_field(report, EB_NAMED("engine", "engine", EB_PLAIN), eb_text("ref64"));
    eb_report_field(report, EB_NAMED("n", "points n", EB_PLAIN), eb_uint(1048576));
    eb_report_field(report, EB_NAMED("path", "a title with words in it", EB_PLAIN),
                    eb_text("/a/very/long/path/without/any/blank/at/which/it/could/be/broken/points.fvecs"));
    eb_table *table = eb_report_table(report, EB_KEY("targets"), "Targets");
    eb_table_column(table, EB_NAMED("wanted", "wanted S", EB_PLAIN));
    eb_table_column(table, EB_NAMED("kernel_s", "kernels", EB_SECONDS));
    eb_table_column(table, EB_NAMED("name", "日本 name", EB_PLAIN));
    eb_table_column(table, EB_NAMED("ok", "ok", EB_PLAIN));
    ROW(table, eb_real(64), eb_real(0.0123), eb_text("日本語 and a text that is wider than the page may well be"),
        eb_bool(true));
    ROW(table, eb_real(128.5), eb_na(), eb_text("b"), eb_bool(false));
    eb_record *record = eb_report_record(report, EB_KEY("accuracy"), "Accuracy");
    eb_record_field(record, EB_NAMED("overlap", "overlap", EB_PERCENT), eb_real(0.99971));
    double x[64], y[64], low[64], high[64];
    for (size_t k = 0; k < 64; k++) {
        x[k] = pow(1.1, (double)k);
        y[k] = x[k] * x[k];
        low[k] = 0.7 * y[k];
        high[k] = 1.4 * y[k];
    }
    eb_series_axes(eb_report_series(report, EB_KEY("curve"), "Curve", EB_LINE, 64, x, y, low, high),
                   EB_NAMED("eps", "ε", EB_PLAIN), true, EB_NAMED("selectivity", "S", EB_PLAIN), true);
    eb_series_axes(eb_report_series(report, EB_KEY("errors"), "Errors", EB_BARS, 64, x, y, NULL, NULL),
                   EB_NAMED("error", "error", EB_PLAIN), false, EB_NAMED("pairs", "pairs", EB_PLAIN), false);
    eb_report_note(report, "ε is a distance, never its square; this note is long enough to be wrapped at %d columns",
                   80);
    return report;
}
