#include "core/team/members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void eb_member_lose(eb_members *t, eb_member *m, const char *why)
{
    const size_t used = strlen(t->note);
    m->lost = true;
    (void)snprintf(t->note + used, sizeof t->note - used, "%s%s was lost (%.120s); the others did its share",
                   used ? "; " : "", m->device.name, why);
}

bool eb_member_is_last(const eb_members *t, const eb_member *m)
{
    for (unsigned k = 0; k < t->members; k++)
        if (&t->member[k] != m && !t->member[k].lost)
            return false;
    return true;
}

/* ---- figures ---- */

static double since(const eb_member *m, const eb_figure *figure)
{
    const double before = eb_figures_value(&m->before, figure->key);
    return figure->value - (isnan(before) ? 0 : before);
}

static double worked(const eb_member *m)
{
    const eb_figure *kernel = eb_figures_find(&m->figures, eb_figure_kernel.key);
    return kernel ? since(m, kernel) : 0;
}

/* How figures of parts become one; others are of all points, and the same for every member. */
enum { SAME, SUM, GREATEST, ONE_LESS_SUM };

static bool adds_up(const char *key)
{
    for (size_t k = 0; k < EB_MOST_ADDING; k++)
        if (strcmp(key, eb_adding_figure(k)) == 0)
            return true;
    return false;
}

static int joined(const char *key)
{
    static const struct {
        const char *key;
        int how;
    } rules[] = {{"limit_flops", SUM}, {"batches", SUM}, {"bound_share", GREATEST}, {"pruned_share", ONE_LESS_SUM}};
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        if (strcmp(key, rules[k].key) == 0)
            return rules[k].how;
    return adds_up(key) ? SUM : SAME;
}

/* Energy is a device's, whoever used it: of members on one GPU only the first counts. */
static bool counts_again(const eb_members *t, unsigned member, const char *key)
{
    bool again = false;
    for (unsigned k = 0; k < member; k++)
        again |= !t->member[k].lost && t->member[k].device.index == t->member[member].device.index &&
                 !isnan(eb_figures_value(&t->member[k].figures, key));
    return again && strcmp(key, eb_figure_energy.key) == 0;
}

/* The figure of all members together, from the values of each. */
static double together(const eb_members *t, const eb_figure *figure, int how)
{
    double sum = 0, greatest = -INFINITY;
    for (unsigned k = 0; k < t->members; k++) {
        const double value = t->member[k].lost ? NAN : eb_figures_value(&t->member[k].figures, figure->key);
        if (isnan(value) || counts_again(t, k, figure->key))
            continue;
        sum += how == ONE_LESS_SUM ? value - 1 : value;
        greatest = value > greatest ? value : greatest;
    }
    return how == GREATEST ? greatest : how == ONE_LESS_SUM ? 1 + sum : sum;
}

void eb_members_add_figures(const eb_members *t)
{
    eb_figures *to = t->context->figures;
    const eb_member *longest = NULL;
    for (unsigned k = 0; k < t->members; k++)
        if (!t->member[k].lost && (!longest || worked(&t->member[k]) > worked(longest)))
            longest = &t->member[k];
    for (unsigned k = 0; longest && k < t->members; k++) {
        const eb_member *m = &t->member[k];
        for (size_t f = 0; f < m->figures.count && !m->lost; f++) {
            const eb_figure *figure = &m->figures.figure[f];
            const int how = joined(figure->key);
            if (m == longest && figure->role == EB_FIGURE_PART)
                eb_figures_add(to, figure, since(m, figure));
            else if (figure->role != EB_FIGURE_PART && (m == longest || how == SUM))
                eb_figures_set(to, figure, how == SAME ? figure->value : together(t, figure, how));
        }
    }
}

void eb_member_add_figures(const eb_members *t, const eb_member *m)
{
    for (size_t f = 0; f < m->figures.count; f++) {
        const eb_figure *figure = &m->figures.figure[f];
        if (figure->role == EB_FIGURE_PART || adds_up(figure->key))
            eb_figures_add(t->context->figures, figure, since(m, figure));
        else
            eb_figures_set(t->context->figures, figure, figure->value);
    }
}
