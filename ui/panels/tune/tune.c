/* The panel Tune: the S(ε) curve and an ε that the person moves along it. The expected S is interpolated on the curve
 * at once; an exact count is a command. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/table.h"
#include "shell/defaults.h"
#include "ui/panels/panel.h"
#include "ui/panels/tune/density.h"
#include "ui/panels/tune/scene.h"
#include "ui/widgets/report_view.h"
#include "ui/widgets/scroll.h"

enum { COARSE = 20, MOST_ZOOM = 10, NUMBER = 48, LABEL = NUMBER + 8, EXACT = 24 };

/* ---- drawing ---- */

/* Formats an estimate with four digits. */
static const char *estimate(char *buffer, double value)
{
    char digits[NUMBER];
    (void)snprintf(digits, sizeof digits, "%.4g", value);
    return eb_format_value(buffer, NUMBER, eb_real(strtod(digits, NULL)), EB_PLAIN);
}

/* Draws the estimated S with its interval; returns the next column. */
static int put_estimate(eb_canvas *canvas, eb_rect row, int x, eb_role role, const eb_expectation *e)
{
    char a[NUMBER], b[NUMBER];
    x += eb_putf(canvas, row, x, row.y, role, "S ≈ %s", estimate(a, e->s)) + 1;
    if (!isnan(e->low) && !isnan(e->high))
        x += eb_putf(canvas, row, x, row.y, role, "[%s, %s]", estimate(a, e->low), estimate(b, e->high)) + 1;
    return x + 1;
}

/* Draws the expected S and |R|; n 0: the curve is of another dataset. */
static void draw_expected(eb_canvas *canvas, eb_rect row, int x, const eb_expectation *e, uint64_t n)
{
    char pairs[NUMBER];
    if (isnan(e->s)) {
        (void)eb_put(canvas, row, x, row.y, EB_ROLE_DIM, "beyond the curve");
        return;
    }
    x = put_estimate(canvas, row, x, EB_ROLE_TEXT, e);
    if (n > 0)
        (void)eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "≈ %s pairs", estimate(pairs, round((e->s + 1) * (double)n)));
}

static void draw_counted(eb_canvas *canvas, eb_rect row, int x, const eb_counted *c)
{
    char number[NUMBER], pairs[NUMBER];
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_GOOD, "S = %s",
                 eb_format_value(number, sizeof number, eb_real(c->s), EB_PLAIN));
    (void)eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, ", %s pairs, counted by %s",
                  eb_format_value(pairs, sizeof pairs, c->pairs, EB_PLAIN), c->by);
}

/* Draws the sampled estimate beside an exact count. */
static void draw_sampled(eb_canvas *canvas, eb_rect row, const eb_expectation *e, const eb_counted *c)
{
    if (isnan(e->s))
        return;
    int x = row.x + eb_put(canvas, row, row.x, row.y, EB_ROLE_DIM, "sampled: ");
    x = put_estimate(canvas, row, x, EB_ROLE_DIM, e);
    if (c->s < e->low || c->s > e->high)
        (void)eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, "the count is outside the interval");
}

/* Draws ε and its S: exact if counted, otherwise estimated. Returns the rows used. */
static int draw_head(eb_canvas *canvas, eb_rect area, const eb_tune_scene *s, double eps, uint64_t n)
{
    const eb_counted c = eb_tune_counted(s, eps);
    const eb_expectation e = eb_tune_expected(s, eps);
    const eb_rect row = {area.x, area.y, area.width, 1}, next = {area.x, area.y + 1, area.width, area.height > 1};
    const int x = row.x + eb_putf(canvas, row, row.x, row.y, EB_ROLE_CURSOR, "ε = %.9g", eps) + 2;
    if (isnan(c.s)) {
        draw_expected(canvas, row, x, &e, n);
        (void)eb_put_short(canvas, next, next.x, next.y, EB_ROLE_DIM,
                           s->stale ? "" : "an estimate; Enter: count exactly at this ε");
    } else {
        draw_counted(canvas, row, x, &c);
        draw_sampled(canvas, next, &e, &c);
    }
    return area.height > 1 ? 2 : 1;
}

/* The mark of a target of tune: ◆ if counted, otherwise ◇. */
static eb_mark target_mark(const eb_table *targets, size_t row, char label[LABEL])
{
    char wanted[NUMBER];
    const eb_value s_wanted = eb_table_value(targets, row, EB_F(wanted));
    const bool counted = eb_table_value(targets, row, EB_F(pairs)).kind != EB_NA;
    (void)snprintf(label, LABEL, "S=%s", eb_format_value(wanted, sizeof wanted, s_wanted, EB_PLAIN));
    return (eb_mark){.x = eb_tune_target_eps(targets, row),
                     .y = eb_value_number(counted ? eb_table_value(targets, row, EB_F(selectivity)) : s_wanted),
                     .role = EB_ROLE_TARGET,
                     .sign = counted ? 0x25C6 : 0x25C7,
                     .ascii = counted ? 'o' : '?',
                     .label = s_wanted.kind == EB_NA ? NULL : label};
}

