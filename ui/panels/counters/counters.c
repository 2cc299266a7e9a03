/* The panel Counters: hardware counters by engine, each value with its source, beside those of an earlier run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "shell/defaults.h"
#include "shell/lab/modelled_times.h"
#include "ui/panels/counters/scene.h"
#include "ui/panels/panel.h"
#include "ui/widgets/list_view.h"
#include "ui/widgets/page.h"
#include "ui/widgets/scroll.h"

enum {
    NUMBER = 48,
    MOST_RUNS = 1000, /* runs to choose a baseline from */
    DIFFERENCE = 14,  /* columns of the difference */
    LEAST_BODY = 3,   /* rows that the counters keep beside a note */
    MODEL_TITLE = 30, /* columns of titles of the model's values */
};

typedef struct counters_state {
    eb_baseline baseline;
    int64_t wanted;      /* the run whose `show` is awaited; −1: none */
    unsigned long stamp; /* of the report last drawn */
    bool picking;        /* a baseline is being chosen */
    eb_list runs;
    int top;          /* first line shown */
    eb_report *model; /* the machine model's prediction (NULL: none yet) … */
    uint64_t n, d;    /* … for this shape … */
    char gpu[80];     /* … and this GPU; "": a default one */
} counters_state;

/* The newest report of counters; takes the baseline and the list of runs from new reports. */
static const eb_report *follow(counters_state *state, const eb_desk *desk)
{
    const eb_report *show = eb_desk_report(desk, "show");
    unsigned long stamp = eb_desk_report_stamp(desk, "counters");
    if (state->wanted >= 0 && eb_number_of(show, EB_F(run)) == (double)state->wanted) {
        (void)eb_baseline_take(&state->baseline, show);
        state->wanted = -1;
    }
    eb_list_follow(&state->runs, eb_report_find_table(eb_desk_report(desk, "runs"), EB_F(runs)),
                   eb_desk_report_count(desk, "runs"));
    if (stamp != state->stamp)
        state->top = 0;
    state->stamp = stamp;
    return eb_desk_report(desk, "counters");
}

/* ---- lines ---- */

/* Columns of the parts of a line, the same for all lines. */
typedef struct widths {
    int title, label, text;
    bool difference; /* the difference to the baseline has a column */
} widths;

static void text_at(const eb_counter_row *row, double value, const char *source, char *text, size_t size)
{
    char number[NUMBER];
    (void)eb_format_value(number, sizeof number, eb_real(value), row->unit);
    (void)snprintf(text, size, source[0] ? "%s [%s]" : "%s", number, source);
}

static void baseline_label(const counters_state *state, char *label, size_t size)
{
    (void)snprintf(label, size, "run %lld", (long long)state->baseline.run);
}

static widths measure(const counters_state *state, const eb_report *report, int columns)
{
    widths w = {.difference = state->baseline.run >= 0 && columns >= 60};
    eb_counter_row row;
    char text[NUMBER * 2];
    for (size_t k = 0; eb_counter_row_at(report, &state->baseline, k, &row); k++) {
        w.title = eb_wider(w.title, row.title);
        for (size_t e = 0; e < row.engines; e++) {
            text_at(&row, row.value[e], row.source[e], text, sizeof text);
            w.text = eb_wider(w.text, text);
        }
        text_at(&row, row.baseline, row.baseline_source, text, sizeof text);
        w.text = eb_wider(w.text, text);
    }
    const char *engine;
    for (size_t e = 0; (engine = eb_counter_engine(report, e)); e++)
        w.label = eb_wider(w.label, engine);
    baseline_label(state, text, sizeof text);
    if (state->baseline.run >= 0)
        w.label = eb_wider(w.label, text);
    w.title = w.title < columns / 3 ? w.title : columns / 3;
    w.label = w.label < columns / 3 ? w.label : columns / 3;
    return w;
}

static bool is_known(const eb_counter_row *row) { return !isnan(row->most); }

/* Lines of a counter: one for each engine and the baseline; one if no value is known. */
static int lines_of(const counters_state *state, const eb_counter_row *row)
{
    return is_known(row) ? (int)row->engines + (state->baseline.run >= 0) : 1;
}

/* ---- drawing ---- */

static void draw_difference(eb_canvas *canvas, eb_rect row, double value, double baseline, eb_unit unit)
{
    char text[NUMBER];
    (void)eb_counter_difference(text, sizeof text, value, baseline, unit);
    (void)eb_put_right(canvas, row, row.x + row.width, row.y, EB_ROLE_TEXT, text);
}

