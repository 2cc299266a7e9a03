#include "draw/plots/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/plots/plot.h"

static const double no_loss = 1e-6; /* the floor where no rung loses anything */

/* ---- rungs and ε ---- */

static const eb_table *rungs_of(const eb_report *report)
{
    const eb_table *t = eb_report_find_table(report, EB_F(rungs));
    return t && eb_table_find_column(t, EB_F(rung)) >= 0 ? t : NULL;
}

size_t eb_pareto_eps(const eb_report *report, double eps[EB_MOST_RUNG_EPS])
{
    const eb_table *t = rungs_of(report);
    size_t count = 0;
    for (size_t row = 0; t && row < t->rows; row++) {
        const double at = eb_number_at(t, row, EB_F(eps));
        size_t k = 0;
        while (k < count && eps[k] != at && !(isnan(at) && isnan(eps[k])))
            k++;
        if (k == count && count < EB_MOST_RUNG_EPS)
            eps[count++] = at;
    }
    return count;
}

static bool any_at(const eb_table *t, const eb_column *key)
{
    bool any = false;
    for (size_t row = 0; t && row < t->rows; row++)
        any |= eb_number_at(t, row, key) > 0;
    return any;
}

bool eb_pareto_has_rates(const eb_report *report)
{
    return any_at(rungs_of(report), EB_F(rate_model)) || any_at(rungs_of(report), EB_F(tflops_derived));
}

/* ---- dots ---- */

/* The first row of the same rung. */
static size_t first_row(const eb_table *t, size_t row)
{
    size_t k = 0;
    while (k < row && !(strcmp(eb_text_at(t, k, EB_F(rung)), eb_text_at(t, row, EB_F(rung))) == 0 &&
                        strcmp(eb_text_at(t, k, EB_F(spec)), eb_text_at(t, row, EB_F(spec))) == 0))
        k++;
    return k;
}

/* Letters count the different rungs before this one. */
static char mark_of(const eb_table *t, size_t row)
{
    const size_t first = first_row(t, row);
    size_t before = 0;
    for (size_t k = 0; k < first; k++)
        before += first_row(t, k) == k;
    return before < 26 ? (char)('a' + (int)before) : '.';
}

bool eb_pareto_is_prepared(const eb_table *preparations, size_t row, const eb_rung_dot *dot)
{
    const char *type = eb_text_at(preparations, row, EB_F(rung));
    const size_t length = strlen(type);
    return strncmp(type, dot->name, length) == 0 &&
           !(dot->name[length] && dot->name[length] != ' ' && dot->name[length] != ',');
}

/* The greatest loss, as predicted, of points without a preparation that the rung has. */
static double raw_loss(const eb_report *report, const eb_rung_dot *dot)
{
    const eb_table *t = eb_report_find_table(report, EB_F(preparations));
    double most = NAN;
    for (size_t row = 0; t && row < t->rows; row++)
        if (eb_pareto_is_prepared(t, row, dot) && strstr(dot->spec, eb_text_at(t, row, EB_F(preparation))))
            most = fmax(most, 1 - eb_number_at(t, row, EB_F(overlap_raw)));
    return most;
}

/* The rate is the model's where no GPU measured it. */
static void take_rate(eb_rung_dot *dot, const eb_table *t, size_t row, double predicted)
{
    const double measured = eb_number_at(t, row, EB_F(tflops_derived)), model = eb_number_at(t, row, EB_F(rate_model));
    dot->full = dot->measured && measured > 0;
    dot->cost = measured > 0 ? measured : model;
    if (dot->full && model > 0) {
        dot->model_cost = model;
        dot->model_lost = predicted;
    }
}

static eb_rung_dot dot_of(const eb_report *report, const eb_table *t, size_t row, const eb_column *axis)
{
    const double overlap = eb_number_at(t, row, EB_F(overlap)),
                 predicted = eb_number_at(t, row, EB_F(overlap_predicted));
    eb_rung_dot dot = {.row = row,
                       .mark = mark_of(t, row),
                       .name = eb_text_at(t, row, EB_F(rung)),
                       .spec = eb_text_at(t, row, EB_F(spec)),
                       .cost = eb_number_at(t, row, axis),
                       .lost = 1 - (isnan(overlap) ? predicted : overlap),
                       .low = 1 - eb_number_at(t, row, EB_F(overlap_high)),
                       .high = 1 - eb_number_at(t, row, EB_F(overlap_low)),
                       .measured = !isnan(overlap),
                       .full = !isnan(overlap),
                       .model_cost = NAN,
                       .model_lost = NAN};
    if (axis == EB_F(tflops_derived) || axis == EB_F(rate_model))
        take_rate(&dot, t, row, 1 - predicted);
    dot.cost = dot.cost > 0 ? dot.cost : NAN;
    dot.raw = raw_loss(report, &dot);
    return dot;
}

