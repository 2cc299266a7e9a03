/* Figures for papers: axes, legends, captions, and documents that are valid XML whatever a report holds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "draw/figure/axes.h"
#include "draw/figure/figure.h"
#include "draw/plots/roofline.h"
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

/* ---- lines ---- */

TEST(letters_have_names_limits_and_a_gap)
{
    eb_report *report = eb_report_new("grid");
    eb_series *s = eb_report_dots(report, EB_F(curves), "Rates: a fast, A limit", EB_LINE);
    eb_series_axes(s, EB_F(d), true, EB_F(tflops_executed), true);
    for (int k = 0; k < 6; k++)
        eb_series_add(s, exp2(k), k == 3 ? NAN : 0.001 * k + 0.001, 0, 'a');
    eb_series_add(s, 1, 0.5, 0, 'A');
    eb_series_add(s, 32, 0.5, 0, 'A');
    eb_series_name(s, 'a', "fasted[paper]");
    char *svg = svg_of(report, EB_ALL_PICTURES);
    assert_true(has(svg, ">Rates</text>")); /* the legend names the lines */
    assert_true(has(svg, ">fasted[paper]</text>"));
    assert_true(has(svg, ">A</text>")); /* a letter without a name */
    assert_true(has(svg, ">executed rate (GFLOPS)</text>"));
    assert_true(has(svg, "stroke-dasharray"));
    assert_false(has(svg, "nan"));
    free(svg);
    eb_report_free(report);
}

TEST(a_curve_names_the_targets_that_its_report_tells)
{
    eb_report *report = eb_report_new("tune");
    add_curve(report);
    eb_table *t = EB_TABLE(report, EB_F(targets), "", EB_F(wanted), EB_F(eps), EB_F(selectivity_brief));
    EB_ROW(t, eb_real(20), eb_real(1), eb_real(20));
    EB_ROW(t, eb_real(64), eb_na(), eb_na()); /* not found: nothing is drawn */
    char *svg = svg_of(report, 0);
    assert_true(has(svg, ">S = 20</text>"));
    assert_false(has(svg, "S = 64"));
    free(svg);
    eb_report_free(report);
}

/* Each name stands in the legend and beside its point, also of points that share a place; a letter of several points is
 * in the legend alone. */
TEST(points_with_letters_of_their_own_have_names)
{
    static const char *const names[] = {"INT8 by point", "INT8 one step", "BF16", "FP16", "several"};
    eb_report *report = eb_report_new("precision");
    eb_series *s = eb_report_dots(report, EB_F(pareto), "Share lost", EB_POINTS);
    eb_series_axes(s, EB_F(point_bytes), true, EB_F(lost_share), true);
    eb_series_add(s, 1, 0.003, 0, 'a');
    eb_series_add(s, 1, 0.0029, 0, 'b');
    eb_series_add(s, 2, 1e-5, 0, 'c');
    eb_series_add(s, 2, 1e-5, 0, 'd');
    eb_series_add(s, 1.5, 1e-4, 0, 'e');
    eb_series_add(s, 1.6, 1e-4, 0, 'e');
    for (int k = 0; k < 5; k++)
        eb_series_name(s, (char)('a' + k), names[k]);
    char *svg = svg_of(report, 0);
    for (int k = 0; k < 5; k++) {
        char text[64];
        (void)snprintf(text, sizeof text, ">%s</text>", names[k]);
        const char *first = strstr(svg, text);
        assert_non_null(first);
        if ((strstr(first + 1, text) != NULL) != (k < 4))
            fail_msg("%s", names[k]);
    }
    free(svg);
    eb_report_free(report);
}

/* A model's point is a ring without a name of its own, joined to the point that it is about. */
TEST(a_models_points_are_rings)
{
    eb_report *report = eb_report_new("precision");
    eb_series *s = eb_report_dots(report, EB_F(pareto), "Share lost", EB_POINTS);
    eb_series_axes(s, EB_F(tflops_derived), true, EB_F(lost_share), true);
    eb_series_add(s, 300, 0.003, 0, 'a');
    eb_series_add(s, 400, 0.002, 0, 'A');
    eb_series_add(s, 500, 0.3, 0, 'B');
    eb_series_name(s, 'a', "INT8");
    eb_series_name(s, 'b', "FP8");
    eb_series_modelled(s);
    char *svg = svg_of(report, 0);
    assert_true(has(svg, ">by the model</text>"));
    assert_true(has(svg, ">FP8</text>"));
    const char *first = strstr(svg, ">INT8</text>"), *second = first ? strstr(first + 1, ">INT8</text>") : NULL;
    assert_non_null(second); /* in the legend and beside its point */
    assert_null(strstr(second + 1, ">INT8</text>"));
    free(svg);
    eb_report_free(report);
}