/* Marks tune's targets and the counts of other commands (●). */
static void draw_marks(eb_canvas *canvas, const eb_plot *plot, const eb_tune_scene *s)
{
    char label[EB_MOST_MARKS][LABEL];
    eb_mark mark[EB_MOST_MARKS];
    size_t count = 0;
    for (size_t row = 0; s->targets && row < s->targets->rows && count < EB_MOST_MARKS; row++, count++)
        mark[count] = target_mark(s->targets, row, label[count]);
    for (size_t k = 0; k < s->count && count < EB_MOST_MARKS; k++)
        mark[count++] = (eb_mark){s->counted[k].eps, s->counted[k].s, EB_ROLE_GOOD, 0x25CF, 'x', NULL};
    eb_plot_marks(canvas, plot, mark, count);
}

static void draw_series(eb_canvas *canvas, const eb_plot *plot, const eb_series *series, eb_role role)
{
    if (series)
        eb_plot_line(canvas, plot, series->points, series->x, series->y, role);
}

static void draw_band(eb_canvas *canvas, const eb_plot *plot, const eb_series *series)
{
    if (series && series->low && series->high)
        eb_plot_band(canvas, plot, series->points, series->x, series->low, series->high, EB_ROLE_BAND);
}

static void draw_plot(eb_tune_state *state, eb_canvas *canvas, eb_rect area, const eb_tune_scene *s)
{
    state->plot = eb_tune_plot(state, s);
    if (!eb_plot_frame(canvas, area, &state->plot)) {
        state->plot.area = (eb_rect){0};
        return;
    }
    const eb_plot *plot = &state->plot;
    draw_band(canvas, plot, s->sampled);
    draw_band(canvas, plot, s->curve);
    draw_series(canvas, plot, s->sampled, EB_ROLE_SERIES);
    draw_series(canvas, plot, s->curve, s->curve == s->sweep ? EB_ROLE_SERIES + 1 : EB_ROLE_SERIES);
    for (size_t k = 0; s->sweep && k < s->sweep->points; k++)
        eb_plot_mark(canvas, plot, s->sweep->x[k], s->sweep->y[k], EB_ROLE_SERIES + 1, 0x2022, '+', NULL); /* • */
    eb_plot_vertical(canvas, plot, state->eps, EB_ROLE_CURSOR, NULL);
    draw_marks(canvas, plot, s);
}

/* The table below the curve: the exact points if the newest curve is a sweep's, otherwise the targets. */
static const eb_table *table_of(const eb_tune_scene *s)
{
    return s->curve == s->sweep && s->swept ? s->swept : s->targets;
}

/* Rows of that table. While a command runs, sampled targets are all that is known, so they need less room to be shown.
 */
static int table_rows(const eb_tune_scene *s, eb_rect area)
{
    const eb_table *table = table_of(s);
    int most = area.height / 4, wanted = table && table->rows < 100 ? (int)table->rows + 1 : 0;
    int least = s->live ? 10 : 16;
    return area.height < least ? 0 : wanted < most ? wanted : most;
}

static void draw_scene(eb_tune_state *state, eb_canvas *canvas, eb_rect area, const eb_tune_scene *s, uint64_t n,
                       const char *behind)
{
    int bottom = area.y + area.height, y = area.y;
    y += draw_head(canvas, area, s, state->eps, n);
    if (s->live && y < bottom)
        (void)eb_put_short(canvas, area, area.x, y++, EB_ROLE_DIM,
                           s->targets ? "sampled; the exact pass goes on and replaces it; Ctrl-C keeps the sampled ε"
                                      : "sampled; a finer curve is on its way");
    else if (behind[0] && y < bottom)
        (void)eb_putf(canvas, area, area.x, y++, EB_ROLE_DIM, "sampled; %s; `tune stop` leaves it", behind);
    if (s->stale && y < bottom)
        (void)eb_put_short(canvas, area, area.x, y++, EB_ROLE_WARNING,
                           "the curve is another dataset's; Enter: sample the curve of this one");
    if (state->numbers) {
        (void)eb_draw_report(canvas, (eb_rect){area.x, y, area.width, bottom - y}, s->newest, EB_PARTS_TEXT,
                             &state->top);
        return;
    }
    int rows = table_rows(s, area);
    if (rows > 0)
        (void)eb_draw_plain_table(canvas, (eb_rect){area.x, bottom - rows, area.width, rows}, table_of(s));
    draw_plot(state, canvas, (eb_rect){area.x, y, area.width, bottom - rows - y}, s);
}

