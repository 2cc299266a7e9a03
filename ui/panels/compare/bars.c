#include "ui/panels/compare/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"

enum {
    NUMBER = 40,
    LABEL = 96,
    NOTED = 22, /* from this height on, a line says of which trial the lanes are */
    ROOMY = 60, /* from this width on, bars say how the work is shared */
    MOST_BARS = EB_MOST_SIDES + EB_MOST_LANES,
};

/* The bars from top to bottom: an engine's, then those of its devices. */
typedef struct bars {
    size_t count;
    char label[MOST_BARS][LABEL], beside[MOST_BARS][3 * NUMBER];
    const char *labels[MOST_BARS], *besides[MOST_BARS];
    double value[MOST_BARS * EB_MOST_PARTS];
} bars;

static size_t lanes_of(const eb_compare_scene *s, size_t side)
{
    size_t count = 0;
    for (size_t k = 0; k < s->lanes; k++)
        count += s->lane[k].side == side;
    return count;
}

bool eb_lanes_unfolded(const eb_compare_scene *s, eb_lanes wanted, int height)
{
    const bool fits = s->lanes > 0 && (int)(s->sides + s->lanes) <= height / 2;
    return wanted == EB_LANES_EACH || (wanted == EB_LANES_IF_ROOM && fits);
}

/* ---- engines ---- */

/* "ENGINE, 2 trials" while the engines run; afterwards "ENGINE", or "ENGINE, STATE" for a run that was not completed.
 */
static void label_of(const eb_compare_scene *s, size_t k, char *label, size_t size)
{
    char trials[NUMBER];
    const eb_side *side = &s->side[k];
    const bool done = strcmp(side->state, "done") == 0;
    if (s->live && side->trials.kind != EB_NA)
        (void)snprintf(label, size, "%s, %s %s", side->engine,
                       eb_format_value(trials, sizeof trials, side->trials, EB_IDENTITY),
                       eb_value_number(side->trials) == 1 ? "trial" : "trials");
    else
        (void)snprintf(label, size, "%s%s%s", side->engine, done ? "" : ", ", done ? "" : side->state);
}

static char *add_bar(bars *b, const eb_compare_scene *s, const double *seconds)
{
    memcpy(&b->value[b->count * s->parts], seconds, s->parts * sizeof *seconds);
    b->labels[b->count] = b->label[b->count];
    b->besides[b->count] = b->beside[b->count];
    b->beside[b->count][0] = '\0';
    return b->label[b->count++];
}

/* ---- devices ---- */

/* "  cuda:1"; "  cpu (2)" for the second of several with one name. */
static void name_lane(const eb_compare_scene *s, size_t lane, char *label)
{
    const eb_lane *of = &s->lane[lane];
    size_t same = 0, before = 0;
    for (size_t k = 0; k < s->lanes; k++)
        if (s->lane[k].side == of->side && strcmp(s->lane[k].device, of->device) == 0) {
            same++;
            before += k <= lane;
        }
    if (same > 1)
        (void)snprintf(label, LABEL, "  %s (%zu)", of->device, before);
    else
        (void)snprintf(label, LABEL, "  %s", of->device);
}

/* "50.1 % of the work, 18 J" */
static void tell_lane(const eb_lane *lane, char *text, size_t size)
{
    char energy[NUMBER];
    const bool work = !isnan(lane->work), joules = !isnan(lane->energy_j);
    int used = 0;
    if (lane->lost)
        (void)snprintf(text, size, "lost");
    if (work)
        used = snprintf(text, size, "%.3g %% of the work", 100 * lane->work);
    if (joules)
        (void)snprintf(text + used, size - (size_t)used, "%s%s", work ? ", " : "",
                       eb_format_value(energy, sizeof energy, eb_real(lane->energy_j), EB_JOULES));
}

/* Beside a team's own bar: "2 devices, work 96.1 % even". */
static void tell_team(const eb_compare_scene *s, size_t side, char *text, size_t size)
{
    const double even = s->side[side].evenness;
    const size_t lanes = lanes_of(s, side);
    if (lanes == 0)
        return;
    const int used = snprintf(text, size, "%zu devices", lanes);
    if (!isnan(even))
        (void)snprintf(text + used, size - (size_t)used, ", work %.3g %% even", 100 * even);
}

static void add_lanes(bars *b, const eb_compare_scene *s, size_t side, bool roomy)
{
    for (size_t k = 0; k < s->lanes; k++)
        if (s->lane[k].side == side) {
            char *beside = b->beside[b->count];
            name_lane(s, k, add_bar(b, s, s->lane[k].seconds));
            if (roomy)
                tell_lane(&s->lane[k], beside, sizeof b->beside[0]);
        }
}

/* ---- all ---- */

/* True if an engine's bar is of several trials, while its devices' lanes are of the last. */
static bool lanes_of_one_trial(const eb_compare_scene *s)
{
    bool several = false;
    for (size_t k = 0; k < s->lanes; k++)
        several |= eb_value_number(s->side[s->lane[k].side].trials) > 1;
    return several;
}

int eb_draw_compare_bars(eb_canvas *canvas, eb_rect area, int y, const eb_compare_scene *s, bool unfolded)
{
    const eb_rect rest = {area.x, y, area.width, area.y + area.height - y};
    bars b = {.count = 0};
    if (s->parts == 0 || eb_rect_empty(rest))
        return y;
    for (size_t k = 0; k < s->sides; k++) {
        char *beside = b.beside[b.count];
        label_of(s, k, add_bar(&b, s, &s->seconds[k * s->parts]), LABEL);
        if (area.width >= ROOMY)
            tell_team(s, k, beside, sizeof b.beside[0]);
        if (unfolded)
            add_lanes(&b, s, k, area.width >= ROOMY);
    }
    y += eb_draw_stacked_beside(canvas, rest, b.count, b.labels, b.besides, s->parts, s->part, b.value, EB_SECONDS);
    if (!unfolded || area.height < NOTED || !lanes_of_one_trial(s))
        return y;
    (void)eb_put_short(canvas, eb_rect_cut((eb_rect){area.x, y, area.width, 1}, area), area.x, y, EB_ROLE_DIM,
                       "Engines: medians of the trials; devices: the last trial");
    return y + 1;
}
