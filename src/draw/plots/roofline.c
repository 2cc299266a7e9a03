#include "draw/plots/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/engine/device.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"

/* ---- roofs ---- */

static bool is_text(eb_value value, const char *text)
{
    return value.kind == EB_TEXT && strcmp(value.as.text, text) == 0;
}

/* The row of the chosen device's limits; for the CPU, that of another known device. */
static size_t limits_row(const eb_table *limits, const char *device)
{
    size_t any = SIZE_MAX;
    for (size_t row = 0; limits && row < limits->rows; row++) {
        bool known = eb_number_at(limits, row, eb_limit_name_of(EB_LIMIT_COPY)->field) > 0;
        if (known && is_text(eb_table_value(limits, row, EB_F(device)), device))
            return row;
        if (known && any == SIZE_MAX)
            any = row;
    }
    return any;
}

static void add_roof(eb_roofline *r, const char *name, double tflops)
{
    size_t at = r->roofs;
    if (!(tflops > 0) || r->roofs == EB_MOST_ROOFS)
        return;
    for (; at > 0 && r->roof[at - 1].tflops < tflops; at--)
        r->roof[at] = r->roof[at - 1];
    r->roof[at].name = name;
    r->roof[at].tflops = tflops;
    r->roofs++;
}

static void read_limits(eb_roofline *r, const eb_report *devices, const char *device)
{
    const eb_table *limits = eb_report_find_table(devices, EB_F(limits));
    size_t row = limits_row(limits, device);
    if (row == SIZE_MAX)
        return;
    r->bytes_per_s = eb_number_at(limits, row, eb_limit_name_of(EB_LIMIT_COPY)->field);
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        if (eb_limit_name_of(k)->field->unit == EB_TERAFLOPS)
            add_roof(r, eb_limit_name_of(k)->brief, eb_number_at(limits, row, eb_limit_name_of(k)->field));
}

/* ---- engines ---- */

typedef struct run {
    const char *engine, *spec;
    eb_value tflops, kernel_s, coordinate;
} run;

/* The share of the device memory's throughput that the run used, from counters; NAN: not counted. */
static double memory_share(const eb_report *report, const run *of)
{
    const eb_table *counters = eb_report_find_table(report, EB_F(counters));
    const eb_column engine = {.key = of->engine}, spec = {.key = of->spec};
    for (size_t row = 0; counters && row < counters->rows; row++)
        if (is_text(eb_table_value(counters, row, EB_F(metric)), "dram_throughput"))
            return eb_value_number(
                eb_table_value(counters, row, eb_table_find_column(counters, &spec) < 0 ? &engine : &spec));
    return NAN;
}

static void add_point(eb_roofline *r, const eb_report *report, const run *of)
{
    double n = eb_number_of(report, EB_F(n)), d = eb_number_of(report, EB_F(d));
    double share = memory_share(report, of), tflops = eb_value_number(of->tflops);
    bool counted = share > 0;
    double bytes_per_s =
        counted ? share * r->bytes_per_s : n * d * eb_value_number(of->coordinate) / eb_value_number(of->kernel_s);
    double intensity = tflops * 1e12 / bytes_per_s;
    if (!(tflops > 0 && intensity > 0 && isfinite(intensity)) || r->points == EB_MOST_ROOF_POINTS)
        return;
    r->point[r->points].engine = of->spec;
    r->point[r->points].tflops = tflops;
    r->point[r->points].intensity = intensity;
    r->point[r->points++].counted = counted;
}

static bool has_engine(const eb_roofline *r, const char *engine)
{
    for (size_t k = 0; k < r->points; k++)
        if (strcmp(r->point[k].engine, engine) == 0)
            return true;
    return false;
}

