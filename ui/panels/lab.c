/* Lab: what each of an engine's optimisations is worth, here and in its paper, and how near the roofline engines come;
 * its other half is rates over n × d (rates.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "core/study/time_words.h"
#include "draw/format.h"
#include "draw/plots/bar_row.h"
#include "ui/panels/panel.h"
#include "ui/panels/rates.h"
#include "ui/panels/roofline.h"
#include "ui/widgets/scroll.h"

enum {
    BESIDE = 130, /* columns from which on the roofline stands beside the bars */
    NUMBER = 48,
};

typedef struct lab_state {
    bool roofline; /* looked at where only one has room */
    bool asked_list, asked_devices;
    unsigned long stamp; /* of the report when last drawn */
    int top;             /* first line shown */
    bool rates;          /* the other half is shown */
    eb_rates_view view;
    unsigned long rates_stamp; /* of its report, and whether it was of a grid that ran, when last drawn */
    bool live;
} lab_state;

/* ---- bars ---- */

/* A set of switches: what it reaches here, what the paper says. TFLOPS, NAN where unknown. */
typedef struct variant {
    const char *name, *what; /* never NULL */
    double here, there;
    double slowdown, published_slowdown, model_slowdown;
    const char *verdict, *results; /* "" when unknown */
} variant;

static const char *text_of(eb_value value) { return value.kind == EB_TEXT ? value.as.text : ""; }

/* Of `ablate` or, without a GPU, `ablate list`. False beyond the last. */
static bool variant_at(const eb_report *ablate, size_t index, variant *out)
{
    const eb_table *t = eb_report_find_table(ablate, "variants");
    bool listed = t == NULL;
    if (listed)
        t = eb_report_find_table(ablate, "switches");
    size_t rows = t ? t->rows + listed : 0; /* the list has no row for everything on */
    if (index >= rows)
        return false;
    bool all_on = listed && index == 0;
    size_t row = index - listed;
    double published = eb_value_number(eb_report_find_field(ablate, "published_tflops"));
    *out = (variant){.name = "(all on)",
                     .what = isnan(published) ? "everything on" : "every switch of the paper",
                     .here = NAN,
                     .there = published,
                     .slowdown = NAN,
                     .published_slowdown = 1,
                     .model_slowdown = NAN,
                     .verdict = "",
                     .results = ""};
    if (all_on)
        return true;
    out->name = text_of(eb_table_value(t, row, "switch"));
    out->what = text_of(eb_table_value(t, row, "summary"));
    out->there = eb_value_number(eb_table_value(t, row, "published_tflops"));
    out->published_slowdown = eb_value_number(eb_table_value(t, row, "published_slowdown"));
    out->model_slowdown = eb_value_number(eb_table_value(t, row, "model_slowdown"));
    if (listed)
        return true;
    out->here = eb_value_number(eb_table_value(t, row, "tflops_derived"));
    out->slowdown = eb_value_number(eb_table_value(t, row, "slowdown"));
    out->verdict = text_of(eb_table_value(t, row, "verdict"));
    out->results = text_of(eb_table_value(t, row, "results"));
    return true;
}

/* Rates of two GPUs: each is shown as a share of what everything on reaches on the same one. */
typedef struct scale {
    double here, there; /* everything on */
    double most;        /* the longest bar */
    bool measured, published;
    int label, text; /* columns */
} scale;

/* What the machine model says of it: "", where it says nothing. */
static const char *text_model(const variant *v, char text[NUMBER])
{
    char slowdown[NUMBER - 12];
    text[0] = '\0';
    if (!isnan(v->model_slowdown))
        (void)snprintf(text, NUMBER, "  model %s",
                       eb_format_value(slowdown, sizeof slowdown, eb_real(v->model_slowdown), EB_RATIO));
    return text;
}