/* ---- other shapes ---- */

TEST(a_map_has_numbers_marks_and_a_bar_of_colours)
{
    eb_report *report = eb_report_new("grid");
    eb_series *s = eb_report_dots(report, EB_F(walk), "Rates", EB_HEAT);
    eb_series_axes(s, EB_F(n), true, EB_F(d), true);
    eb_series_heat(s, EB_F(tflops_derived));
    eb_series_add(s, 1000, 64, 0.0123, 'm');
    eb_series_add(s, 1e6, 64, NAN, '>');
    char *svg = svg_of(report, 0);
    assert_true(has(svg, ">12.3</text>"));
    assert_true(has(svg, ">derived rate (GFLOPS)   0</text>"));
    assert_true(has(svg, ">1M</text>"));
    assert_true(has(svg, ">&#x3E; too long</text>"));
    free(svg);
    eb_report_free(report);
}

TEST(a_histogram_counts_what_lies_outside)
{
    const double x[] = {-1, 0, 1}, y[] = {3, 2500000, NAN};
    eb_report *report = eb_report_new("hist");
    eb_series *s = eb_report_series(report, EB_F(errors), "Errors", EB_BARS, 3, x, y, NULL, NULL);
    eb_series_axes(s, EB_F(error), false, EB_F(pairs), false);
    s->under = 0;
    s->over = 12;
    char *svg = svg_of(report, 0);
    assert_true(has(svg, "Not drawn: 0 to the left, 12 to the right."));
    assert_true(has(svg, "(&#xD7;10&#x2076;)</text>")); /* millions share a power of ten */
    free(svg);
    eb_report_free(report);
}

TEST(bars_show_the_parts_of_each_engines_time)
{
    eb_report *report = eb_report_new("compare");
    eb_table *t = EB_TABLE(report, EB_F(split), "Time", EB_F(engine), EB_F(kernel_median_s), EB_F(other_s));
    EB_ROW(t, eb_text("fasted"), eb_real(0.002), eb_na());
    EB_ROW(t, eb_text("ref64"), eb_real(0.004), eb_real(0.001));
    EB_ROW(t, eb_text("an engine with εεε options, more than half a column has room for"), eb_real(0.001), eb_na());
    char *svg = svg_of(report, 0);
    assert_true(has(svg, ">time (ms)</text>"));
    assert_true(has(svg, ">5.00 ms</text>"));
    assert_true(has(svg, ">all else</text>"));
    assert_true(has(svg, "&#x2026;</text>")); /* the name is cut */
    free(svg);
    eb_report_free(report);
}

TEST(no_values_and_equal_values_give_whole_documents)
{
    const double nothing[] = {NAN, NAN}, same[] = {3, 3}, zero[] = {0, -1};
    const double *const values[] = {nothing, same, zero};
    for (size_t k = 0; k < 3; k++)
        for (eb_series_shape shape = EB_LINE; shape <= EB_POINTS; shape++)
            for (int log = 0; log < 2; log++) {
                eb_report *report = eb_report_new("curve");
                eb_series *s = eb_report_series(report, EB_F(curve), "", shape, 2, values[k], values[k], NULL, NULL);
                eb_series_axes(s, EB_F(eps), log, EB_F(selectivity), log);
                char *svg = svg_of(report, 0);
                assert_true(has(svg, "</svg>"));
                assert_false(has(svg, "nan") || has(svg, "inf"));
                free(svg);
                eb_report_free(report);
            }
}

/* ---- the roofline ---- */

typedef struct known_reports {
    eb_report *devices, *compare;
} known_reports;

static const eb_report *find_known(const void *context, const char *command)
{
    const known_reports *known = context;
    return strcmp(command, "devices") == 0 ? known->devices : strcmp(command, "compare") == 0 ? known->compare : NULL;
}

static known_reports make_known(void)
{
    known_reports known = {eb_report_new("devices"), eb_report_new("compare")};
    eb_table *limits = EB_TABLE(known.devices, EB_F(limits), "", EB_F(device), EB_F(copy_bytes_per_s),
                                EB_F(tensor_f16_tflops), EB_F(f64_tflops));
    EB_ROW(limits, eb_text("cuda:0"), eb_real(4e12), eb_real(650), eb_real(60));
    EB_FIELDS(known.compare, {EB_F(n), eb_uint(100000)}, {EB_F(d), eb_uint(256)});
    eb_table *runs = EB_TABLE(known.compare, EB_F(runs), "", EB_F(engine), EB_F(spec), EB_F(device),
                              EB_F(tflops_executed), EB_F(kernel_median_s), EB_F(coordinate_bytes));
    EB_ROW(runs, eb_text("fasted"), eb_text("fasted[paper]"), eb_text("cuda:0"), eb_real(300), eb_real(0.02),
           eb_uint(2));
    EB_ROW(runs, eb_text("ref64"), eb_text("ref64"), eb_text("cuda:0"), eb_real(40), eb_real(0.2), eb_uint(8));
    return known;
}