/* Takes a run on a device with known limits, never on the CPU. */
static void read_run(eb_roofline *r, const eb_report *report, const eb_table *runs, size_t row)
{
    static const eb_column *const keys[] =
        EB_LIST(EB_F(engine), EB_F(spec), EB_F(device), EB_F(tflops_executed), EB_F(kernel_s), EB_F(coordinate_bytes));
    eb_value v[sizeof keys / sizeof keys[0]];
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        v[k] = runs ? eb_table_value(runs, row, keys[k]) : eb_report_find_field(report, keys[k]);
    if (v[0].kind != EB_TEXT || v[2].kind != EB_TEXT || eb_device_named_cpu(v[2].as.text))
        return;
    const run of = {v[0].as.text, v[1].kind == EB_TEXT ? v[1].as.text : v[0].as.text, v[3], v[4], v[5]};
    if (!has_engine(r, of.spec))
        add_point(r, report, &of);
}

static void read_report(eb_roofline *r, const eb_report *report)
{
    const eb_table *runs = eb_report_find_table(report, EB_F(runs));
    for (size_t row = 0; row < (runs ? runs->rows : 1); row++)
        read_run(r, report, runs, row);
}

eb_roofline eb_roofline_of(eb_report_finder find, const void *context, const char *device)
{
    /* Counters give an engine's intensity; a run only an upper bound. */
    static const char *const sources[] = {"counters", "compare", "join"};
    eb_roofline r = {.bytes_per_s = NAN};
    read_limits(&r, find(context, "devices"), device);
    for (size_t k = 0; r.roofs > 0 && k < sizeof sources / sizeof sources[0]; k++)
        if (find(context, sources[k]))
            read_report(&r, find(context, sources[k]));
    return r;
}

/* ---- as a report ---- */

static double ridge(const eb_roofline *r, size_t roof) { return r->roof[roof].tflops * 1e12 / r->bytes_per_s; }

/* The slope of the memory's throughput up to the roof, then the roof. */
static void add_line(eb_series *s, const eb_roofline *r, size_t roof, double least, double most)
{
    char name[96], rate[48];
    const char mark = (char)('A' + (int)roof);
    if (roof == 0)
        eb_series_add(s, least, least * r->bytes_per_s / 1e12, 0, mark);
    eb_series_add(s, ridge(r, roof), r->roof[roof].tflops, 0, mark);
    eb_series_add(s, most, r->roof[roof].tflops, 0, mark);
    (void)snprintf(name, sizeof name, "%s, %s", r->roof[roof].name,
                   eb_format_value(rate, sizeof rate, eb_real(r->roof[roof].tflops), EB_TERAFLOPS));
    eb_series_name(s, mark, name);
}

eb_report *eb_roofline_report(const eb_roofline *r)
{
    char title[96], name[160], memory[48];
    eb_report *report = r->roofs > 0 ? eb_report_new("roofline") : NULL;
    if (!report)
        return NULL;
    double least = ridge(r, r->roofs - 1) / 30, most = ridge(r, 0) * 30;
    for (size_t k = 0; k < r->points; k++) {
        least = fmin(least, r->point[k].intensity / 3);
        most = fmax(most, r->point[k].intensity * 3);
    }
    (void)snprintf(title, sizeof title, "Roofline, memory %s a second",
                   eb_format_value(memory, sizeof memory, eb_real(r->bytes_per_s), EB_BYTES));
    eb_series *s = eb_report_dots(report, EB_F(roofline), title, EB_LINE);
    eb_series_axes(s, EB_F(flops_a_byte), true, EB_F(tflops_executed), true);
    for (size_t k = 0; k < r->roofs; k++)
        add_line(s, r, k, least, most);
    for (size_t k = 0; k < r->points; k++) {
        const char mark = (char)('a' + (int)k);
        eb_series_add(s, r->point[k].intensity, r->point[k].tflops, 0, mark);
        (void)snprintf(name, sizeof name, "%s%s", r->point[k].engine,
                       r->point[k].counted ? ", by counters" : ", at most: every point read once");
        eb_series_name(s, mark, name);
    }
    return report;
}

