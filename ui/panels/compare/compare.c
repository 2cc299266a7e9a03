/* The panel Compare: engines side by side, while they run and afterwards: parts of the time, rates and their limits,
 * verdicts, and the whole report as scrollable text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/time_words.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "draw/plots/plot.h"
#include "draw/table.h"
#include "shell/background/progress.h"
#include "shell/defaults.h"
#include "ui/panels/compare/aside.h"
#include "ui/panels/compare/bars.h"
#include "ui/panels/compare/scene.h"
#include "ui/panels/exactness.h"
#include "ui/panels/panel.h"
#include "ui/widgets/report_view.h"
#include "ui/widgets/scroll.h"

enum {
    BESIDE = 130,     /* from this width on, the report stands beside the bars */
    FIGURES = 76,     /* columns of the report below the bars … */
    LEAST_ASIDE = 40, /* … if at least this many are left beside it */
    REASONED = 16,    /* from this height on, verdicts give their reason */
    AIRY = 24,        /* from this height on, empty rows separate the parts */
    NUMBER = 48,
};

typedef struct compare_state {
    int top;             /* first line of the report shown */
    unsigned long stamp; /* of the report when last drawn */
    eb_lanes lanes;      /* as the person asked */
    bool teams;          /* the report has a team's run */
} compare_state;

static eb_rect row_at(eb_rect area, int y) { return (eb_rect){area.x, y, area.width, y < area.y + area.height}; }

/* ---- the running command ---- */

static void draw_gpu(eb_canvas *canvas, eb_rect row, const eb_gpu_now *now)
{
    char text[NUMBER];
    int x = row.x + eb_put(canvas, row, row.x, row.y, EB_ROLE_DIM, "GPU now");
    if (!isnan(now->sm_clock_hz))
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "  %s",
                     eb_format_value(text, sizeof text, eb_real(now->sm_clock_hz), EB_HERTZ));
    if (!isnan(now->power_w))
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "  %s",
                     eb_format_value(text, sizeof text, eb_real(now->power_w), EB_WATTS));
    if (!isnan(now->temperature_c))
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "  %.0f °C", now->temperature_c);
    if (!isnan(now->busy))
        (void)eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "  %.0f %% busy", 100 * now->busy);
}

static bool gpu_known(const eb_gpu_now *now)
{
    return !isnan(now->sm_clock_hz) || !isnan(now->power_w) || !isnan(now->temperature_c) || !isnan(now->busy);
}

/* Draws progress and GPU while a command runs; returns the next row. */
static int draw_running(const eb_desk *desk, eb_canvas *canvas, eb_rect area, int y)
{
    const eb_progress *progress = eb_desk_progress(desk);
    char text[160];
    if (!eb_desk_busy(desk))
        return y;
    eb_rect row = row_at(area, y++);
    double share = eb_progress_share(progress);
    (void)eb_progress_text(progress, 0, text, sizeof text);
    int x = row.x + eb_put_short(canvas, row, row.x, row.y, EB_ROLE_PROMPT, text) + 2, room = row.x + row.width - x;
    if (!isnan(share) && room >= 4)
        eb_draw_meter(canvas, eb_rect_cut((eb_rect){x, row.y, room, 1}, row), EB_ROLE_SERIES, share);
    if (gpu_known(eb_desk_gpu(desk)))
        draw_gpu(canvas, row_at(area, y++), eb_desk_gpu(desk));
    return y;
}

/* ---- the bars ---- */

/* Draws the number of trials once all are done; while engines run, each bar shows its own number. */
static int put_trials(eb_canvas *canvas, eb_rect row, int x, const eb_compare_scene *s)
{
    double trials = s->sides > 0 && !s->live ? eb_value_number(s->side[0].trials) : NAN;
    for (size_t k = 1; k < s->sides; k++)
        if (eb_value_number(s->side[k].trials) != trials)
            return x;
    if (!(trials >= 1))
        return x;
    return x + eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, ", %.0f %s", trials, trials > 1 ? "trials" : "trial");
}

