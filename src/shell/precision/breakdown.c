/* breakdown: the report of `precision` at several ε: a column of overlaps for each, and the curve of each rung. */
#include <math.h>
#include <stdio.h>

#include "shell/conclude/words.h"
#include "shell/precision/report.h"
#include "shell/precision/speeds.h"
#include "shell/radius/targets.h"

enum { TITLE = 32 };

static size_t begun(const eb_trying *t, size_t count)
{
    size_t k = 0;
    while (k < count && t[k].begun)
        k++;
    return k;
}

/* "S = 64", or "eps 0.5" if ε was given. */
static const char *radius_of(const eb_trying *t, char title[TITLE])
{
    if (isnan(t->selectivity))
        (void)snprintf(title, TITLE, "eps %.6g", t->eps);
    else
        (void)snprintf(title, TITLE, "S = %.10g", t->selectivity);
    return title;
}

static void report_overlaps(const eb_trying *t, size_t count, eb_report *report)
{
    char title[EB_MOST_TARGETS][TITLE];
    eb_value value[EB_MOST_TARGETS + 1];
    eb_table *table = eb_report_table(report, EB_F(breakdown_overlaps),
                                      t->predict ? "What each type would keep, predicted" : "What each type keeps");
    eb_table_column(table, EB_F(rung));
    for (size_t r = 0; r < count; r++)
        eb_table_column(table, &(eb_column){radius_of(&t[r], title[r]), title[r], EB_PERCENT});
    for (size_t k = 0; k < t->rungs; k++) {
        value[0] = eb_text(t->rung[k].rung->title);
        for (size_t r = 0; r < count; r++)
            value[r + 1] = eb_real(eb_trying_overlap(&t[r], k));
        eb_table_row(table, value, count + 1);
    }
}

static void report_curves(const eb_trying *t, size_t count, eb_report *report)
{
    const bool by_eps = isnan(t->selectivity);
    eb_series *series = eb_report_dots(report, EB_F(breakdown), "Share lost", EB_LINE);
    eb_series_axes(series, by_eps ? EB_F(eps) : EB_F(selectivity), true, EB_F(lost_share), true);
    for (size_t k = 0; k < t->rungs; k++) {
        eb_series_name(series, (char)('a' + k), t->rung[k].rung->title);
        for (size_t r = 0; r < count; r++)
            eb_series_add(series, by_eps ? t[r].eps : t[r].selectivity, eb_lost_share(&t[r], k), 0, (char)('a' + k));
    }
}

/* The rung with the fewest bytes that is enough at each radius; t->rungs: none. */
static size_t enough_everywhere(const eb_trying *t, size_t count)
{
    for (size_t k = 0; k < t->rungs; k++) {
        bool enough = true;
        for (size_t r = 0; r < count; r++)
            enough = enough && eb_trying_overlap(&t[r], k) >= t->want;
        if (enough)
            return k;
    }
    return t->rungs;
}

static void conclude(const eb_trying *t, size_t count, eb_report *report)
{
    const size_t k = enough_everywhere(t, count);
    char first[TITLE], last[TITLE];
    (void)radius_of(&t[0], first);
    (void)radius_of(&t[count - 1], last);
    if (k < t->rungs)
        eb_report_conclude(report, "%s is enough for an overlap of %s from %s to %s, in %s a coordinate",
                           t->rung[k].rung->title, EB_SHARE(t->want), first, last,
                           EB_COUNT(t->rung[k].rung->bytes, "byte", "bytes"));
    else
        eb_report_conclude(report, "No type tried is enough for an overlap of %s everywhere from %s to %s",
                           EB_SHARE(t->want), first, last);
}

void eb_report_breakdown(const eb_session *session, const eb_trying *t, size_t count, eb_report *report)
{
    const size_t done = begun(t, count);
    EB_FIELDS(report, {EB_F(n), eb_uint(session->dataset->n)}, {EB_F(d), eb_uint(session->dataset->d)},
              {EB_HIDDEN(want), eb_real(t->want)}, {EB_F(reference), eb_text(t->setup[t->rungs].spec)});
    eb_table *table = eb_rungs_table(report, NULL);
    for (size_t r = 0; r < done; r++)
        eb_rungs_add(session, &t[r], table);
    if (done == 0)
        return;
    report_overlaps(t, done, report);
    report_curves(t, done, report);
    if (t->held && t->held[0])
        eb_report_note(report, "exact: %s, so that rounding moves no point", t->held);
    if (done == count)
        conclude(t, count, report);
}
