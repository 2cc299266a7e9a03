#include "ui/panels/lab/ablation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "draw/utf8.h"
#include "ui/widgets/scroll.h"

enum {
    NUMBER = 48,
    TEXT = 6 * NUMBER,
    SHORT_BAR =
        20, /* least columns of a bar: intervals that would leave fewer are drawn as whiskers only, not as text */
};

/* ---- variants ---- */

/* The slowdown against the baseline, or the speed-up over the bare kernel. */
typedef struct change {
    double ratio, low, high; /* its interval; NAN unknown */
} change;

/* A set of switches with its rates here and in the paper. TFLOPS; NAN if unknown. */
typedef struct variant {
    const char *name, *what; /* never NULL */
    double here, there;
    bool faster; /* changes are speed-ups */
    change change;
    double published_slowdown, model;
    const char *verdict, *results; /* "" when unknown */
} variant;

static change change_at(const eb_table *t, size_t row, bool faster)
{
    return (change){eb_number_at(t, row, faster ? EB_F(speedup) : EB_F(slowdown)),
                    eb_number_at(t, row, faster ? EB_F(speedup_low) : EB_F(slowdown_low)),
                    eb_number_at(t, row, faster ? EB_F(speedup_high) : EB_F(slowdown_high))};
}

/* Variant `index` of a report of `ablate` or `ablate list`; false beyond the last one. */
static bool variant_at(const eb_report *ablate, size_t index, variant *out)
{
    const eb_table *t = eb_report_find_table(ablate, EB_F(variants));
    bool listed = t == NULL;
    if (listed)
        t = eb_report_find_table(ablate, EB_F(switches));
    size_t rows = t ? t->rows + listed : 0; /* the list has no row for the variant with all switches on */
    if (index >= rows)
        return false;
    bool all_on = listed && index == 0;
    size_t row = index - listed;
    double published = eb_number_of(ablate, EB_F(published_tflops));
    *out = (variant){.name = "(all on)",
                     .what = isnan(published) ? "everything on" : "every switch of the paper",
                     .here = NAN,
                     .there = published,
                     .change = {NAN, NAN, NAN},
                     .published_slowdown = 1,
                     .model = NAN,
                     .verdict = "",
                     .results = ""};
    if (all_on)
        return true;
    out->faster = eb_table_find_column(t, EB_F(speedup)) >= 0;
    out->name = eb_text_at(t, row, EB_F(switch));
    out->what = eb_text_at(t, row, EB_F(summary));
    out->there = eb_number_at(t, row, EB_F(published_tflops));
    out->published_slowdown = eb_number_at(t, row, EB_F(published_slowdown));
    out->model = eb_number_at(t, row, out->faster ? EB_F(model_speedup) : EB_F(model_slowdown));
    if (listed)
        return true;
    out->here = eb_number_at(t, row, EB_F(tflops_derived));
    out->change = change_at(t, row, out->faster);
    out->verdict = eb_text_at(t, row, EB_F(verdict));
    out->results = eb_text_at(t, row, EB_F(results));
    return true;
}

/* ---- texts to the right of bars ---- */

/* The rates here and in the paper come from two GPUs: each is drawn as a share of its own GPU's rate with all switches
 * on. */
typedef struct scale {
    double here, there; /* rates with all switches on */
    double most;        /* the longest bar */
    bool measured, published;
    bool intervals;  /* intervals have room as text */
    int label, text; /* columns */
} scale;

/* The machine model's prediction for the variant; "" if there is none. */
static const char *text_model(const variant *v, char text[NUMBER])
{
    char ratio[NUMBER - 12];
    text[0] = '\0';
    if (!isnan(v->model))
        (void)snprintf(text, NUMBER, "  model %s", eb_format_value(ratio, sizeof ratio, eb_real(v->model), EB_RATIO));
    return text;
}

/* " (1.21× to 1.29×)"; "" if the interval is unknown. */
static const char *text_interval(const change *c, char text[2 * NUMBER])
{
    char low[NUMBER - 8], high[NUMBER - 8];
    text[0] = '\0';
    if (!isnan(c->low) && !isnan(c->high))
        (void)snprintf(text, 2 * NUMBER, " (%s to %s)", eb_format_value(low, sizeof low, eb_real(c->low), EB_RATIO),
                       eb_format_value(high, sizeof high, eb_real(c->high), EB_RATIO));
    return text;
}