static double share_of(const eb_counter_row *row, double value)
{
    return isnan(value) ? NAN : row->most > 0 ? fmax(value / row->most, 0) : 0;
}

/* Draws line `line` of a counter: its engines come first, then the baseline. */
static void draw_line(const counters_state *state, eb_canvas *canvas, eb_rect at, const eb_report *report,
                      const eb_counter_row *row, int line, const widths *w)
{
    char text[NUMBER * 2], run[NUMBER];
    eb_rect title = {at.x, at.y, w->title, 1}, rest = {at.x + w->title + 2, at.y, at.width - w->title - 2, 1};
    if (line == 0)
        (void)eb_put_short(canvas, eb_rect_cut(title, at), at.x, at.y, is_known(row) ? EB_ROLE_TEXT : EB_ROLE_DIM,
                           row->title);
    if (!is_known(row)) {
        (void)eb_put_short(canvas, rest, rest.x, rest.y, EB_ROLE_DIM, "n/a");
        return;
    }
    size_t engine = (size_t)line;
    bool before = engine >= row->engines;
    double value = before ? row->baseline : row->value[engine];
    const char *source = before ? row->baseline_source : row->source[engine];
    baseline_label(state, run, sizeof run);
    text_at(row, value, source, text, sizeof text);
    if (w->difference) {
        if (!before)
            draw_difference(canvas, rest, value, row->baseline, row->unit);
        rest.width -= DIFFERENCE;
    }
    eb_draw_bar_row(canvas, rest, w->label, w->text,
                    &(eb_bar_row){.label = before ? run : eb_counter_engine(report, engine),
                                  .role = before ? EB_ROLE_MARKED : EB_ROLE_SERIES + engine % EB_SERIES_ROLES,
                                  .share = share_of(row, value),
                                  .text = text,
                                  .text_role = isnan(value) ? EB_ROLE_DIM : EB_ROLE_TEXT});
}

static void draw_bars(counters_state *state, eb_canvas *canvas, eb_rect area, const eb_report *report)
{
    widths w = measure(state, report, area.width);
    eb_counter_row row;
    int lines = 0, y = 0;
    for (size_t k = 0; eb_counter_row_at(report, &state->baseline, k, &row); k++)
        lines += lines_of(state, &row);
    eb_scroll_fit(canvas, area, lines, &state->top);
    /* Known counters come first. */
    for (int known = 1; known >= 0; known--)
        for (size_t k = 0; eb_counter_row_at(report, &state->baseline, k, &row); k++)
            for (int line = 0; is_known(&row) == known && line < lines_of(state, &row); line++, y++)
                if (y >= state->top && y < state->top + area.height)
                    draw_line(state, canvas, (eb_rect){area.x, area.y + y - state->top, area.width - 1, 1}, report,
                              &row, line, &w);
}

static void draw_title(const counters_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect row,
                       const eb_report *report)
{
    char n[NUMBER], d[NUMBER], eps[NUMBER];
    eb_value points = eb_report_find_field(report, EB_F(n)), device = eb_report_find_field(report, EB_F(device));
    eb_value modelled = eb_report_find_field(report, EB_F(modelled_gpu));
    int x = row.x;
    if (device.kind == EB_TEXT)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TITLE, "On %s  ", device.as.text);
    if (modelled.kind == EB_TEXT)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_MARKED, "model: %s  ", modelled.as.text);
    if (points.kind != EB_NA)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s × %s, ε = %s  ",
                     eb_format_value(n, sizeof n, points, EB_PLAIN),
                     eb_format_value(d, sizeof d, eb_report_find_field(report, EB_F(d)), EB_PLAIN),
                     eb_format_value(eps, sizeof eps, eb_report_find_field(report, EB_F(eps)), EB_PLAIN));
    if (eb_desk_report_serial(desk, "counters") != eb_desk_facts(desk)->dataset_serial)
        x += eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, "of another dataset  ");
    if (state->baseline.run >= 0)
        (void)eb_putf(canvas, row, x, row.y, EB_ROLE_MARKED, "beside run %lld, %s", (long long)state->baseline.run,
                      state->baseline.engine);
}

