#include "shell/document/bars.h"

#include <math.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/figure/figure.h"
#include "draw/plots/plot.h"
#include "shell/conclude/words.h"
#include "shell/document/document.h"
#include "shell/render/render.h"

enum { PARTS = 2, LABEL = 120 };

static const char *const part_names[PARTS] = {"kernels", "all else"};

/* The runs of one question. */
typedef struct chart {
    size_t bars;
    char title[320], label[EB_MOST_BARS][LABEL];
    double value[EB_MOST_BARS * PARTS]; /* seconds */
} chart;

static void add_bar(chart *c, const eb_table *runs, size_t row)
{
    const double kernel = eb_number_at(runs, row, EB_F(kernel_median_s));
    const double total = eb_number_at(runs, row, EB_F(total_median_s));
    if (c->bars == EB_MOST_BARS || !(kernel > 0 || total > 0))
        return;
    (void)snprintf(c->label[c->bars], LABEL, "%.0f %.100s", eb_number_at(runs, row, EB_F(run)),
                   eb_text_at(runs, row, EB_F(spec)));
    c->value[c->bars * PARTS] = kernel > 0 ? kernel : 0;
    c->value[c->bars * PARTS + 1] = fmax(total - (kernel > 0 ? kernel : 0), 0); /* fmax ignores NAN */
    c->bars++;
}

/* Fills the chart of the question that this row was the first to answer; no bars: it has no chart. */
static void make_chart(const eb_table *runs, size_t question, chart *c)
{
    c->bars = 0;
    if (eb_question_of(runs, question) != question)
        return;
    for (size_t k = question; k < runs->rows; k++)
        if (eb_question_of(runs, k) == question)
            add_bar(c, runs, k);
    c->bars = c->bars > 1 ? c->bars : 0; /* one bar compares nothing */
    (void)snprintf(c->title, sizeof c->title, "End to end by run and engine: %.200s, ε = %s%s",
                   eb_text_at(runs, question, EB_F(dataset)), EB_NUMBER(eb_number_at(runs, question, EB_F(eps))),
                   strcmp(eb_text_at(runs, question, EB_F(mode)), "count") == 0 ? ", counted only" : "");
}

typedef eb_code put_chart(FILE *out, const chart *c, eb_status *status);

/* ---- Markdown ---- */

static eb_code put_text(FILE *out, const chart *c, eb_status *status)
{
    eb_canvas canvas = {.unicode = true};
    const char *label[EB_MOST_BARS];
    for (size_t k = 0; k < c->bars; k++)
        label[k] = c->label[k];
    (void)fputs("### ", out);
    eb_put_markdown_text(out, c->title);
    (void)fputs("\n\n", out);
    EB_TRY(eb_canvas_resize(&canvas, EB_PLOT_WIDTH, (int)c->bars + 1, status));
    const eb_rect area = {0, 0, canvas.width, canvas.height};
    (void)eb_draw_stacked(&canvas, area, c->bars, label, PARTS, part_names, c->value, EB_SECONDS);
    (void)fputs("```text\n", out);
    eb_code failed = eb_canvas_dump(&canvas, out, status);
    (void)fputs("```\n\n", out);
    eb_canvas_free(&canvas);
    return failed;
}

/* ---- HTML ---- */

/* The chart as the table of a comparison, which is drawn as stacked bars (draw/figure). */
static eb_report *report_of(const chart *c)
{
    eb_report *report = eb_report_new("compare");
    eb_table *table = EB_TABLE(report, EB_F(split), c->title, EB_F(spec), EB_F(kernel_s), EB_F(other_s));
    for (size_t k = 0; k < c->bars; k++)
        EB_ROW(table, eb_text(c->label[k]), eb_real(c->value[k * PARTS]), eb_real(c->value[k * PARTS + 1]));
    return report;
}

static eb_code put_figure(FILE *out, const chart *c, eb_status *status)
{
    eb_report *report = report_of(c);
    (void)fputs("<figure>", out);
    eb_code failed =
        eb_report_ok(report) ? eb_figure_svg(report, 0, out, status) : eb_fail_memory(status, "a chart", sizeof *c);
    (void)fputs("</figure>\n", out);
    eb_report_free(report);
    return failed;
}

static eb_code put_each(const eb_table *runs, FILE *out, put_chart *put, eb_status *status)
{
    chart c;
    size_t charts = 0;
    for (size_t k = 0; k < runs->rows && charts < EB_MOST_CHARTS; k++) {
        make_chart(runs, k, &c);
        if (c.bars > 0)
            EB_TRY(put(out, &c, status));
        charts += c.bars > 0;
    }
    return EB_OK;
}

eb_code eb_bars_markdown(const eb_table *runs, FILE *out, eb_status *status)
{
    return put_each(runs, out, put_text, status);
}

eb_code eb_bars_html(const eb_table *runs, FILE *out, eb_status *status)
{
    return put_each(runs, out, put_figure, status);
}