static void text_here(const variant *v, const scale *s, char text[TEXT])
{
    char rate[NUMBER], ratio[NUMBER], interval[2 * NUMBER], model[NUMBER];
    (void)eb_format_value(rate, sizeof rate, eb_real(v->here), EB_TERAFLOPS);
    (void)eb_format_value(ratio, sizeof ratio, eb_real(v->change.ratio), EB_RATIO);
    (void)snprintf(text, TEXT, "%s  %s %s%s%s  %s%s", rate, ratio, v->faster ? "speed" : "time",
                   s->intervals ? text_interval(&v->change, interval) : "", text_model(v, model), v->verdict,
                   strcmp(v->results, "DIFFERENT") == 0 ? ", DIFFERENT results" : "");
}

static void text_there(const variant *v, const scale *s, char text[TEXT])
{
    char rate[NUMBER], slowdown[NUMBER], model[NUMBER];
    (void)eb_format_value(rate, sizeof rate, eb_real(v->there), EB_TERAFLOPS);
    (void)eb_format_value(slowdown, sizeof slowdown, eb_real(v->published_slowdown), EB_RATIO);
    if (isnan(v->there))
        (void)snprintf(text, TEXT, "%s", s->published ? "not in the paper" : "nothing published");
    else
        (void)snprintf(text, TEXT, "%s  %s time%s", rate, slowdown, s->measured ? "" : text_model(v, model));
}

/* ---- bars ---- */

/* The interval of a bar's end, as shares of the baseline's rate. */
static void reach(const variant *v, double *low, double *high)
{
    *low = v->faster ? v->change.low : 1 / v->change.high;
    *high = v->faster ? v->change.high : 1 / v->change.low;
}

static void measure_texts(const eb_report *ablate, scale *s)
{
    char text[TEXT];
    variant v;
    s->label = s->measured && s->published ? eb_wider(0, "  paper") : 0;
    s->text = 0;
    for (size_t k = 0; variant_at(ablate, k, &v); k++) {
        s->label = eb_wider(s->label, v.name);
        text_there(&v, s, text);
        if (!s->measured || s->published)
            s->text = eb_wider(s->text, text);
        text_here(&v, s, text);
        if (s->measured)
            s->text = eb_wider(s->text, text);
    }
}

static scale measure(const eb_report *ablate, int width)
{
    scale s = {.here = NAN, .there = NAN, .most = 1, .measured = eb_report_find_table(ablate, EB_F(variants)) != NULL};
    variant v;
    for (size_t k = 0; variant_at(ablate, k, &v); k++) {
        double low, high;
        reach(&v, &low, &high);
        if (k == 0)
            s.here = v.here, s.there = v.there;
        s.published |= !isnan(v.there);
        s.most = fmax(s.most, fmax(fmax(v.here / s.here, high), v.there / s.there));
    }
    s.intervals = true;
    measure_texts(ablate, &s);
    if (s.label + s.text + SHORT_BAR > width) {
        s.intervals = false;
        measure_texts(ablate, &s);
    }
    return s;
}

static eb_role role_of(const variant *v)
{
    if (strcmp(v->results, "DIFFERENT") == 0)
        return EB_ROLE_BAD;
    return strcmp(v->verdict, "UNCLEAR") == 0 ? EB_ROLE_WARNING : EB_ROLE_TEXT;
}

/* Line 0: the measured bar, if there is one; the next line: the paper's; the last line, in a list: the switch
 * explained. */
static void draw_line(eb_canvas *canvas, eb_rect at, const variant *v, const scale *s, int line)
{
    char text[TEXT];
    double low = NAN, high = NAN;
    bool here = s->measured && line == 0;
    if (!s->measured && line == 1) {
        eb_rect row = {at.x + s->label + 2, at.y, at.width - s->label - 2, 1};
        (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_DIM, v->what);
        return;
    }
    if (here) {
        text_here(v, s, text);
        reach(v, &low, &high);
    } else {
        text_there(v, s, text);
    }
    eb_draw_bar_row(canvas, at, s->label, s->text,
                    &(eb_bar_row){.label = s->measured && !here ? "  paper" : v->name,
                                  .role = here ? EB_ROLE_SERIES : EB_ROLE_SERIES + 2,
                                  .share = (here ? v->here / s->here : v->there / s->there) / s->most,
                                  .low = low / s->most,
                                  .high = high / s->most,
                                  .text = text,
                                  .text_role = here ? role_of(v) : EB_ROLE_DIM});
}

