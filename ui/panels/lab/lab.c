/* The panel Lab has three parts: the effect of each of an engine's optimisations, measured and published, with the
 * roofline; rates over n × d (rates.h); recall against throughput (recall.h).
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/time_words.h"
#include "core/report/find.h"
#include "draw/plots/roofline.h"
#include "shell/defaults.h"
#include "ui/panels/lab/ablation.h"
#include "ui/panels/lab/rates.h"
#include "ui/panels/lab/recall.h"
#include "ui/panels/panel.h"
#include "ui/widgets/scroll.h"

enum { BESIDE = 130 }; /* from this width on, the roofline stands beside the bars */

typedef enum lab_part { ABLATION, RATES, RECALL, PARTS } lab_part;

static const char *const command_of[PARTS] = {"ablate", "grid", "recall"};

typedef struct lab_state {
    lab_part front;
    unsigned long stamp[PARTS]; /* of each part's report last drawn; ULONG_MAX: the running command's */
    bool roofline;              /* where there is room for one only, show the roofline */
    int top;                    /* first line shown */
    eb_rates_view rates;
    eb_recall_view recall;
} lab_state;

/* ---- drawing ---- */

/* The running command's report so far, or else the newest report of the part. */
static const eb_report *report_of(const eb_desk *desk, lab_part part, unsigned long *stamp)
{
    const eb_report *live = eb_desk_busy(desk) ? eb_desk_live(desk) : NULL;
    if (part == RECALL) {
        *stamp = eb_recall_stamp(desk);
        return eb_recall_report_of(desk);
    }
    const bool own = live && strcmp(live->command, command_of[part]) == 0 &&
                     eb_report_find_table(live, part == ABLATION ? EB_F(variants) : EB_F(cells));
    *stamp = own ? ULONG_MAX : eb_desk_report_stamp(desk, command_of[part]);
    return own ? live : eb_desk_report(desk, command_of[part]);
}

static void look_anew(lab_state *state, lab_part part)
{
    if (part == ABLATION)
        state->top = 0;
    else if (part == RATES)
        state->rates.engine = 0, state->rates.at = SIZE_MAX;
    else
        state->recall.top = 0;
}

/* Brings the part to the front whose command runs or has ended last, and returns its report. */
static const eb_report *follow(lab_state *state, const eb_desk *desk)
{
    const eb_report *report[PARTS];
    unsigned long stamp, latest = 0;
    for (lab_part part = 0; part < PARTS; part++) {
        report[part] = report_of(desk, part, &stamp);
        if (stamp != state->stamp[part])
            look_anew(state, part);
        if (stamp != state->stamp[part] && stamp > latest) {
            state->front = part;
            latest = stamp;
        }
        state->stamp[part] = stamp;
    }
    return report[state->front];
}

static const eb_report *find_on_desk(const void *context, const char *command)
{
    return eb_desk_report(context, command);
}

static void lab_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    lab_state *state = panel_state;
    const eb_report *report = follow(state, desk);
    const bool beside = area.width >= BESIDE;
    if (state->front == RECALL) {
        eb_draw_recall(&state->recall, report, canvas, area, beside);
        return;
    }
    if (state->front == RATES) {
        eb_draw_rates(&state->rates, report, canvas, area, beside);
        return;
    }
    eb_roofline roofline = eb_roofline_of(find_on_desk, desk, eb_desk_facts(desk)->device);
    eb_rect left = area, right = area;
    if (beside) {
        left.width = area.width / 2 - 1;
        right.x += left.width + 2;
        right.width -= left.width + 2;
    } else if (state->roofline) {
        left.width = 0;
    } else {
        right.width = 0;
    }
    if (report)
        eb_draw_ablation(canvas, left, report, &state->top);
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
    } else if (isnan(facts->eps)) { /* no ε yet: the person adds an S */
        eb_desk_type(desk, "%s S=", command);
    } else {
        eb_desk_run(desk, "%s", command);
    }
}

/* Asks for the list of switches, which needs neither a GPU nor points, and for the device limits kept in the log. */
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

/* Handles keys of the part in front. */
static bool part_key(lab_state *state, eb_desk *desk, eb_key key, int height)
{
    const eb_report *report = follow(state, desk);
    bool *const other[PARTS] = {&state->roofline, &state->rates.curves, &state->recall.table};
    if (eb_key_is(key, 'v'))
        *other[state->front] = !*other[state->front];
    else if (eb_key_is(key, 'c') && state->front != ABLATION)
        eb_desk_run(desk, "%s", command_of[state->front]);
    else if (eb_key_is(key, 't') && state->front != ABLATION)
        eb_desk_type(desk, "%s ", command_of[state->front]);
    else if (state->front == RATES)
        return eb_rates_key(&state->rates, report, key);
    else
        return state->front == RECALL && eb_recall_key(&state->recall, report, key, height);
    return true;
}

static bool lab_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    lab_state *state = panel_state;
    if (part_key(state, desk, key, area.height))
        return true;
    if (eb_key_closes(key) && state->front != ABLATION)
        state->front = ABLATION;
    else if (eb_key_is(key, 'g'))
        state->front = state->front == RATES ? ABLATION : RATES;
    else if (eb_key_is(key, 'q'))
        state->front = RECALL;
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
    else if (state->front != ABLATION)
        return false;
    else if (eb_key_is(key, EB_ENTER) && !eb_desk_busy(desk))
        return ask_for_missing(state, desk, area);
    else
        return eb_desk_report(desk, "ablate") && eb_scroll_key(&state->top, key, area.height);
    return true;
}

/* ---- the panel ---- */

static void *lab_create(void)
{
    lab_state *state = calloc(1, sizeof *state);
    if (state)
        state->rates.at = SIZE_MAX;
    return state;
}

static const char *lab_pictured(void *panel_state, const eb_desk *desk)
{
    const lab_state *state = panel_state;
    static const char *const of[PARTS] = {"ablate", "grid", "recall|recalls"};
    return state->front == ABLATION && state->roofline ? "roofline" : eb_desk_newest(desk, of[state->front]);
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
    .pictured = lab_pictured,
};
