/* What each rung of `precision` loses against what it costs: dots from reports, odd ones among them, the drawing inside
 * its area at any size. */
#include <math.h>

#include "core/report/find.h"
#include "draw/plots/pareto.h"
#include "draw/plots/plot.h"
#include "tests/unit/test.h"

typedef struct given {
    const char *rung, *spec;
    double eps, selectivity, bytes, rate, predicted, overlap;
} given;

static eb_report *report_of(const given *rows, size_t count)
{
    eb_report *report = eb_report_new("precision");
    eb_report_field(report, EB_F(want), eb_real(0.999));
    eb_table *t =
        EB_TABLE(report, EB_F(rungs), "Rungs", EB_F(rung), EB_F(spec), EB_F(eps), EB_F(selectivity), EB_F(rung_bytes),
                 EB_F(rate_model), EB_F(overlap_predicted), EB_F(overlap_low), EB_F(overlap_high), EB_F(overlap));
    for (size_t k = 0; k < count; k++) {
        const given *g = &rows[k];
        const double lost = 1 - g->predicted;
        EB_ROW(t, eb_text(g->rung), eb_text(g->spec), eb_real(g->eps), eb_real(g->selectivity), eb_real(g->bytes),
               eb_real(g->rate), eb_real(g->predicted), eb_real(1 - 1.25 * lost), eb_real(1 - 0.75 * lost),
               eb_real(g->overlap));
    }
    return report;
}

static const given two_eps[] = {
    {"INT8", "s8", 1, 16, 1, 400, 0.98, 0.97},      {"BF16", "bf16", 1, 16, 2, NAN, 0.999, 0.9985},
    {"FP16", "f16", 1, 16, 2, 200, 1, 1},           {"INT8", "s8", 2, 64, 1, 400, 0.99, NAN},
    {"BF16", "bf16", 2, 64, 2, NAN, 0.9995, 0.999}, {"FP16", "f16", 2, 64, 2, 200, 1, 1},
};
enum { TWO = sizeof two_eps / sizeof two_eps[0] };

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

TEST(a_dot_is_measured_or_predicted)
{
    double eps[EB_MOST_RUNG_EPS];
    eb_report *report = report_of(two_eps, TWO);
    assert_int_equal(eb_pareto_eps(report, eps), 2);
    const eb_pareto p = eb_pareto_of(report, eps[1], false);
    assert_int_equal(p.dots, 3);
    assert_false(p.dot[0].measured);
    assert_near(p.dot[0].lost, 0.01);
    assert_near(p.dot[0].low, 0.0075);
    assert_near(p.dot[0].high, 0.0125);
    assert_true(p.dot[1].measured);
    assert_near(p.dot[1].lost, 0.001);
    assert_near(p.allowed, 0.001);
    assert_string_equal(p.axis->title, "bytes a coordinate");
    assert_true(p.dot[2].cost == 2);
    eb_report_free(report);
}

/* The least loss is 10^-3; half a decade below it is more than 10^-4. */
TEST(what_loses_nothing_lies_on_the_floor)
{
    eb_report *report = report_of(two_eps, TWO);
    eb_pareto p = eb_pareto_of(report, 2, false);
    assert_near(p.floor, 1e-4);
    assert_near(p.dot[2].lost, 1e-4);
    eb_report_free(report);
    report = report_of((const given[]){{"FP16", "f16", 1, 16, 2, NAN, 1, 1}, {"a", "b", 1, 16, 4, NAN, 1, NAN}}, 2);
    p = eb_pareto_of(report, NAN, false);
    assert_near(p.floor, 1e-6);
    assert_near(p.dot[0].lost, 1e-6);
    assert_near(p.dot[1].lost, 1e-6);
    eb_report_free(report);
}

TEST(letters_are_of_rungs)
{
    eb_report *report = report_of(two_eps, TWO);
    const eb_pareto p = eb_pareto_of(report, NAN, true);
    assert_int_equal(p.dots, TWO);
    for (size_t k = 0; k < TWO; k++)
        assert_int_equal(p.dot[k].mark, "abcabc"[k]);
    assert_true(eb_pareto_has_rates(report));
    assert_true(p.dot[0].cost == 400);
    assert_true(isnan(p.dot[1].cost)); /* no rate: not drawn */
    eb_report_free(report);
}

/* Draws at every size up to 60 × 20; nothing outside the area is touched. */
static void draw_everywhere(const eb_pareto *p)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status = {0};
    assert_int_equal(eb_canvas_resize(&canvas, 70, 26, &status), EB_OK);
    for (int height = 0; height <= 20; height++)
        for (int width = 0; width <= 60; width++) {
            const eb_rect area = {4, 3, width, height};
            canvas.unicode = width % 2 == 0;
            eb_canvas_clear(&canvas);
            eb_draw_pareto(&canvas, area, p, (size_t)width, height % 2 == 0);
            for (int k = 0; k < canvas.width * canvas.height; k++)
                if (!eb_rect_has(area, k % canvas.width, k / canvas.width) && canvas.cell[k].character != ' ')
                    fail_msg("%d x %d: wrote at %d, %d", width, height, k % canvas.width, k / canvas.width);
        }
    eb_canvas_free(&canvas);
}