/* Lines of each variant. */
static int lines_of(const scale *s) { return s->measured && !s->published ? 1 : 2; }

static void draw_bars(eb_canvas *canvas, eb_rect area, const eb_report *ablate, const scale *s, int *top)
{
    variant v;
    int y = 0, lines = 0;
    if (eb_rect_empty(area))
        return;
    for (size_t k = 0; variant_at(ablate, k, &v); k++)
        lines += lines_of(s);
    eb_scroll_fit(canvas, area, lines, top);
    for (size_t k = 0; variant_at(ablate, k, &v); k++)
        for (int line = 0; line < lines_of(s); line++, y++)
            if (y >= *top && y < *top + area.height)
                draw_line(canvas, (eb_rect){area.x, area.y + y - *top, area.width - 1, 1}, &v, s, line);
}

/* ---- the title ---- */

/* The title of the variants' table, for use within a line. */
static const char *way_of(const eb_report *ablate, char text[NUMBER])
{
    (void)snprintf(text, NUMBER, "%s", eb_report_find(ablate, EB_TABLE, EB_F(variants))->title);
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

static void draw_title(eb_canvas *canvas, eb_rect title, const eb_report *ablate, bool published)
{
    char n[NUMBER], d[NUMBER], way[NUMBER];
    const char *preset = eb_text_of(ablate, EB_F(preset));
    int x = title.x + eb_putf(canvas, title, title.x, title.y, EB_ROLE_TITLE, preset[0] ? "%s (%s) %s" : "%s%s %s",
                              eb_text_of(ablate, EB_F(engine)), preset, way_of(ablate, way));
    (void)eb_putf(canvas, title, x, title.y, EB_ROLE_DIM, "  %s × %s on %s%s",
                  eb_format_value(n, sizeof n, eb_report_find_field(ablate, EB_F(n)), EB_PLAIN),
                  eb_format_value(d, sizeof d, eb_report_find_field(ablate, EB_F(d)), EB_PLAIN),
                  eb_text_of(ablate, EB_F(device)), published ? ", beside the published" : "");
}

/* Draws the list's title with a description of the published figures beside it, or below it where that needs more room.
 * Returns the rows used. */
static int draw_list_title(eb_canvas *canvas, eb_rect area, const eb_report *ablate)
{
    enum { HIGH = 12, MOST = 3 };
    const eb_item *list = eb_report_find(ablate, EB_TABLE, EB_F(switches));
    const eb_rect title = {area.x, area.y, area.width, 1};
    const int x = title.x + eb_put(canvas, title, title.x, title.y, EB_ROLE_TITLE, list ? list->title : "") + 2;
    if (ablate->notes == 0)
        return 1;
    const eb_role role = eb_is_warning(ablate->note[0]) ? EB_ROLE_WARNING : EB_ROLE_DIM;
    const eb_rect beside = {x, title.y, title.x + title.width - x, 1};
    if (eb_text_width(ablate->note[0]) <= beside.width || area.height < HIGH) {
        (void)eb_put_short(canvas, beside, x, title.y, role, ablate->note[0]);
        return 1;
    }
    const int rows = eb_put_wrapped(canvas, (eb_rect){area.x, area.y + 1, area.width, MOST}, role, ablate->note[0]);
    return 1 + (rows < MOST ? rows : MOST);
}

void eb_draw_ablation(eb_canvas *canvas, eb_rect area, const eb_report *ablate, int *top)
{
    const eb_rect title = {area.x, area.y, area.width, 1};
    if (eb_rect_empty(area))
        return;
    const scale s = measure(ablate, area.width);
    int rows = 1;
    if (s.measured)
        draw_title(canvas, title, ablate, s.published);
    else
        rows = draw_list_title(canvas, area, ablate);
    const eb_rect body = {area.x, area.y + rows, area.width, area.height - rows};
    draw_bars(canvas, body, ablate, &s, top);
}