static void text_here(const variant *v, char *text, size_t size)
{
    char rate[NUMBER], slowdown[NUMBER], model[NUMBER];
    (void)eb_format_value(rate, sizeof rate, eb_real(v->here), EB_TERAFLOPS);
    (void)eb_format_value(slowdown, sizeof slowdown, eb_real(v->slowdown), EB_RATIO);
    (void)snprintf(text, size, "%s  %s time%s  %s%s", rate, slowdown, text_model(v, model), v->verdict,
                   strcmp(v->results, "DIFFERENT") == 0 ? ", DIFFERENT results" : "");
}

static void text_there(const variant *v, const scale *s, char *text, size_t size)
{
    char rate[NUMBER], slowdown[NUMBER], model[NUMBER];
    (void)eb_format_value(rate, sizeof rate, eb_real(v->there), EB_TERAFLOPS);
    (void)eb_format_value(slowdown, sizeof slowdown, eb_real(v->published_slowdown), EB_RATIO);
    if (isnan(v->there))
        (void)snprintf(text, size, "%s", s->published ? "not in the paper" : "nothing published");
    else
        (void)snprintf(text, size, "%s  %s time%s", rate, slowdown, s->measured ? "" : text_model(v, model));
}

static scale measure(const eb_report *ablate)
{
    scale s = {.here = NAN, .there = NAN, .most = 1, .measured = eb_report_find_table(ablate, "variants") != NULL};
    char text[NUMBER * 5];
    variant v;
    for (size_t k = 0; variant_at(ablate, k, &v); k++)
        s.published |= !isnan(v.there);
    for (size_t k = 0; variant_at(ablate, k, &v); k++) {
        if (k == 0)
            s.here = v.here, s.there = v.there;
        s.most = fmax(s.most, fmax(v.here / s.here, v.there / s.there));
        s.label = eb_wider(s.label, v.name);
        text_there(&v, &s, text, sizeof text);
        if (!s.measured || s.published)
            s.text = eb_wider(s.text, text);
        text_here(&v, text, sizeof text);
        if (s.measured)
            s.text = eb_wider(s.text, text);
    }
    s.label = s.measured && s.published ? eb_wider(s.label, "  paper") : s.label;
    return s;
}

static eb_role role_of(const variant *v)
{
    if (strcmp(v->results, "DIFFERENT") == 0)
        return EB_ROLE_BAD;
    return strcmp(v->verdict, "UNCLEAR") == 0 ? EB_ROLE_WARNING : EB_ROLE_TEXT;
}

/* Line 0: here, where it was measured; the next: the paper's; the last: what the switch is, in a list. */
static void draw_line(eb_canvas *canvas, eb_rect at, const variant *v, const scale *s, int line)
{
    char text[NUMBER * 5];
    bool here = s->measured && line == 0;
    if (!s->measured && line == 1) {
        eb_rect row = {at.x + s->label + 2, at.y, at.width - s->label - 2, 1};
        (void)eb_put_short(canvas, row, row.x, row.y, EB_ROLE_DIM, v->what);
        return;
    }
    if (here)
        text_here(v, text, sizeof text);
    else
        text_there(v, s, text, sizeof text);
    eb_draw_bar_row(canvas, at, s->label, s->text,
                    &(eb_bar_row){.label = s->measured && !here ? "  paper" : v->name,
                                  .role = here ? EB_ROLE_SERIES : EB_ROLE_SERIES + 2,
                                  .share = (here ? v->here / s->here : v->there / s->there) / s->most,
                                  .text = text,
                                  .text_role = here ? role_of(v) : EB_ROLE_DIM});
}

/* Of each variant. */
static int lines_of(const scale *s) { return s->measured && !s->published ? 1 : 2; }