/* Draws the panel without a curve; shows S if a join or a comparison has counted it. */
static void draw_empty(const eb_tune_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area,
                       const eb_tune_scene *s)
{
    const eb_counted c = eb_tune_counted(s, state->eps);
    if (!isnan(c.s)) {
        const eb_rect row = {area.x, area.y, area.width, 1};
        const int x = row.x + eb_putf(canvas, row, row.x, row.y, EB_ROLE_CURSOR, "ε = %.9g", state->eps) + 2;
        draw_counted(canvas, row, x, &c);
        area.y += 2;
        area.height -= 2;
    }
    eb_draw_empty_panel(&eb_panel_tune, desk, canvas, area);
}

static unsigned long later(unsigned long a, unsigned long b) { return a > b ? a : b; }

/* Brings the newest result to the front: a curve, or a result about density. */
static void follow(eb_tune_state *state, const eb_desk *desk)
{
    const unsigned long density = eb_density_stamp(desk), sampled = eb_desk_report_stamp(desk, "curve");
    const unsigned long exact = later(eb_desk_report_stamp(desk, "tune"), eb_desk_report_stamp(desk, "sweep"));
    const unsigned long curve = later(exact, sampled);
    if (density > state->density_seen)
        state->density = true;
    else if (curve > state->curve_seen || (density == 0 && state->density_seen > 0))
        state->density = false;
    state->density_seen = density;
    state->curve_seen = curve;
}

static void tune_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    eb_tune_state *state = panel_state;
    eb_tune_scene s = eb_tune_scene_of(state, desk);
    const eb_facts *facts = eb_desk_facts(desk);
    state->plot.area = (eb_rect){0};
    if (eb_rect_empty(area))
        return;
    follow(state, desk);
    state->density = state->density && !s.live; /* a curve is being sampled */
    if (state->density)
        eb_draw_density(desk, canvas, area, state->eps);
    else if (s.curve)
        draw_scene(state, canvas, area, &s, s.stale ? 0 : facts->n, facts->behind);
    else
        draw_empty(state, desk, canvas, area, &s);
}

/* ---- keys ---- */

static void count_exactly(eb_tune_state *state, eb_desk *desk)
{
    char eps[EXACT + 8];
    if (!eb_desk_facts(desk)->has_dataset) {
        eb_desk_say(desk, EB_TONE_WARNING, "there is no dataset to count in: load one first");
        return;
    }
    state->counted_eps = state->eps;
    eb_desk_run(desk, "join " EB_SURE " eps=%s trials=1 count", eb_format_exact(eps, sizeof eps, state->eps));
}

static void sample(eb_desk *desk)
{
    if (eb_desk_facts(desk)->has_dataset)
        eb_desk_run(desk, "curve");
    else
        eb_desk_say(desk, EB_TONE_WARNING, "there is no dataset to sample: load one first");
}

static void type_sweep(const eb_tune_state *state, eb_desk *desk)
{
    char low[NUMBER], high[NUMBER];
    const eb_axis *x = &state->plot.x;
    bool plotted = !eb_rect_empty(state->plot.area);
    (void)snprintf(low, sizeof low, "%.4g", x->low);
    (void)snprintf(high, sizeof high, "%.4g", x->high);
    if (plotted && strtod(low, NULL) < strtod(high, NULL))
        eb_desk_type(desk, "sweep eps=%s..%s", low, high);
    else
        eb_desk_type(desk, "sweep S=");
}

/* Handles keys that move ε, zoom or scroll. */
static bool move(eb_tune_state *state, eb_tune_scene *s, eb_key key)
{
    int steps = key.modifiers & EB_SHIFT ? COARSE : 1;
    unsigned most = state->zoom < MOST_ZOOM ? state->zoom + 1 : MOST_ZOOM;
    if (key.code == EB_KEY_LEFT || key.code == EB_KEY_WHEEL_DOWN)
        state->eps = eb_dial_turn(&s->dial, state->eps, -steps);
    else if (key.code == EB_KEY_RIGHT || key.code == EB_KEY_WHEEL_UP)
        state->eps = eb_dial_turn(&s->dial, state->eps, steps);
    else if (key.code == EB_KEY_HOME)
        state->eps = s->dial.low;
    else if (key.code == EB_KEY_END)
        state->eps = s->dial.high;
    else if (key.code == EB_KEY_CLICK && eb_rect_has(state->plot.area, key.x, key.y))
        state->eps = eb_dial_at(&s->dial, eb_dial_share(&s->dial, eb_plot_x_at(&state->plot, key.x)));
    else if (eb_key_is(key, '+'))
        eb_tune_zoom(state, s, most);
    else if (eb_key_is(key, '-'))
        eb_tune_zoom(state, s, state->zoom > 0 ? state->zoom - 1 : 0);
    else if (eb_key_is(key, EB_ESCAPE) && state->zoom > 0)
        eb_tune_zoom(state, s, 0);
    else
        return false;
    state->moved = true;
    eb_tune_keep_in_sight(state, s);
    return true;
}