/* The next decade that is at least half a decade below the least loss. */
static double floor_of(const eb_pareto *p)
{
    double least = NAN;
    for (size_t k = 0; k < p->dots; k++) {
        if (p->dot[k].lost > 0)
            least = fmin(least, p->dot[k].lost);
        if (p->dot[k].model_lost > 0)
            least = fmin(least, p->dot[k].model_lost);
    }
    return isnan(least) ? no_loss : pow(10, floor(log10(least) - 0.5));
}

static double above(double floor, double lost) { return isnan(lost) ? NAN : fmax(lost, floor); }

eb_pareto eb_pareto_of(const eb_report *report, double eps, bool by_rate)
{
    const eb_table *t = rungs_of(report);
    eb_pareto p = {.axis = by_rate && any_at(t, EB_F(tflops_derived)) ? EB_F(tflops_derived)
                           : by_rate                                  ? EB_F(rate_model)
                           : any_at(t, EB_F(point_bytes))             ? EB_F(point_bytes)
                                                                      : EB_F(bytes_a_coordinate),
                   .allowed = 1 - eb_number_of(report, EB_F(want))};
    for (size_t row = 0; t && row < t->rows && p.dots < EB_MOST_DOTS; row++)
        if (isnan(eps) || eb_number_at(t, row, EB_F(eps)) == eps)
            p.dot[p.dots++] = dot_of(report, t, row, p.axis);
    p.floor = floor_of(&p);
    for (size_t k = 0; k < p.dots; k++) {
        eb_rung_dot *dot = &p.dot[k];
        dot->lost = above(p.floor, dot->lost);
        dot->low = above(p.floor, dot->low);
        dot->high = above(p.floor, dot->high);
        dot->model_lost = above(p.floor, dot->model_lost);
    }
    return p;
}

/* ---- drawing ---- */

enum { APART = 4, LEAST_ARROW = 2 };

static const double around = 1.6; /* the axis of cost reaches so much farther than the dots, which stand side by side */

/* The axes hold dots, bands, the raw ends of arrows that are near, and the line of what may be lost. */
static eb_plot frame_of(const eb_pareto *p)
{
    double x[4 * EB_MOST_DOTS], y[5 * EB_MOST_DOTS + 2];
    size_t xs = 0, ys = 0;
    for (size_t k = 0; k < p->dots; k++) {
        const eb_rung_dot *dot = &p->dot[k];
        x[xs++] = dot->cost / around;
        x[xs++] = dot->cost * around;
        x[xs++] = dot->model_cost / around;
        x[xs++] = dot->model_cost * around;
        y[ys++] = dot->lost;
        y[ys++] = dot->low;
        y[ys++] = dot->high;
        y[ys++] = dot->raw;
        y[ys++] = dot->model_lost;
    }
    y[ys++] = p->floor;
    y[ys++] = p->allowed;
    return (eb_plot){.x = eb_axis_of(xs, x, true, p->axis->title), .y = eb_axis_of(ys, y, true, "share lost")};
}

/* The place of dot k among those of the same cost: 0, 1, … of *count. */
static size_t place_of(const eb_pareto *p, size_t k, size_t *count)
{
    size_t place = 0;
    *count = 0;
    for (size_t j = 0; j < p->dots; j++)
        if (p->dot[j].cost == p->dot[k].cost) {
            place += j < k;
            ++*count;
        }
    return place;
}

/* The value of x at which dot k is drawn: dots of one cost stand side by side. */
static double drawn_at(const eb_plot *plot, const eb_pareto *p, size_t k)
{
    size_t count;
    const int place = (int)place_of(p, k, &count), column = eb_plot_column(plot, p->dot[k].cost);
    if (column < 0 || count < 2)
        return p->dot[k].cost;
    const int room = plot->area.width / (3 * (int)count), apart = room > APART ? APART : room < 1 ? 1 : room;
    return eb_plot_x_at(plot, column + (2 * place - (int)count + 1) * apart / 2);
}