static void draw_bars(lab_state *state, eb_canvas *canvas, eb_rect area, const eb_report *ablate)
{
    scale s = measure(ablate);
    variant v;
    int y = 0, lines = 0;
    if (eb_rect_empty(area))
        return;
    for (size_t k = 0; variant_at(ablate, k, &v); k++)
        lines += lines_of(&s);
    eb_scroll_fit(canvas, area, lines, &state->top);
    for (size_t k = 0; variant_at(ablate, k, &v); k++)
        for (int line = 0; line < lines_of(&s); line++, y++)
            if (y >= state->top && y < state->top + area.height)
                draw_line(canvas, (eb_rect){area.x, area.y + y - state->top, area.width - 1, 1}, &v, &s, line);
}

/* ---- drawing ---- */

static void draw_ablation(lab_state *state, eb_canvas *canvas, eb_rect area, const eb_report *ablate)
{
    char n[NUMBER], d[NUMBER];
    if (eb_rect_empty(area))
        return;
    if (!ablate) {
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM, eb_panel_lab.empty);
        return;
    }
    eb_rect title = {area.x, area.y, area.width, 1}, body = {area.x, area.y + 1, area.width, area.height - 1};
    if (eb_report_find_table(ablate, "variants")) {
        const char *preset = text_of(eb_report_find_field(ablate, "preset"));
        int x = area.x + eb_putf(canvas, title, area.x, area.y, EB_ROLE_TITLE,
                                 preset[0] ? "%s (%s) without each switch" : "%s%s without each switch",
                                 text_of(eb_report_find_field(ablate, "engine")), preset);
        (void)eb_putf(canvas, title, x, area.y, EB_ROLE_DIM, "  %s × %s on %s%s",
                      eb_format_value(n, sizeof n, eb_report_find_field(ablate, "n"), EB_PLAIN),
                      eb_format_value(d, sizeof d, eb_report_find_field(ablate, "d"), EB_PLAIN),
                      text_of(eb_report_find_field(ablate, "device")),
                      measure(ablate).published ? ", beside the published" : "");
    } else {
        const eb_item *list = eb_report_find(ablate, EB_TABLE, "switches");
        int x = area.x + eb_put(canvas, title, area.x, area.y, EB_ROLE_TITLE, list ? list->title : "");
        if (ablate->notes > 0)
            (void)eb_put_short(canvas, (eb_rect){x + 2, area.y, area.x + area.width - x - 2, 1}, x + 2, area.y,
                               eb_is_warning(ablate->note[0]) ? EB_ROLE_WARNING : EB_ROLE_DIM, ablate->note[0]);
    }
    draw_bars(state, canvas, body, ablate);
}

/* Of the command that runs, what it has so far. */
static const eb_report *live_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_busy(desk) ? eb_desk_live(desk) : NULL;
    return live && strcmp(live->command, "ablate") == 0 && eb_report_find_table(live, "variants") ? live : NULL;
}

static const eb_report *follow(lab_state *state, const eb_desk *desk)
{
    if (live_of(desk))
        return live_of(desk);
    unsigned long stamp = eb_desk_report_stamp(desk, "ablate");
    const eb_report *newest = eb_desk_report(desk, "ablate");
    if (stamp != state->stamp) {
        state->top = 0; /* the list comes unasked: rates do not make way for it */
        state->rates &= stamp < state->rates_stamp || !eb_report_find_table(newest, "variants");
    }
    state->stamp = stamp;
    return newest;
}

/* A grid that runs or has just ended brings its half to the front. */
static const eb_report *follow_rates(lab_state *state, const eb_desk *desk)
{
    const eb_report *report = eb_rates_report(desk);
    unsigned long stamp = eb_desk_report_stamp(desk, "grid");
    bool live = report && report != eb_desk_report(desk, "grid");
    if (live != state->live || stamp != state->rates_stamp) {
        state->rates |= live || stamp > state->rates_stamp;
        state->view.engine = 0;
        state->view.at = SIZE_MAX;
    }
    state->live = live;
    state->rates_stamp = stamp;
    return report;
}