TEST(the_roofline_has_limits_and_a_point_for_each_engine)
{
    known_reports known = make_known();
    const eb_roofline r = eb_roofline_of(find_known, &known, "cuda:0");
    assert_int_equal(r.roofs, 2);
    assert_int_equal(r.points, 2);
    eb_report *report = eb_roofline_report(&r);
    assert_non_null(report);
    assert_string_equal(eb_figure_name(report, 0), "roofline");
    char *svg = svg_of(report, 0);
    assert_true(has(svg, "fasted[paper], at most: every point read once</text>"));
    assert_true(has(svg, "650 TFLOPS</text>"));
    assert_true(has(svg, ">FLOP a byte</text>"));
    assert_false(has(svg, "nan"));
    free(svg);
    eb_report_free(report);
    const eb_roofline none = eb_roofline_of(find_known, &(known_reports){NULL, NULL}, "cpu");
    assert_null(eb_roofline_report(&none));
    eb_report_free(known.devices);
    eb_report_free(known.compare);
}

/* ---- finding pictures, files ---- */

TEST(reports_without_pictures_are_refused)
{
    eb_status status = {0};
    eb_report *report = eb_report_new("set");
    EB_FIELDS(report, {EB_F(n), eb_uint(1)});
    (void)eb_report_dots(report, EB_F(curve), "empty", EB_LINE);
    assert_int_equal(eb_figure_count(report), 0);
    assert_int_equal(eb_figure_count(NULL), 0);
    assert_null(eb_figure_name(report, 0));
    assert_int_equal(eb_figure_svg(report, 0, stdout, &status), EB_NOT_FOUND);
    assert_int_equal(eb_figure_svg(report, EB_ALL_PICTURES, stdout, &status), EB_NOT_FOUND);
    add_curve(report);
    assert_int_equal(eb_figure_svg(report, 1, stdout, &status), EB_NOT_FOUND);
    assert_string_equal(status.message, "the report has no picture 2, it has 1");
    eb_report_free(report);
}

TEST(the_ending_decides_the_form)
{
    eb_figure_form form;
    eb_status status = {0};
    assert_int_equal(eb_figure_form_of("a.b/c.PDF", &form, &status), EB_OK);
    assert_int_equal(form, EB_FIGURE_PDF);
    assert_int_equal(eb_figure_form_of("a.svg/c", &form, &status), EB_USAGE);
    assert_int_equal(eb_figure_form_of("c.gif", &form, &status), EB_USAGE);
    assert_string_equal(status.message, "c.gif: expected a name that ends in .svg, .png or .pdf, found .gif");
}

/* ---- numbers, words, sixels ---- */

TEST(numbers_are_written_as_in_print)
{
    char text[64];
    assert_string_equal(eb_figure_number("1e6", text, sizeof text), "10⁶");
    assert_string_equal(eb_figure_number("2.5e-4", text, sizeof text), "2.5·10⁻⁴");
    assert_string_equal(eb_figure_number("-1234567", text, sizeof text), "−1,234,567");
    assert_string_equal(eb_figure_number("999", text, sizeof text), "999");
    assert_string_equal(eb_figure_number("1234.5678", text, sizeof text), "1,234.5678");
}

TEST(words_break_at_blanks)
{
    const eb_lettering type = {.size = 10};
    assert_int_equal(eb_sheet_words(NULL, (eb_spot){0}, 1000, &type, "one two three"), 1);
    assert_int_equal(eb_sheet_words(NULL, (eb_spot){0}, 1, &type, "one two three"), 3);
    assert_int_equal(eb_sheet_words(NULL, (eb_spot){0}, 1, &type, "  "), 0);
    assert_true(eb_lettering_width(&type, "mm") > eb_lettering_width(&type, "ii"));
}

TEST(sixels_are_runs_of_each_colour)
{
    uint32_t dots[5 * 7];
    char *text = NULL;
    size_t size = 0;
    for (size_t k = 0; k < 5 * 7; k++)
        dots[k] = k < 5 ? 0xFF0000 : 0xFFFFFF;
    const eb_pixels pixels = {5, 7, dots};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_sixel_write(&pixels, out, NULL), EB_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "\033P0;1q\"1;1;5;7#0;2;100;100;100#1;2;100;0;0#0!5}$#1!5@$-#0!5@$-\033\\");
    free(text);
}

RUN_TESTS