static void draw_title(eb_canvas *canvas, eb_rect row, const eb_compare_scene *s)
{
    char n[NUMBER], d[NUMBER], eps[NUMBER];
    const char *names[EB_MOST_SIDES];
    int x = row.x;
    for (size_t k = 0; k < s->sides; k++)
        names[k] = s->side[k].engine;
    for (size_t k = 0; k < s->sides; k++)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TITLE, "%s%s", k > 0 ? " beside " : "", s->side[k].engine);
    eb_value points = eb_report_find_field(s->report, EB_F(n)), radius = eb_report_find_field(s->report, EB_F(eps)),
             sample = eb_report_find_field(s->report, EB_F(sample));
    if (sample.kind != EB_NA)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TITLE, "  %s of", eb_format_value(n, sizeof n, sample, EB_PLAIN));
    if (points.kind != EB_NA)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s%s × %s", sample.kind != EB_NA ? " " : "  ",
                     eb_format_value(n, sizeof n, points, EB_PLAIN),
                     eb_format_value(d, sizeof d, eb_report_find_field(s->report, EB_F(d)), EB_PLAIN));
    if (radius.kind != EB_NA)
        x +=
            eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, ", ε = %s", eb_format_value(eps, sizeof eps, radius, EB_PLAIN));
    x = put_trials(canvas, row, x, s);
    x += eb_put_exactness(canvas, row, x, s->sides, names, " beside ");
    if (s->stale)
        x += eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, "  of another dataset");
    for (size_t k = 0; k < s->sides; k++)
        x += eb_put_unsaid(canvas, row, x, s->side[k].engine, s->side[k].device);
}

static bool any_executed(const eb_compare_scene *s)
{
    bool any = false;
    for (size_t k = 0; k < s->sides; k++)
        any |= s->side[k].executed;
    return any;
}

/* False for a derived rate (2·n²·d) beside executed ones: for an engine that skips most pairs, as boxes does, it has
 * another scale. */
static bool is_comparable(const eb_compare_scene *s, size_t k) { return s->side[k].executed || !any_executed(s); }

static double fastest(const eb_compare_scene *s)
{
    double most = NAN;
    for (size_t k = 0; k < s->sides; k++)
        most = is_comparable(s, k) ? fmax(most, s->side[k].rate) : most;
    return most;
}

static const char *rates_title(const eb_compare_scene *s, bool limited)
{
    for (size_t k = 0; k < s->sides && !limited; k++)
        if (!is_comparable(s, k) && !isnan(s->side[k].rate))
            return "Rates executed; derived ones, 2·n²·d, have no bar";
    return limited         ? "Rates, as shares of the device's measured limit"
           : s->sides > 2  ? "Rates, beside the fastest"
           : s->sides == 2 ? "Rates, beside the faster"
                           : "Rate; the device's limit is not known";
}

static void rate_text(const eb_side *side, char *text, size_t size)
{
    char rate[NUMBER], share[NUMBER];
    (void)eb_format_value(rate, sizeof rate, eb_real(side->rate), EB_TERAFLOPS);
    (void)eb_format_value(share, sizeof share, eb_real(side->limit_share), EB_PERCENT);
    (void)snprintf(text, size, isnan(side->limit_share) ? "%s %s" : "%s %s, %s of limit", rate,
                   side->executed ? "executed" : "derived", share);
}

static int draw_rates(eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s)
{
    char text[EB_MOST_SIDES][NUMBER * 3];
    int label_width = 0, text_width = 0;
    bool limited = false;
    for (size_t k = 0; k < s->sides; k++) {
        limited |= !isnan(s->side[k].limit_share);
        rate_text(&s->side[k], text[k], sizeof text[k]);
        label_width = eb_wider(label_width, s->side[k].engine);
        text_width = eb_wider(text_width, text[k]);
    }
    label_width = label_width < area.width / 3 ? label_width : area.width / 3;
    (void)eb_put_short(canvas, row_at(area, y), area.x, y, EB_ROLE_TITLE, rates_title(s, limited));
    for (size_t k = 0; k < s->sides; k++) {
        const eb_side *side = &s->side[k];
        /* No bar for a side without a limit beside sides with one: it would have another scale. */
        double part = limited ? side->limit_share : is_comparable(s, k) ? side->rate / fastest(s) : NAN;
        bool mistaken = limited && part > 1;
        eb_draw_bar_row(canvas, row_at(area, y + 1 + (int)k), label_width, text_width,
                        &(eb_bar_row){.label = side->engine,
                                      .role = mistaken ? EB_ROLE_BAD : EB_ROLE_SERIES + 1,
                                      .share = isnan(part) ? NAN : fmin(part, 1),
                                      .text = text[k],
                                      .text_role = mistaken ? EB_ROLE_BAD : EB_ROLE_TEXT});
    }
    return y + 1 + (int)s->sides;
}

