/* charts: which tables of reports are bars, and of what: parts of the time, rates of variants, counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/figure/picture.h"

static void clear(eb_chart *c)
{
    *c = (eb_chart){.rows = 0};
    for (size_t r = 0; r < EB_CHART_ROWS; r++)
        for (size_t p = 0; p < EB_CHART_PARTS; p++)
            c->value[r][p] = c->low[r][p] = c->high[r][p] = NAN;
}

static void set_name(char *name, const char *text) { (void)snprintf(name, EB_CHART_NAME, "%s", text); }

static size_t at_most(size_t count, size_t most) { return count < most ? count : most; }

/* `compare`: a bar for each engine, a part for each column of seconds. */
static bool read_split(const eb_table *t, eb_chart *c)
{
    const size_t first = 1 + (eb_table_find_column(t, EB_F(spec)) == 1); /* engine and spec name the row */
    if (t->columns <= first)
        return false;
    c->stacked = true;
    c->unit = EB_SECONDS;
    c->axis = "time";
    c->rows = at_most(t->rows, EB_CHART_ROWS);
    c->parts = at_most(t->columns - first, EB_CHART_PARTS);
    for (size_t p = 0; p < c->parts; p++)
        set_name(c->part[p], t->column[first + p].title ? t->column[first + p].title : "");
    for (size_t r = 0; r < c->rows; r++) {
        const char *spec = eb_text_at(t, r, EB_F(spec));
        set_name(c->row[r], spec[0] ? spec : eb_text_at(t, r, EB_F(engine)));
        for (size_t p = 0; p < c->parts; p++)
            c->value[r][p] = eb_value_number(t->cell[r * t->columns + first + p]);
    }
    return true;
}

/* `join`: a bar for each part of the run, from the fastest trial on. */
static bool read_timing(const eb_table *t, eb_chart *c)
{
    c->unit = EB_SECONDS;
    c->axis = "time, median of the trials";
    c->rows = at_most(t->rows, EB_CHART_ROWS);
    c->parts = 1;
    for (size_t r = 0; r < c->rows; r++) {
        set_name(c->row[r], eb_text_at(t, r, EB_F(part)));
        c->value[r][0] = eb_number_at(t, r, EB_F(median_s));
    }
    return c->rows > 0;
}

/* Adds a part with the values of a column; no part if the column has none. */
static bool add_part(const eb_table *t, const eb_column *key, const char *name, eb_chart *c)
{
    bool any = false;
    for (size_t r = 0; r < c->rows; r++) {
        c->value[r][c->parts] = eb_number_at(t, r, key);
        any |= isfinite(c->value[r][c->parts]);
    }
    if (any)
        set_name(c->part[c->parts++], name);
    return any;
}

/* `ablate`: how much slower a kernel is without each switch, or faster with it: here, in the paper, in the model. */
static bool read_variants(const eb_table *t, eb_chart *c)
{
    const bool faster = eb_table_find_column(t, EB_F(speedup)) >= 0;
    c->unit = EB_RATIO;
    c->axis = faster ? "speed-up" : "slowdown";
    c->rows = at_most(t->rows, EB_CHART_ROWS);
    for (size_t r = 0; r < c->rows; r++)
        set_name(c->row[r], eb_text_at(t, r, EB_F(switch)));
    if (add_part(t, faster ? EB_F(speedup) : EB_F(slowdown), "measured", c))
        for (size_t r = 0; r < c->rows; r++) {
            c->low[r][0] = eb_number_at(t, r, faster ? EB_F(speedup_low) : EB_F(slowdown_low));
            c->high[r][0] = eb_number_at(t, r, faster ? EB_F(speedup_high) : EB_F(slowdown_high));
        }
    (void)add_part(t, EB_F(published_slowdown), "published", c);
    (void)add_part(t, faster ? EB_F(model_speedup) : EB_F(model_slowdown), "machine model", c);
    return c->parts > 0;
}

/* `counters`: those that are shares of something, which have one axis; each engine's bars. */
static bool read_counters(const eb_table *t, eb_chart *c)
{
    enum { BEFORE = 3 }; /* columns: metric, title, unit; then value and source of each engine */
    if (t->columns <= BEFORE)
        return false;
    c->unit = EB_PERCENT;
    c->axis = "share";
    c->parts = at_most((t->columns - BEFORE) / 2, EB_CHART_PARTS);
    for (size_t p = 0; p < c->parts; p++)
        set_name(c->part[p], t->column[BEFORE + 2 * p].title ? t->column[BEFORE + 2 * p].title : "");
    for (size_t r = 0; r < t->rows && c->rows < EB_CHART_ROWS; r++) {
        bool any = false;
        for (size_t p = 0; p < c->parts; p++) {
            c->value[c->rows][p] = eb_value_number(t->cell[r * t->columns + BEFORE + 2 * p]);
            any |= isfinite(c->value[c->rows][p]);
        }
        if (any && strcmp(eb_text_at(t, r, EB_F(unit)), "ratio") == 0)
            set_name(c->row[c->rows++], eb_text_at(t, r, EB_F(title)));
    }
    return c->rows > 0;
}

/* Removes rows without a value. */
static bool drop_empty(eb_chart *c)
{
    size_t kept = 0;
    for (size_t r = 0; r < c->rows; r++) {
        bool any = false;
        for (size_t p = 0; p < c->parts; p++)
            any |= isfinite(c->value[r][p]);
        if (!any)
            continue;
        memmove(c->row[kept], c->row[r], sizeof c->row[r]);
        memmove(c->value[kept], c->value[r], sizeof c->value[r]);
        memmove(c->low[kept], c->low[r], sizeof c->low[r]);
        memmove(c->high[kept++], c->high[r], sizeof c->high[r]);
    }
    c->rows = kept;
    return kept > 0;
}

bool eb_chart_of(const eb_report *report, const eb_item *item, eb_chart *out)
{
    static const struct {
        const char *command;
        const eb_column *key;
        bool (*read)(const eb_table *table, eb_chart *out);
    } charts[] = {{"compare", EB_F(split), read_split},
                  {"join", EB_F(timing), read_timing},
                  {"ablate", EB_F(variants), read_variants},
                  {"ablate", EB_F(switches), read_variants},
                  {"counters", EB_F(counters), read_counters}};
    for (size_t k = 0; k < sizeof charts / sizeof charts[0]; k++)
        if (strcmp(report->command, charts[k].command) == 0 && strcmp(item->key, charts[k].key->key) == 0) {
            clear(out);
            return charts[k].read(&item->as.table, out) && drop_empty(out);
        }
    return false;
}