/* A measured rate is the cost; the model's rate and the predicted loss stand beside it. Without a measured rate a dot
 * is hollow on the axis of rates, full on that of bytes. */
TEST(a_measured_rate_is_beside_the_models)
{
    eb_report *report = eb_report_new("precision");
    eb_table *t = EB_TABLE(report, EB_F(rungs), "Rungs", EB_F(rung), EB_F(rung_bytes), EB_F(rate_model),
                           EB_F(tflops_derived), EB_F(overlap_predicted), EB_F(overlap));
    EB_ROW(t, eb_text("INT8"), eb_uint(1), eb_real(400), eb_real(300), eb_real(0.98), eb_real(0.97));
    EB_ROW(t, eb_text("FP8"), eb_uint(1), eb_real(500), eb_na(), eb_real(0.5), eb_na());
    EB_ROW(t, eb_text("BF16"), eb_uint(2), eb_na(), eb_real(100), eb_real(0.99), eb_real(0.99));
    EB_ROW(t, eb_text("FP16"), eb_uint(2), eb_real(200), eb_na(), eb_real(0.999), eb_real(0.999));
    eb_pareto p = eb_pareto_of(report, NAN, true);
    assert_string_equal(p.axis->title, "derived rate");
    assert_true(p.dot[0].full && p.dot[0].cost == 300 && p.dot[0].model_cost == 400);
    assert_near(p.dot[0].lost, 0.03);
    assert_near(p.dot[0].model_lost, 0.02);
    assert_true(!p.dot[1].full && p.dot[1].cost == 500 && isnan(p.dot[1].model_cost));
    assert_true(p.dot[2].full && p.dot[2].cost == 100 && isnan(p.dot[2].model_cost));
    assert_true(!p.dot[3].full && p.dot[3].measured && p.dot[3].cost == 200);
    draw_everywhere(&p);
    p = eb_pareto_of(report, NAN, false);
    assert_true(p.dot[3].full && p.dot[3].cost == 2 && isnan(p.dot[0].model_cost));
    eb_report_free(report);
}

/* Only what the rung has counts, of its own number type. */
TEST(a_preparation_tells_what_was_lost_without)
{
    static const given rows[] = {{"INT8 by point", "tensor[type=s8,step=point,centre=mean]", 1, 16, 1, NAN, 0.98, 0.97},
                                 {"INT8", "tensor[type=s8]", 1, 16, 1, NAN, 0.9, NAN},
                                 {"INT82", "tensor[centre=mean]", 1, 16, 1, NAN, 0.9, NAN}};
    eb_report *report = report_of(rows, 3);
    eb_table *t = EB_TABLE(report, EB_F(preparations), "Preparations", EB_F(rung), EB_F(preparation), EB_F(overlap_raw),
                           EB_F(overlap_prepared), EB_F(spec));
    EB_ROW(t, eb_text("INT8"), eb_text("centre=mean"), eb_real(0.9), eb_real(0.98), eb_na());
    EB_ROW(t, eb_text("INT8"), eb_text("step=point"), eb_real(0.85), eb_real(0.98), eb_na());
    EB_ROW(t, eb_text("INT8"), eb_text("rotate=hadamard"), eb_real(0.1), eb_real(0.98), eb_na());
    EB_ROW(t, eb_na(), eb_na(), eb_na(), eb_na(), eb_na());
    const eb_pareto p = eb_pareto_of(report, 1, false);
    assert_near(p.dot[0].raw, 0.15);
    assert_true(isnan(p.dot[1].raw));
    assert_true(isnan(p.dot[2].raw));
    eb_report_free(report);
}

TEST(odd_reports_do_no_harm)
{
    enum { MANY = 200 };
    static given many[MANY];
    static char name[MANY][16];
    const given odd[] = {{"", "", NAN, NAN, 0, -1, 1.5, NAN},
                         {NULL, NULL, INFINITY, 0, -3, 1e300, NAN, NAN},
                         {"x", "x", 1, 1, 1e-300, 1, -1e300, -5},
                         {"y", "y", 1, 1, 1e300, 1e-300, 0.5, 1 - 1e-16},
                         {"y", "y", 1, 1, INFINITY, NAN, NAN, 1e300}};
    for (size_t k = 0; k < MANY; k++) {
        (void)snprintf(name[k], sizeof name[k], "rung %zu", k % 70);
        many[k] = (given){name[k], name[k], (double)(k / 2), 16, 1, 1, 1 - 1.0 / (double)(k + 1), NAN};
    }
    for (int k = 0; k < 3; k++) {
        double eps[EB_MOST_RUNG_EPS];
        eb_report *report = k == 0   ? report_of(odd, sizeof odd / sizeof odd[0])
                            : k == 1 ? report_of(many, MANY)
                                     : report_of(many, 0);
        const size_t count = eb_pareto_eps(report, eps);
        assert_true(count <= EB_MOST_RUNG_EPS);
        const eb_pareto all = eb_pareto_of(report, NAN, k == 0);
        assert_true(all.dots <= EB_MOST_DOTS);
        draw_everywhere(&all);
        assert_true(eb_report_ok(report));
        eb_report_free(report);
    }
    assert_int_equal(eb_pareto_of(NULL, NAN, false).dots, 0);
}

RUN_TESTS
