/* Lab: what each of an engine's optimisations is worth, here and in its paper, and how near the roofline engines come;
 * its other parts are rates over n × d (rates.h) and recall against throughput (recall.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/time_words.h"
#include "core/report/find.h"
#include "shell/defaults.h"
#include "ui/panels/lab/ablation.h"
#include "ui/panels/lab/rates.h"
#include "ui/panels/lab/recall.h"
#include "ui/panels/lab/roofline.h"
#include "ui/panels/panel.h"
#include "ui/widgets/scroll.h"

enum { BESIDE = 130 }; /* columns from which on the roofline stands beside the bars */

typedef struct lab_state {
    bool roofline;       /* looked at where only one has room */
    unsigned long stamp; /* of the report when last drawn */
    int top;             /* first line shown */
    bool rates;          /* the other half is shown */
    eb_rates_view view;
    unsigned long rates_stamp; /* of its report, and whether it was of a grid that ran, when last drawn */
    bool live;
    bool recall; /* recall is shown, over the other parts */
    eb_recall_view recall_view;
    unsigned long recall_stamp; /* of its report when last drawn */
} lab_state;

/* ---- drawing ---- */

/* Of the command that runs, what it has so far. */
static const eb_report *live_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_busy(desk) ? eb_desk_live(desk) : NULL;
    return live && strcmp(live->command, "ablate") == 0 && eb_report_find_table(live, EB_F(variants)) ? live : NULL;
}

static const eb_report *follow(lab_state *state, const eb_desk *desk)
{
    if (live_of(desk))
        return live_of(desk);
    unsigned long stamp = eb_desk_report_stamp(desk, "ablate");
    const eb_report *newest = eb_desk_report(desk, "ablate");
    if (stamp != state->stamp) {
        state->top = 0;
        state->rates &= stamp < state->rates_stamp;
        state->recall &= stamp < state->recall_stamp;
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
        state->recall &= !live && stamp < state->recall_stamp;
        state->view.engine = 0;
        state->view.at = SIZE_MAX;
    }
    state->live = live;
    state->rates_stamp = stamp;
    return report;
}

/* An experiment that runs or has just ended brings its part to the front, for as long as no other one comes. */
static const eb_report *follow_recall(lab_state *state, const eb_desk *desk)
{
    const eb_report *report = eb_recall_report_of(desk);
    const unsigned long stamp = eb_recall_stamp(desk);
    if (report && stamp != state->recall_stamp) {
        state->recall = true;
        state->recall_stamp = stamp;
        state->recall_view.top = 0;
    }
    return report;
}

static void lab_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    lab_state *state = panel_state;
    const eb_report *recall = follow_recall(state, desk); /* before the others, which may be newer */
    const eb_report *rates = follow_rates(state, desk), *ablate = follow(state, desk);
    if (state->recall) {
        eb_draw_recall(&state->recall_view, recall, canvas, area, area.width >= BESIDE);
        return;
    }
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
    if (ablate)
        eb_draw_ablation(canvas, left, ablate, &state->top);
    else if (!eb_rect_empty(left))
        eb_draw_empty_panel(&eb_panel_lab, desk, canvas, left);
    eb_draw_roofline(canvas, right, &roofline);
}

/* ---- keys ---- */

static void ablate(eb_desk *desk, const char *command)
{
    const eb_facts *facts = eb_desk_facts(desk);
    if (strncmp(facts->device, "cuda", 4) != 0) {
        eb_desk_say(desk, EB_TONE_NOTE, "ablate measures on a GPU (`set device=cuda:0`); the list needs none");
        eb_desk_run(desk, "ablate list");
    } else if (!facts->has_dataset) {
        eb_desk_say(desk, EB_TONE_WARNING, "there is no dataset to measure on: load one first");
    } else if (isnan(facts->eps)) { /* no ε yet: one of a wanted S */
        eb_desk_type(desk, "%s S=", command);
    } else {
        eb_desk_run(desk, "%s", command);
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

static bool recall_key(lab_state *state, eb_desk *desk, eb_key key, int height)
{
    if (eb_key_is(key, 'c'))
        eb_desk_run(desk, "recall");
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "recall ");
    else if (eb_key_is(key, 'v'))
        state->recall_view.table = !state->recall_view.table;
    else
        return eb_recall_key(&state->recall_view, follow_recall(state, desk), key, height);
    return true;
}

/* The list of switches needs neither a GPU nor points; `devices` tells the limits that are kept in the log. */
static bool ask_for_missing(const lab_state *state, eb_desk *desk, eb_rect area)
{
    const bool both = area.width >= BESIDE;
    const bool list = (both || !state->roofline) && !eb_desk_report(desk, "ablate");
    const bool limits = (both || state->roofline) && !eb_desk_report(desk, "devices");
    if (list)
        eb_desk_run(desk, "ablate list");
    if (limits)
        eb_desk_run(desk, "devices");
    return list || limits;
}

static void turn_to_rates(lab_state *state)
{
    state->rates = state->recall || !state->rates;
    state->recall = false;
}

/* Of the part that is seen. */
static bool part_key(lab_state *state, eb_desk *desk, eb_key key, int height)
{
    return state->recall ? recall_key(state, desk, key, height) : state->rates && rates_key(state, desk, key);
}

static bool lab_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    lab_state *state = panel_state;
    if (part_key(state, desk, key, area.height))
        return true;
    if (eb_key_is(key, 'g'))
        turn_to_rates(state);
    else if (eb_key_is(key, 'c'))
        ablate(desk, "ablate");
    else if (eb_key_is(key, 'u'))
        ablate(desk, "ablate by=add-one-in");
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "ablate S=");
    else if (eb_key_is(key, 'p'))
        eb_desk_type(desk, "ablate preset=best ");
    else if (eb_key_is(key, 'm'))
        eb_desk_run(desk, "devices measure");
    else if (eb_key_is(key, 'v'))
        state->roofline = !state->roofline;
    else if (eb_key_closes(key) && (state->rates || state->recall))
        state->rates = state->recall = false;
    else if (eb_key_is(key, 'q'))
        state->recall = true;
    else if (state->rates || state->recall)
        return false;
    else if (eb_key_is(key, EB_ENTER) && !eb_desk_busy(desk))
        return ask_for_missing(state, desk, area);
    else
        return follow(state, desk) && eb_scroll_key(&state->top, key, area.height);
    return true;
}

/* ---- the panel ---- */

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
             "come; g: their rates over n × d; q: recall "
             "against throughput with smaller look-up tables. Of rates: " EB_PUBLISHED_BRIEF ".",
    .empty = "What each of FASTED's optimisations is worth.",
    .begin = {{"Enter", "list them: what the paper measured without each, what the machine model foresees; the same as "
                        "`ablate list`"},
              {"ablate S=64", "on a GPU: leave them out one at a time"},
              {"ablate by=add-one-in S=64", "on a GPU: add each to the bare kernel"},
              {"grid " EB_FAST "," EB_TRUE, "a map of rates over n × d (g)"},
              {"recall", "recall against throughput of an inverted file (q)"}},
    .hint = {{"c", "ablate"},
             {"u", "add one in"},
             {"t", "ablate at S"},
             {"p", "preset best"},
             {"v", "roofline"},
             {"g", "rates"},
             {"q", "recall"},
             {"m", "measure limits"},
             {"↑/↓", "scroll"},
             {"PageUp/PageDown", "engine"}},
    .create = lab_create,
    .destroy = free,
    .draw = lab_draw,
    .key = lab_key,
};