/* Handles keys of the part about density; true if the key was one of them. */
static bool ask_for_density(eb_tune_state *state, eb_desk *desk, eb_key key)
{
    char eps[EXACT + 8];
    const bool asked = state->density && eb_desk_facts(desk)->has_dataset;
    if (eb_key_is(key, 'd') || (state->density && eb_key_closes(key)))
        state->density = !state->density;
    else if (asked && eb_key_is(key, 'k'))
        eb_desk_run(desk, "kdistance");
    else if (asked && eb_key_is(key, 'c'))
        eb_desk_run(desk, "clusters");
    else if (asked && eb_key_is(key, 'w') && state->eps > 0)
        eb_desk_run(desk, "dbscan eps=%s", eb_format_exact(eps, sizeof eps, state->eps));
    else
        return false;
    return true;
}

static bool tune_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    eb_tune_state *state = panel_state;
    eb_tune_scene s = eb_tune_scene_of(state, desk);
    if (eb_key_is(key, 't')) {
        eb_desk_type(desk, "tune S=");
        return true;
    }
    if (eb_key_is(key, 's')) {
        type_sweep(state, desk);
        return true;
    }
    if (ask_for_density(state, desk, key))
        return true;
    if (!s.curve || s.stale) {
        const bool samples = eb_key_is(key, EB_ENTER) && !eb_desk_busy(desk);
        if (samples)
            sample(desk);
        if (samples || !s.curve)
            return samples;
    }
    if (eb_key_is(key, 'v') || (state->numbers && eb_key_closes(key))) {
        state->density = false;
        state->numbers = !state->numbers;
        state->top = 0;
        return true;
    }
    if (state->numbers && eb_scroll_key(&state->top, key, area.height))
        return true;
    if (!eb_key_is(key, EB_ENTER))
        return move(state, &s, key);
    count_exactly(state, desk);
    return true;
}

/* ---- the panel ---- */

/* Remembers the counts of each report as it arrives. */
static void tune_shown(void *panel_state, eb_desk *desk) { (void)eb_tune_scene_of(panel_state, desk); }

static void *tune_create(void)
{
    eb_tune_state *state = calloc(1, sizeof *state);
    if (state)
        state->eps = state->session_eps = state->counted_eps = NAN;
    return state;
}

static const char *tune_pictured(void *panel_state, const eb_desk *desk)
{
    const bool density = ((const eb_tune_state *)panel_state)->density;
    return eb_desk_newest(desk, density ? "clusters|dbscan|kdistance|neighbours|tune" : "tune|curve|sweep");
}

const eb_panel eb_panel_tune = {
    .name = "tune",
    .title = "Tune",
    .about =
        "How many neighbours a point has on average (S) within ε: move ε along the sampled curve, then count exactly.",
    .empty = "No curve yet. It shows how many others a point has within ε on average, S, for each ε.",
    .begin = {{"Enter", "sample the curve S(ε), with its 95 % interval; the same as `curve`"},
              {"tune S=64", "the ε at which S is 64, exactly; it becomes the ε of `compare` and `join`"},
              {"sweep S=16..256", "exact counts at several ε, beside the sampled curve"},
              {"kdistance", "the ε by density: where the k-distances bend; `clusters`: what DBSCAN finds"}},
    .of_points = true,
    .hint = {{"←/→", "move ε"},
             {"Shift", "×20"},
             {"Home/End", "ends"},
             {"Enter", "count"},
             {"t", "tune S"},
             {"s", "sweep"},
             {"v", "numbers"},
             {"+/-", "zoom"},
             {"d", "density"},
             {"c", "clusters"},
             {"k", "k-distances"},
             {"w", "which cluster"}},
    .create = tune_create,
    .destroy = free,
    .shown = tune_shown,
    .draw = tune_draw,
    .key = tune_key,
    .pictured = tune_pictured,
};