static eb_mark allowed_at(const eb_plot *plot, const eb_pareto *p, int column, const char *label)
{
    return (eb_mark){eb_plot_x_at(plot, column), p->allowed, EB_ROLE_TARGET, 0x2508, '-', label}; /* ┈ */
}

static void draw_allowed(eb_canvas *canvas, const eb_plot *plot, const eb_pareto *p)
{
    for (int column = plot->area.x; column < plot->area.x + plot->area.width; column++) {
        const eb_mark m = allowed_at(plot, p, column, NULL);
        eb_plot_mark(canvas, plot, m.x, m.y, m.role, m.sign, m.ascii, NULL);
    }
}

/* Rows of the canvas between two values of y. */
static int rows_between(const eb_plot *plot, double a, double b)
{
    const eb_span span = eb_axis_span(&plot->y);
    return abs(eb_plot_cell_up(plot, eb_span_share(&span, a)) - eb_plot_cell_up(plot, eb_span_share(&span, b)));
}

static void draw_arrow(eb_canvas *canvas, const eb_plot *plot, const eb_rung_dot *dot, double x)
{
    if (!(dot->raw > dot->lost) || rows_between(plot, dot->raw, dot->lost) < LEAST_ARROW)
        return;
    const eb_span span = eb_axis_span(&plot->y);
    const double rows = plot->area.height > 1 ? plot->area.height - 1 : 1, down = eb_span_share(&span, dot->lost);
    eb_plot_line(canvas, plot, 2, (double[]){x, x}, (double[]){dot->raw, dot->lost}, EB_ROLE_DIM);
    eb_plot_mark(canvas, plot, x, dot->raw, EB_ROLE_DIM, 0x252C, '+', NULL); /* ┬ */
    eb_plot_mark(canvas, plot, x, pow(10, span.low + (down + 1 / rows) * (span.high - span.low)), EB_ROLE_DIM, 0x25BC,
                 'v', NULL); /* ▼ */
}

/* What the model says of a measured dot, and the line that leads to it. */
static eb_mark draw_model(eb_canvas *canvas, const eb_plot *plot, const eb_rung_dot *dot, double x)
{
    eb_plot_line(canvas, plot, 2, (double[]){x, dot->model_cost}, (double[]){dot->lost, dot->model_lost}, EB_ROLE_DIM);
    return (eb_mark){dot->model_cost, dot->model_lost, eb_mark_role(dot->mark), 0x25CB, 'o', NULL}; /* ○ */
}

void eb_draw_pareto(eb_canvas *canvas, eb_rect area, const eb_pareto *p, size_t chosen, bool named)
{
    eb_plot plot = frame_of(p);
    eb_mark mark[2 * EB_MOST_DOTS + 1], *next = mark;
    double x[EB_MOST_DOTS];
    char letter[EB_MOST_DOTS][2];
    if (!eb_plot_frame(canvas, area, &plot)) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "(too small for a plot)");
        return;
    }
    draw_allowed(canvas, &plot, p);
    for (size_t k = 0; k < p->dots; k++) {
        const eb_rung_dot *dot = &p->dot[k];
        const bool model = !isnan(dot->model_cost + dot->model_lost);
        x[k] = drawn_at(&plot, p, k);
        const double band = model ? dot->model_cost : x[k];
        if (dot->low < dot->high)
            eb_plot_line(canvas, &plot, 2, (double[]){band, band}, (double[]){dot->low, dot->high}, EB_ROLE_BAND);
        draw_arrow(canvas, &plot, dot, x[k]);
        if (model)
            *next++ = draw_model(canvas, &plot, dot, x[k]);
    }
    for (size_t k = 0; k < p->dots; k++) {
        const eb_rung_dot *dot = &p->dot[k];
        letter[k][0] = dot->mark;
        letter[k][1] = '\0';
        *next++ = (eb_mark){.x = x[k],
                            .y = dot->lost,
                            .role = k == chosen ? EB_ROLE_CURSOR : eb_mark_role(dot->mark),
                            .sign = dot->full ? 0x25CF : 0x25CB, /* ● ○ */
                            .ascii = dot->full ? '*' : 'o',
                            .label = named ? dot->name : letter[k]};
    }
    if (p->allowed > 0)
        *next++ = allowed_at(&plot, p, plot.area.x, "wanted");
    eb_plot_marks(canvas, &plot, mark, (size_t)(next - mark));
}
