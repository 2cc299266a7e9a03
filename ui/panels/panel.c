#include "ui/panels/panel.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 256 }; /* bytes of a step's text */

/* ---- steps that suit the dataset ---- */

/* The next selectivity in a text such as `S=16..256` or "S is 64"; NULL: none. */
static const char *next_selectivity(const char *text, const char *from)
{
    static const char *const before[] = {"S=", "S is ", ".."};
    for (const char *at = from; *at; at++)
        for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
            size_t length = strlen(before[k]);
            if (isdigit((unsigned char)*at) && (size_t)(at - text) >= length &&
                strncmp(at - length, before[k], length) == 0)
                return at;
        }
    return NULL;
}

/* The power of two that the line's selectivities must be divided by, so that the greatest is at most n / 4. */
static double too_great(const char *line, uint64_t n)
{
    double greatest = 1, most = fmax(1, floor((double)n / 4)), factor = 1;
    for (const char *at = line; (at = next_selectivity(line, at)); at++)
        greatest = fmax(greatest, (double)strtoul(at, NULL, 10));
    while (greatest / factor > most)
        factor *= 2;
    return factor;
}

static void divide_selectivities(const char *text, double factor, char *buffer, size_t size)
{
    size_t used = 0;
    const char *done = text, *at = text;
    char *end;
    for (; used < size && (at = next_selectivity(text, at)); at = done = end) {
        double shown = (double)strtoul(at, &end, 10) / factor;
        used += (size_t)snprintf(buffer + used, size - used, "%.*s%g", (int)(at - done), done, shown);
    }
    if (used < size)
        (void)snprintf(buffer + used, size - used, "%s", done);
}

void eb_type_first_step(const eb_panel *panel, eb_desk *desk)
{
    char line[STEP];
    const eb_facts *facts = eb_desk_facts(desk);
    const char *first = panel->begin[0].keys;
    divide_selectivities(first, facts->has_dataset ? too_great(first, facts->n) : 1, line, sizeof line);
    eb_desk_type(desk, "%s", line);
}

/* Without a dataset the first step is to load one, and Enter, which needs one, is not offered. */
void eb_draw_empty_panel(const eb_panel *panel, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    char text[EB_MAX_BEGIN][2][STEP];
    const eb_facts *facts = eb_desk_facts(desk);
    eb_hint steps[EB_MAX_BEGIN + 1] = {{NULL, NULL}};
    size_t count = 0;
    const bool lacks_points = panel->of_points && !facts->has_dataset;
    if (lacks_points)
        steps[count++] = (eb_hint){"load demo:stars", "points to begin with; F2 lists others"};
    for (size_t k = 0; k < EB_MAX_BEGIN && panel->begin[k].keys; k++) {
        const eb_hint *step = &panel->begin[k];
        const double factor = facts->has_dataset ? too_great(step->keys, facts->n) : 1;
        divide_selectivities(step->keys, factor, text[k][0], STEP);
        divide_selectivities(step->does, factor, text[k][1], STEP);
        if (!lacks_points || strcmp(step->keys, "Enter") != 0)
            steps[count++] = (eb_hint){text[k][0], text[k][1]};
    }
    steps[count] = (eb_hint){NULL, NULL};
    (void)eb_draw_steps(canvas, area, panel->empty, steps);
}

void eb_run_at_eps(eb_desk *desk, const char *line, const char *untuned, const char *what)
{
    const eb_facts *facts = eb_desk_facts(desk);
    if (!facts->has_dataset)
        eb_desk_say(desk, EB_TONE_WARNING, "there is no dataset to %s on: load one first", what);
    else if (isnan(facts->eps))
        eb_desk_type(desk, "%s", untuned);
    else
        eb_desk_run(desk, "%s", line);
}
