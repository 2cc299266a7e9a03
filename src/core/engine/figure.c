#include "core/engine/figure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/fields.h"

#define P(figure, name, title, unit, role, meaning)                                                                    \
    const eb_figure eb_figure_##figure = {#name, title, EB_##unit, EB_FIGURE_##role, 0};
#include "core/report/figure_rows.h"

const eb_figure *eb_figures_find(const eb_figures *figures, const char *key)
{
    for (size_t k = 0; k < figures->count; k++)
        if (strcmp(figures->figure[k].key, key) == 0)
            return &figures->figure[k];
    return NULL;
}

double eb_figures_value(const eb_figures *figures, const char *key)
{
    const eb_figure *found = eb_figures_find(figures, key);
    return found ? found->value : NAN;
}

/* Finds the figure or adds it with the value `begin`. NULL: no room. */
static eb_figure *place_of(eb_figures *figures, const eb_figure *which, double begin)
{
    for (size_t k = 0; k < figures->count; k++)
        if (strcmp(figures->figure[k].key, which->key) == 0)
            return &figures->figure[k];
    assert(figures->count < EB_MOST_FIGURES);
    if (figures->count == EB_MOST_FIGURES)
        return NULL;
    eb_figure *added = &figures->figure[figures->count++];
    *added = *which;
    added->value = begin;
    return added;
}

void eb_figures_add(eb_figures *figures, const eb_figure *which, double value)
{
    eb_figure *at = figures ? place_of(figures, which, 0) : NULL;
    if (at)
        at->value += value;
}

void eb_figures_set(eb_figures *figures, const eb_figure *which, double value)
{
    eb_figure *at = figures ? place_of(figures, which, value) : NULL;
    if (at)
        at->value = value;
}

double eb_figures_parts(const eb_figures *figures)
{
    double sum = 0;
    for (size_t k = 0; k < figures->count; k++)
        if (figures->figure[k].role == EB_FIGURE_PART && !isnan(figures->figure[k].value))
            sum += figures->figure[k].value;
    return sum;
}

void eb_figures_set_limit(eb_figures *figures, const eb_device *device, eb_limit limit)
{
    eb_figure held_against = {EB_F(limit_flops)->key, eb_limit_name_of(limit)->field->title, EB_PLAIN, EB_FIGURE_OWN,
                              0};
    double flops = device->limit[limit];
    eb_figures_set(figures, &held_against, flops > 0 ? flops : NAN);
}

const char *eb_adding_figure(size_t index)
{
    static const char *const keys[EB_MOST_ADDING] = {"executed_flops", "energy_j",
                                                     "candidates",     "candidates_a_point",
                                                     "lists_a_point",  "rechecked",
                                                     "band",           "leaf_pairs",
                                                     "peer_bytes",     "looked_again"};
    return index < EB_MOST_ADDING ? keys[index] : NULL;
}

const char *eb_throttle_words(uint64_t throttle, char *buffer, size_t size)
{
    static const struct {
        uint64_t bit;
        const char *words;
    } reasons[] = {{0x4, "power cap"},
                   {0x8, "hardware slowdown"},
                   {0x20, "thermal slowdown"},
                   {0x40, "thermal slowdown by hardware"},
                   {0x80, "power brake"}};
    uint64_t named = 0;
    size_t used = 0;
    (void)snprintf(buffer, size, "%s", throttle ? "" : "none");
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++) {
        named |= reasons[k].bit;
        if (throttle & reasons[k].bit) {
            (void)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", reasons[k].words);
            used = strlen(buffer);
        }
    }
    if (throttle & ~named)
        (void)snprintf(buffer + used, size - used, "%sother reasons (0x%llx)", used ? ", " : "",
                       (unsigned long long)(throttle & ~named));
    return buffer;
}
