#include "ui/panels/counters/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"

enum { BEFORE_ENGINES = 3 }; /* columns: metric, title, unit; then two for each engine */

/* ---- an earlier run ---- */

static void keep(eb_baseline *b, const char *metric, eb_value value, const char *source)
{
    double number = eb_value_number(value);
    if (isnan(number) || metric[0] == '\0' || b->count == EB_MOST_COUNTERS)
        return;
    for (size_t k = 0; k < b->count; k++)
        if (strcmp(b->value[k].metric, metric) == 0)
            return;
    struct eb_baseline_value *at = &b->value[b->count++];
    (void)snprintf(at->metric, sizeof at->metric, "%s", metric);
    (void)snprintf(at->source, sizeof at->source, "%s", source);
    at->value = number;
}

bool eb_baseline_take(eb_baseline *baseline, const eb_report *show)
{
    static const eb_column *const fields[] =
        EB_LIST(EB_F(sm_clock_hz), EB_F(energy_j), EB_F(tflops_derived), EB_F(tflops_executed));
    double run = eb_number_of(show, EB_F(run));
    if (!(run >= 0 && run < 0x1p53))
        return false;
    *baseline = (eb_baseline){.run = (int64_t)run};
    (void)snprintf(baseline->engine, sizeof baseline->engine, "%s", eb_text_of(show, EB_F(engine)));
    const eb_table *counters = eb_report_find_table(show, EB_F(counters));
    for (size_t row = 0; counters && row < counters->rows; row++)
        keep(baseline, eb_text_at(counters, row, EB_F(metric)), eb_table_value(counters, row, EB_F(value)),
             eb_text_at(counters, row, EB_F(source)));
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        keep(baseline, fields[k]->key, eb_report_find_field(show, fields[k]), k < 2 ? "nvml" : "model");
    return true;
}

/* ---- rows ---- */

static eb_unit unit_of(const char *name)
{
    static const struct {
        const char *name;
        eb_unit unit;
    } units[] = {{"ratio", EB_PERCENT}, {"hertz", EB_HERTZ},      {"seconds", EB_SECONDS},
                 {"joules", EB_JOULES}, {"TFLOPS", EB_TERAFLOPS}, {"bytes", EB_BYTES}};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strcmp(name, units[k].name) == 0)
            return units[k].unit;
    return EB_PLAIN;
}

static const eb_table *counters_of(const eb_report *report)
{
    const eb_table *table = eb_report_find_table(report, EB_F(counters));
    return table && table->columns > BEFORE_ENGINES ? table : NULL;
}

static size_t engines_of(const eb_table *table)
{
    size_t engines = (table->columns - BEFORE_ENGINES) / 2;
    return engines < EB_MOST_PROFILED ? engines : EB_MOST_PROFILED;
}

const char *eb_counter_engine(const eb_report *counters, size_t index)
{
    const eb_table *table = counters_of(counters);
    return table && index < engines_of(table) ? table->column[BEFORE_ENGINES + 2 * index].title : NULL;
}

static void compare(eb_counter_row *row, const eb_baseline *baseline, const char *metric)
{
    row->baseline = NAN;
    row->baseline_source = "";
    for (size_t k = 0; baseline->run >= 0 && k < baseline->count; k++)
        if (strcmp(baseline->value[k].metric, metric) == 0) {
            row->baseline = baseline->value[k].value;
            row->baseline_source = baseline->value[k].source;
        }
}

bool eb_counter_row_at(const eb_report *counters, const eb_baseline *baseline, size_t index, eb_counter_row *out)
{
    const eb_table *table = counters_of(counters);
    if (!table || index >= table->rows)
        return false;
    const char *metric = eb_text_at(table, index, EB_F(metric));
    const char *title = eb_text_at(table, index, EB_F(title));
    *out = (eb_counter_row){.title = title[0] ? title : metric,
                            .unit = unit_of(eb_text_at(table, index, EB_F(unit))),
                            .engines = engines_of(table)};
    compare(out, baseline, metric);
    out->most = out->baseline;
    for (size_t k = 0; k < out->engines; k++) {
        const eb_value *cell = &table->cell[index * table->columns + BEFORE_ENGINES + 2 * k];
        out->value[k] = eb_value_number(cell[0]);
        out->source[k] = eb_value_text(cell[1]);
        out->most = fmax(out->most, out->value[k]); /* fmax ignores NAN */
    }
    if (out->unit == EB_PERCENT && out->most > 1) /* a ratio, such as conflicts per wavefront, and no share */
        out->unit = EB_PLAIN;
    else if (out->unit == EB_PERCENT && !isnan(out->most))
        out->most = 1;
    return true;
}

char *eb_counter_difference(char *buffer, size_t size, double value, double baseline, eb_unit unit)
{
    double difference = unit == EB_PERCENT ? 100 * (value - baseline) : 100 * (value / baseline - 1);
    if (size > 0)
        buffer[0] = '\0';
    if (!isfinite(difference))
        return buffer;
    (void)snprintf(buffer, size, "%+.3g %s", difference, unit == EB_PERCENT ? "points" : "%");
    return buffer;
}