/* Draws which tensor-core path each engine took, where known. Returns the rows used. */
static int draw_paths(eb_canvas *canvas, eb_rect row, const eb_report *report)
{
    const eb_table *paths = eb_report_find_table(report, EB_F(paths));
    int x = row.x;
    for (size_t k = 0; paths && k < paths->rows; k++) {
        eb_value engine = eb_table_value(paths, k, EB_F(spec)), path = eb_table_value(paths, k, EB_F(tensor_path));
        engine = engine.kind == EB_TEXT ? engine : eb_table_value(paths, k, EB_F(engine));
        if (engine.kind == EB_TEXT && path.kind == EB_TEXT)
            x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s: %s   ", engine.as.text, path.as.text);
    }
    return x > row.x;
}

static void draw_report(counters_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area,
                        const eb_report *report)
{
    eb_rect body = area;
    draw_title(state, desk, canvas, (eb_rect){area.x, area.y, area.width, 1}, report);
    body.y++;
    body.height--;
    if (body.height > LEAST_BODY) {
        int rows = draw_paths(canvas, (eb_rect){area.x, body.y, area.width, 1}, report);
        body.y += rows;
        body.height -= rows;
    }
    if (report->notes > 0 && body.height > LEAST_BODY) { /* the last note says why values are n/a */
        int rows = body.height > 3 * LEAST_BODY ? 2 : 1;
        body.height -= rows;
        eb_rect note = {area.x, body.y + body.height, area.width, rows};
        (void)eb_put_wrapped(canvas, note, EB_ROLE_DIM, report->note[report->notes - 1]);
    }
    draw_bars(state, canvas, body, report);
}

static void draw_picking(counters_state *state, eb_canvas *canvas, eb_rect area, bool focused)
{
    if (state->runs.table && state->runs.table->rows > 0)
        eb_list_draw(&state->runs, canvas, area, "Which run is the baseline? Enter takes it, Esc none", focused);
    else
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM, "No runs to choose from are listed; a session log has them.");
}

/* ---- before anything is counted ---- */

/* Asks the model about the loaded shape and the GPU in use; without them about a default shape and GPU. */
static const eb_report *model_of(counters_state *state, const eb_facts *facts)
{
    enum { USUAL_N = 100000, USUAL_D = 128 };
    const uint64_t n = facts->has_dataset ? facts->n : USUAL_N, d = facts->has_dataset ? facts->d : USUAL_D;
    if (state->model && n == state->n && d == state->d && strcmp(state->gpu, facts->device_model) == 0)
        return state->model;
    eb_report_free(state->model);
    state->model = eb_report_new("model");
    state->n = n;
    state->d = d;
    (void)snprintf(state->gpu, sizeof state->gpu, "%s", facts->device_model);
    if (state->model)
        (void)eb_report_modelled_at_once(state->model, EB_FAST, state->gpu[0] ? state->gpu : NULL, n, d);
    return state->model;
}

/* Draws the machine model's prediction; returns the rows used. */
static int draw_model(counters_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    char n[NUMBER], d[NUMBER], text[3 * NUMBER];
    const eb_report *report = model_of(state, eb_desk_facts(desk));
    const eb_record *known = eb_report_find_record(report, EB_F(model));
    eb_page page = {canvas, !canvas->unicode, area, 0, 0};
    if (!known)
        return 0;
    (void)eb_format_value(n, sizeof n, eb_uint(state->n), EB_PLAIN);
    (void)eb_format_value(d, sizeof d, eb_uint(state->d), EB_PLAIN);
    (void)snprintf(text, sizeof text, EB_FAST " for %s × %s, by the machine model", n, d);
    eb_page_text(&page, EB_ROLE_TITLE, 0, text);
    for (size_t k = 0; k < known->fields; k++) {
        const eb_field *field = &known->field[k];
        (void)eb_format_value(n, sizeof n, field->value, field->unit);
        (void)snprintf(text, sizeof text, "%s%s", n, field->value.kind == EB_TEXT ? "" : " [model]");
        eb_page_pair(&page, EB_ROLE_DIM, 0, field->title, MODEL_TITLE, text);
    }
    return page.line + 1;
}

static void draw_empty(counters_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    const int rows = draw_model(state, desk, canvas, area);
    eb_draw_empty_panel(&eb_panel_counters, desk, canvas,
                        (eb_rect){area.x, area.y + rows, area.width, area.height - rows});
}

static void counters_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    counters_state *state = panel_state;
    const eb_report *report = follow(state, desk);
    if (eb_rect_empty(area))
        return;
    if (state->picking)
        draw_picking(state, canvas, area, focused);
    else if (report)
        draw_report(state, desk, canvas, area, report);
    else
        draw_empty(state, desk, canvas, area);
}