/* ---- verdicts ---- */

static int put_verdict(eb_canvas *canvas, eb_rect row, int x, const eb_record *record, const char *what,
                       const eb_column *verdict_key, const eb_column *ratio_key)
{
    char ratio[NUMBER];
    eb_value verdict = eb_record_find(record, verdict_key);
    if (verdict.kind != EB_TEXT)
        return x;
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s ", what);
    x += eb_put(canvas, row, x, row.y, eb_role_of_word(verdict.as.text, EB_ROLE_TEXT), verdict.as.text);
    return x + eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, " %s   ",
                       eb_format_value(ratio, sizeof ratio, eb_record_find(record, ratio_key), EB_RATIO));
}

/* Draws the reasons of the verdicts, as many as the height allows; returns the next row. */
static int draw_reasons(eb_canvas *canvas, eb_rect area, int y, const eb_record *verdict)
{
    static const eb_column *const keys[] =
        EB_LIST(EB_F(kernel_reason), EB_F(total_reason), EB_F(kernel_s), EB_F(total_s));
    for (size_t k = 0; k < 2 && area.height >= (k == 0 ? REASONED : AIRY); k++) {
        eb_value reason = eb_record_find(verdict, keys[k]);
        char text[200];
        if (reason.kind != EB_TEXT)
            continue;
        (void)snprintf(text, sizeof text, "%s: %s", keys[k + 2]->title, reason.as.text);
        (void)eb_put_short(canvas, row_at(area, y), area.x, y, EB_ROLE_DIM, text);
        y++;
    }
    return y;
}

static int draw_outcome(eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s)
{
    char text[NUMBER];
    const eb_record *verdict = eb_report_find_record(s->report, EB_F(verdict));
    eb_value overlap = eb_record_find(eb_report_find_record(s->report, EB_F(accuracy)), EB_F(overlap));
    const eb_table *verdicts = eb_report_find_table(s->report, EB_F(verdicts));
    if ((!verdict && overlap.kind == EB_NA) || (verdicts && verdicts->rows > 1)) /* the report lists several verdicts */
        return y;
    eb_rect row = row_at(area, y);
    int x = put_verdict(canvas, row, row.x, verdict, "kernels", EB_F(kernel), EB_F(kernel_ratio));
    x = put_verdict(canvas, row, x, verdict, "end to end", EB_F(total), EB_F(total_ratio));
    (void)eb_put(canvas, row, x, y, EB_ROLE_DIM, "overlap ");
    (void)eb_put(canvas, row, x + 8, y, EB_ROLE_TEXT, eb_format_value(text, sizeof text, overlap, EB_PERCENT));
    return draw_reasons(canvas, area, y + 1, verdict);
}

/* Warns that an emulation's time says nothing about a GPU. */
static int draw_emulation(eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s)
{
    eb_value spec = eb_report_find_field(s->report, EB_F(emulated));
    if (spec.kind != EB_TEXT)
        return y;
    char text[160];
    (void)snprintf(text, sizeof text, "%.60s on a CPU is an emulation: its time says nothing about a GPU",
                   spec.as.text);
    (void)eb_put_short(canvas, row_at(area, y), area.x, y, EB_ROLE_WARNING, text);
    return y + 1;
}

/* ---- the panel ---- */

static void follow(compare_state *state, const eb_desk *desk, const eb_compare_scene *s)
{
    unsigned long stamp = s->report && !s->live ? eb_desk_report_stamp(desk, s->report->command) : state->stamp;
    if (stamp != state->stamp)
        state->top = 0;
    state->stamp = stamp;
}

static void draw_scene(compare_state *state, eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s)
{
    bool beside = area.width >= BESIDE, airy = area.height >= AIRY;
    eb_rect left = area, text, aside;
    if (beside)
        left.width = area.width / 2 - 1;
    draw_title(canvas, row_at(left, y), s);
    int below = y + 1;
    if (s->warning)
        below += eb_put_wrapped(canvas, (eb_rect){left.x, below, left.width, area.y + area.height - below},
                                EB_ROLE_WARNING, s->warning);
    below = draw_emulation(canvas, left, below, s) + airy;
    below = eb_draw_compare_bars(canvas, left, below, s, eb_lanes_unfolded(s, state->lanes, area.height)) + airy;
    below = draw_rates(canvas, left, below, s) + airy;
    int outcome = draw_outcome(canvas, left, below, s);
    below = outcome > below ? outcome + airy : below;
    text = aside = (eb_rect){area.x, below, area.width, area.y + area.height - below};
    if (beside) {
        text = (eb_rect){left.x + left.width + 2, y, area.width - left.width - 2, area.y + area.height - y};
        aside.width = left.width;
    } else {
        text.width = area.width >= FIGURES + 2 + LEAST_ASIDE ? FIGURES : area.width;
        aside.x += text.width + 2;
        aside.width = area.width - text.width - 2;
    }
    eb_draw_compare_aside(canvas, aside, s);
    (void)eb_draw_report(canvas, text, s->report, EB_PARTS_TEXT, &state->top);
}

