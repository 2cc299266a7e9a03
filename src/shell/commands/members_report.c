#include "shell/commands/members_report.h"

#include <math.h>
#include <string.h>

/* What people see of each device, in this order; other parts of the time are for programs and panels. */
static const char *const shown[] = {"kernel_s", "wait_s", "exchange_s", "download_s", "energy_j", "sm_clock_hz"};
enum { SHOWN = sizeof shown / sizeof shown[0], MOST = SHOWN + EB_MOST_FIGURES, BEFORE = 5 };

static double value_of(const eb_team_member *member, const char *key)
{
    return member->lost ? NAN : eb_figures_value(&member->figures, key);
}

double eb_run_evenness(const eb_run *run)
{
    double sum = 0, most = 0;
    unsigned present = 0;
    for (unsigned m = 0; m < run->team.members; m++) {
        const double kernels = value_of(&run->team.member[m], eb_figure_kernel.key);
        if (isnan(kernels))
            continue;
        present++;
        sum += kernels;
        most = fmax(most, kernels);
    }
    return most > 0 ? sum / present / most : NAN;
}

/* The member's part of the operations that all executed; NAN if the engine does not count them. */
static double work_of(const eb_run *run, unsigned member)
{
    double sum = 0;
    for (unsigned m = 0; m < run->team.members; m++)
        sum += fmax(0, value_of(&run->team.member[m], eb_figure_executed_flops.key)); /* fmax leaves NAN out */
    return sum > 0 ? value_of(&run->team.member[member], eb_figure_executed_flops.key) / sum : NAN;
}

/* ---- the columns ---- */

typedef struct columns {
    eb_figure figure[MOST]; /* those that any member has */
    bool hidden[MOST];
    size_t figures;
    bool work, lost;
} columns;

static void add_figure(columns *c, const eb_figure *figure, bool hidden)
{
    for (size_t k = 0; k < c->figures; k++)
        if (strcmp(c->figure[k].key, figure->key) == 0)
            return;
    if (c->figures == MOST)
        return;
    c->hidden[c->figures] = hidden;
    c->figure[c->figures++] = *figure;
}

static void add_shown(columns *c, const eb_team_member *member)
{
    for (size_t f = 0; f < member->figures.count; f++)
        for (size_t k = 0; k < SHOWN; k++)
            if (strcmp(member->figures.figure[f].key, shown[k]) == 0)
                add_figure(c, &member->figures.figure[f], false);
}

static void add_others(columns *c, const eb_team_member *member)
{
    for (size_t f = 0; f < member->figures.count; f++) {
        const eb_figure *figure = &member->figures.figure[f];
        if (figure->role == EB_FIGURE_PART || strcmp(figure->key, eb_figure_executed_flops.key) == 0)
            add_figure(c, figure, true);
    }
}

/* Brings the shown figures into their order, whatever the engine's. */
static void order_shown(columns *c)
{
    size_t at = 0;
    for (size_t k = 0; k < SHOWN; k++)
        for (size_t f = at; f < c->figures; f++)
            if (strcmp(c->figure[f].key, shown[k]) == 0) {
                const eb_figure moved = c->figure[f];
                c->figure[f] = c->figure[at];
                c->figure[at++] = moved;
            }
}

static columns columns_of(const eb_run *const *runs, size_t count)
{
    columns c = {.figures = 0};
    for (int others = 0; others < 2; others++) {
        for (size_t r = 0; r < count; r++)
            for (unsigned m = 0; m < runs[r]->team.members; m++) {
                const eb_team_member *member = &runs[r]->team.member[m];
                (others ? add_others : add_shown)(&c, member);
                c.lost |= member->lost;
                c.work |= !isnan(work_of(runs[r], m));
            }
        if (!others)
            order_shown(&c);
    }
    return c;
}

/* ---- the rows ---- */

static void add_row(eb_table *table, const columns *c, const eb_run *run, unsigned m)
{
    const eb_team_member *member = &run->team.member[m];
    eb_value cells[BEFORE + MOST] = {eb_text(run->setup.spec), eb_uint(m), eb_text(member->device),
                                     eb_text(member->lost ? "lost" : "there"), eb_real(work_of(run, m))};
    for (size_t k = 0; k < c->figures; k++)
        cells[BEFORE + k] = eb_real(value_of(member, c->figure[k].key));
    eb_table_row(table, cells, BEFORE + c->figures);
}

void eb_report_members(eb_report *report, const eb_run *const *runs, size_t count)
{
    unsigned members = 0;
    for (size_t r = 0; r < count; r++)
        members += runs[r]->team.members;
    if (members == 0)
        return;
    const columns c = columns_of(runs, count);
    eb_table *table =
        EB_TABLE(report, EB_F(members), "What each device did, in the last trial", EB_F_IF(count > 1, spec),
                 EB_HIDDEN(member), EB_F(device), EB_F_IF(c.lost, state), EB_F_IF(c.work, operations_share));
    for (size_t k = 0; k < c.figures; k++)
        eb_table_column(table, &(eb_column){c.figure[k].key, c.hidden[k] ? NULL : c.figure[k].title, c.figure[k].unit});
    for (size_t r = 0; r < count; r++)
        for (unsigned m = 0; m < runs[r]->team.members; m++)
            add_row(table, &c, runs[r], m);
}