/* ---- keys ---- */

static void begin_picking(counters_state *state, eb_desk *desk)
{
    state->picking = true;
    if (!eb_desk_busy(desk) || !state->runs.table)
        eb_desk_run(desk, "runs limit=%d", MOST_RUNS); /* the list may be older than the newest runs */
}

static void take_baseline(counters_state *state, eb_desk *desk)
{
    int64_t run = eb_list_at(&state->runs);
    state->picking = false;
    if (run < 0)
        return;
    state->wanted = run;
    (void)follow(state, desk);
    if (state->wanted >= 0)
        eb_desk_run(desk, "show %lld", (long long)run);
}

static bool picking_key(counters_state *state, eb_desk *desk, eb_key key, eb_rect area)
{
    if (state->runs.typing || !(eb_key_closes(key) || eb_key_is(key, 'B') || eb_key_is(key, EB_ENTER)))
        return eb_list_key(&state->runs, key, area);
    if (eb_key_is(key, EB_ENTER))
        take_baseline(state, desk);
    state->picking = false;
    return true;
}

static void count(eb_desk *desk) { eb_run_at_eps(desk, "counters", "counters " EB_FAST "," EB_TRUE " S=", "count"); }

static bool counters_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    counters_state *state = panel_state;
    bool report = follow(state, desk) != NULL;
    if (state->picking)
        return picking_key(state, desk, key, area);
    if (eb_key_is(key, EB_ENTER) && !report)
        eb_type_first_step(&eb_panel_counters, desk);
    else if (eb_key_is(key, 'c'))
        count(desk);
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "counters ");
    else if (eb_key_is(key, 'B'))
        begin_picking(state, desk);
    else if (eb_key_is(key, EB_ESCAPE) && state->baseline.run >= 0)
        state->baseline.run = -1;
    else
        return report && eb_scroll_key(&state->top, key, area.height);
    return true;
}

static bool counters_typing(const void *panel_state)
{
    const counters_state *state = panel_state;
    return state->picking && state->runs.typing;
}

/* ---- the panel ---- */

static void counters_shown(void *panel_state, eb_desk *desk) { (void)follow(panel_state, desk); }

static const eb_hint *counters_hints(const void *panel_state)
{
    static const eb_hint runs[] = {{"Enter", "take it"}, EB_LIST_HINTS, {"Esc", "none"}, {NULL, NULL}};
    return ((const counters_state *)panel_state)->picking ? runs : NULL;
}

static const char *counters_column(void *panel_state, const eb_desk *desk)
{
    counters_state *state = panel_state;
    (void)follow(state, desk);
    return state->picking ? eb_list_sorted_by(&state->runs) : NULL;
}

static void *counters_create(void)
{
    counters_state *state = calloc(1, sizeof *state);
    if (state) {
        state->baseline.run = state->wanted = -1;
        eb_list_init(&state->runs, EB_F(run));
    }
    return state;
}

static void counters_destroy(void *panel_state)
{
    counters_state *state = panel_state;
    if (state)
        eb_list_free(&state->runs);
    if (state)
        eb_report_free(state->model);
    free(state);
}

static const char *counters_pictured(void *panel_state, const eb_desk *desk)
{
    (void)panel_state;
    return eb_desk_newest(desk, "counters");
}

const eb_panel eb_panel_counters = {
    .name = "counters",
    .title = "Counters",
    .about = "What the hardware did: pipes, caches, conflicts, clock and energy, each with its source, beside an "
             "earlier run. Without a GPU: what the machine model predicts.",
    .empty = "Nothing counted yet. An NVIDIA GPU's counters stand here, engine beside engine; without a GPU, what the "
             "machine model predicts of them.",
    .begin = {{"counters " EB_FAST "," EB_TRUE " S=64", "runs both; pipes, caches, conflicts, clock"},
              {"Enter", "puts that on the command line"},
              {"model", "the model's time, L2 and roofline too"}},
    .of_points = true,
    .hint =
        {{"c", "count"}, {"t", "engines"}, {"B", "baseline"}, {"↑/↓", "scroll"}, {"Esc", "no baseline"}, EB_LIST_HINTS},
    .create = counters_create,
    .destroy = counters_destroy,
    .shown = counters_shown,
    .draw = counters_draw,
    .key = counters_key,
    .pictured = counters_pictured,
    .typing = counters_typing,
    .hints = counters_hints,
    .column = counters_column,
};