static void compare_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    compare_state *state = panel_state;
    eb_compare_scene s = eb_compare_scene_of(desk);
    if (eb_rect_empty(area))
        return;
    follow(state, desk, &s);
    state->teams = s.lanes > 0;
    int y = draw_running(desk, canvas, area, area.y);
    eb_rect rest = {area.x, y, area.width, area.y + area.height - y};
    if (s.sides > 0)
        draw_scene(state, canvas, area, y, &s);
    else if (s.report)
        (void)eb_draw_report(canvas, rest, s.report, EB_PARTS_TEXT | EB_PARTS_PLOTS, &state->top);
    else if (!eb_desk_busy(desk))
        eb_draw_empty_panel(&eb_panel_compare, desk, canvas, rest);
}

static void compare(eb_desk *desk)
{
    eb_run_at_eps(desk, "compare " EB_FAST " " EB_TRUE, "compare " EB_FAST " " EB_TRUE " S=", "compare");
}

/* Shows each device of teams, or folds them, whichever is not so now. */
static void turn_lanes(compare_state *state, const eb_desk *desk, eb_rect area)
{
    const eb_compare_scene s = eb_compare_scene_of(desk);
    state->lanes = eb_lanes_unfolded(&s, state->lanes, area.height) ? EB_LANES_FOLDED : EB_LANES_EACH;
}

static bool compare_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    compare_state *state = panel_state;
    const bool begins = eb_key_is(key, EB_ENTER) && !eb_compare_scene_of(desk).report && !eb_desk_busy(desk);
    if (begins)
        eb_type_first_step(&eb_panel_compare, desk);
    else if (eb_key_is(key, 'c'))
        compare(desk);
    else if (eb_key_is(key, 'j'))
        eb_desk_type(desk, "join ");
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "compare " EB_FAST " " EB_TRUE " S=");
    else if (eb_key_is(key, 'm') && state->teams)
        turn_lanes(state, desk, area);
    else
        return eb_compare_scene_of(desk).report && eb_scroll_key(&state->top, key, area.height);
    return true;
}

#define EB_COMPARE_HINTS                                                                                               \
    {"c", "compare"}, {"t", "compare at S"}, {"j", "join"}, { "↑/↓", "scroll" }

static const eb_hint *compare_hints(const void *panel_state)
{
    static const eb_hint of_teams[] = {EB_COMPARE_HINTS, {"m", "devices"}, {NULL, NULL}};
    return ((const compare_state *)panel_state)->teams ? of_teams : NULL;
}

static void *compare_create(void) { return calloc(1, sizeof(compare_state)); }

static const char *compare_pictured(void *panel_state, const eb_desk *desk)
{
    (void)panel_state;
    return eb_desk_newest(desk, "compare|join");
}

const eb_panel eb_panel_compare = {
    .name = "compare",
    .title = "Compare",
    .about =
        "Engines side by side: where their time goes, how near they come to the device's limits, whether they agree. "
        "Times are of " EB_TIMES_BRIEF ".",
    .empty = "Nothing compared yet. A comparison runs engines on the same points at the same ε.",
    .begin = {{"compare " EB_FAST " " EB_TRUE " S=64", "FASTED beside the FP64 truth: where the time goes, rates and "
                                                       "the limits of the device, overlap and errors of the results"},
              {"join " EB_FAST " S=64", "one engine alone: its time, its pairs"},
              {"Enter", "puts the first of these on the command line"}},
    .of_points = true,
    .hint = {EB_COMPARE_HINTS},
    .hints = compare_hints,
    .create = compare_create,
    .destroy = free,
    .draw = compare_draw,
    .key = compare_key,
    .pictured = compare_pictured,
};
