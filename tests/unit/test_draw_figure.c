/* Figures for papers: axes, legends, captions, and documents that are valid XML whatever a report holds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "draw/figure/figure.h"
#include "tests/unit/test.h"

/* The SVG of a report's picture; on the heap. */
static char *svg_of(const eb_report *report, size_t picture)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_figure_svg(report, picture, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void add_curve(eb_report *report)
{
    const double x[] = {0.5, 1, 2, 5}, y[] = {1, 20, 3000, 1e6}, low[] = {0.5, 15, 2500, 9e5},
                 high[] = {2, 25, 3500, 2e6};
    eb_series *s = eb_report_series(report, EB_F(curve), "Sampled S(ε)", EB_LINE, 4, x, y, low, high);
    eb_series_axes(s, EB_F(eps), true, EB_F(selectivity_sampled), true);
}

static bool has(const char *svg, const char *text) { return strstr(svg, text) != NULL; }

TEST(a_curve_has_axes_a_band_and_a_caption)
{
    eb_report *report = eb_report_new("curve");
    EB_FIELDS(report, {EB_F(n), eb_uint(4000)}, {EB_F(engine), eb_text("exact")}, {EB_F(device), eb_text("cpu")});
    eb_report_dataset(report, "demo <&>");
    add_curve(report);
    assert_int_equal(eb_figure_count(report), 1);
    assert_string_equal(eb_figure_name(report, 0), "curve");
    char *svg = svg_of(report, 0);
    assert_true(has(svg, ">Sampled S(&#x3B5;)</text>"));
    assert_true(has(svg, ">10&#x2076;</text>")); /* a tick */
    assert_true(has(svg, ">selectivity S</text>"));
    assert_true(has(svg, ">95 % interval</text>")); /* in the legend, not in the axis' title */
    assert_true(has(svg, "demo &#x3C;&#x26;&#x3E;, n = 4,000, exact on cpu</text>"));
    assert_false(has(svg, "nan"));
    free(svg);
    eb_report_free(report);
}

RUN_TESTS