/* ---- drawing ---- */

static eb_plot plot_of(const eb_roofline *r)
{
    double least = ridge(r, r->roofs - 1) / 30, most = ridge(r, 0) * 30;
    double low = least * r->bytes_per_s / 1e12, high = r->roof[0].tflops * 3;
    for (size_t k = 0; k < r->points; k++) {
        least = fmin(least, r->point[k].intensity / 3);
        most = fmax(most, r->point[k].intensity * 3);
        low = fmin(low, r->point[k].tflops / 3);
        high = fmax(high, r->point[k].tflops * 3);
    }
    return (eb_plot){.x = {least, most, true, "FLOP a byte of device memory"}, .y = {low, high, true, "TFLOPS"}};
}

static void draw_roofs(eb_canvas *canvas, const eb_plot *plot, const eb_roofline *r)
{
    char label[96], rate[48];
    double x[2] = {plot->x.low, ridge(r, 0)}, y[2] = {plot->x.low * r->bytes_per_s / 1e12, r->roof[0].tflops};
    eb_plot_line(canvas, plot, 2, x, y, EB_ROLE_AXIS);
    for (size_t k = 0; k < r->roofs; k++) {
        double from[2] = {ridge(r, k), plot->x.high}, at[2] = {r->roof[k].tflops, r->roof[k].tflops};
        eb_plot_line(canvas, plot, 2, from, at, EB_ROLE_AXIS);
    }
    for (size_t k = 0; k < r->roofs; k++) {
        (void)snprintf(label, sizeof label, "%s %s", r->roof[k].name,
                       eb_format_value(rate, sizeof rate, eb_real(r->roof[k].tflops), EB_TERAFLOPS));
        eb_plot_mark(canvas, plot, ridge(r, k), r->roof[k].tflops, EB_ROLE_DIM, 0x25E3, '^', label); /* ◣ */
    }
}

void eb_draw_roofline(eb_canvas *canvas, eb_rect area, const eb_roofline *r)
{
    char memory[48];
    if (eb_rect_empty(area))
        return;
    if (r->roofs == 0) {
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM,
                             "The roofline needs a GPU's limits. Enter: those that are known (`devices`); m: measure "
                             "them (`devices measure`).");
        return;
    }
    eb_rect title = {area.x, area.y, area.width, 1}, body = {area.x, area.y + 1, area.width, area.height - 2};
    int x = area.x + eb_put(canvas, title, area.x, area.y, EB_ROLE_TITLE, "Roofline");
    (void)eb_format_value(memory, sizeof memory, eb_real(r->bytes_per_s), EB_BYTES);
    (void)eb_putf(canvas, title, x, area.y, EB_ROLE_DIM, "  memory %s a second, copied", memory);
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y + area.height - 1, area.width, area.height > 1}, area.x,
                       area.y + area.height - 1, EB_ROLE_DIM,
                       r->points == 0    ? "no engine has run on this GPU yet"
                       : canvas->unicode ? "● by counters   ○ at most: every point read once"
                                         : "* by counters   o at most: every point read once");
    eb_plot plot = plot_of(r);
    if (!eb_plot_frame(canvas, body, &plot))
        return;
    draw_roofs(canvas, &plot, r);
    eb_mark mark[EB_MOST_MARKS];
    size_t marks = 0;
    for (size_t k = 0; k < r->points && marks < EB_MOST_MARKS; k++)
        mark[marks++] = (eb_mark){.x = r->point[k].intensity,
                                  .y = r->point[k].tflops,
                                  .role = (eb_role)(EB_ROLE_SERIES + k % EB_SERIES_ROLES),
                                  .sign = r->point[k].counted ? 0x25CF : 0x25CB,
                                  .ascii = r->point[k].counted ? '*' : 'o',
                                  .label = r->point[k].engine};
    eb_plot_marks(canvas, &plot, mark, marks);
}