static void lab_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    lab_state *state = panel_state;
    const eb_report *rates = follow_rates(state, desk), *ablate = follow(state, desk);
    if (state->rates) {
        eb_draw_rates(&state->view, rates, canvas, area, area.width >= BESIDE);
        return;
    }
    eb_roofline roofline = eb_roofline_of(desk);
    eb_rect left = area, right = area;
    if (area.width >= BESIDE) {
        left.width = area.width / 2 - 1;
        right.x += left.width + 2;
        right.width -= left.width + 2;
    } else if (state->roofline) {
        left.width = 0;
    } else {
        right.width = 0;
    }
    draw_ablation(state, canvas, left, ablate);
    eb_draw_roofline(canvas, right, &roofline);
}

/* ---- keys ---- */

static void ablate(eb_desk *desk)
{
    const eb_facts *facts = eb_desk_facts(desk);
    if (strncmp(facts->device, "cuda", 4) != 0) {
        eb_desk_say(desk, EB_TONE_NOTE, "ablate measures on a GPU (`set device=cuda:0`); the list needs none");
        eb_desk_run(desk, "ablate list");
    } else if (!facts->has_dataset) {
        eb_desk_say(desk, EB_TONE_WARNING, "there is no dataset to measure on: load one first");
    } else if (isnan(facts->eps)) {
        eb_desk_type(desk, "ablate S="); /* no ε yet: one of a wanted S */
    } else {
        eb_desk_run(desk, "ablate");
    }
}

static bool rates_key(lab_state *state, eb_desk *desk, eb_key key)
{
    if (eb_key_is(key, 'c'))
        eb_desk_run(desk, "grid");
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "grid ");
    else if (eb_key_is(key, 'v'))
        state->view.curves = !state->view.curves;
    else
        return eb_rates_key(&state->view, follow_rates(state, desk), key);
    return true;
}

static bool lab_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    lab_state *state = panel_state;
    if (eb_key_is(key, 'g'))
        state->rates = !state->rates;
    else if (state->rates && rates_key(state, desk, key))
        return true;
    else if (eb_key_is(key, 'c'))
        ablate(desk);
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "ablate S=");
    else if (eb_key_is(key, 'p'))
        eb_desk_type(desk, "ablate preset=best ");
    else if (eb_key_is(key, 'm'))
        eb_desk_run(desk, "devices measure");
    else if (eb_key_is(key, 'v'))
        state->roofline = !state->roofline;
    else if (state->rates)
        return false;
    else
        return follow(state, desk) && eb_scroll_key(&state->top, key, area.height);
    return true;
}

/* ---- the panel ---- */

/* The list of switches needs neither a GPU nor points; devices tells the limits that are kept in the log. */
static void lab_shown(void *panel_state, eb_desk *desk)
{
    lab_state *state = panel_state;
    if (eb_desk_busy(desk))
        return;
    if (!state->asked_list && !eb_desk_report(desk, "ablate"))
        eb_desk_ask(desk, "ablate list");
    if (!state->asked_devices && !eb_desk_report(desk, "devices"))
        eb_desk_ask(desk, "devices");
    state->asked_list = state->asked_devices = true;
}

static void *lab_create(void)
{
    lab_state *state = calloc(1, sizeof *state);
    if (state)
        state->view.at = SIZE_MAX;
    return state;
}

const eb_panel eb_panel_lab = {
    .name = "lab",
    .title = "Lab",
    .about = "What each of an engine's optimisations is worth, here and in its paper; how near to the roofline engines "
             "come; g: their rates over n × d. Of rates: " EB_PUBLISHED_BRIEF ".",
    .empty = "`ablate list` explains FASTED's optimisations; on a GPU `ablate S=64` leaves them out one at a time.",
    .hint = {{"c", "ablate"},
             {"t", "ablate at S"},
             {"p", "preset best"},
             {"v", "roofline"},
             {"g", "rates"},
             {"m", "measure limits"},
             {"↑/↓", "scroll"},
             {"PageUp/PageDown", "engine"}},
    .create = lab_create,
    .destroy = free,
    .shown = lab_shown,
    .draw = lab_draw,
    .key = lab_key,
};
