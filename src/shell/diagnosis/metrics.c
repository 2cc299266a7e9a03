#include "shell/diagnosis/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/format.h"

#define EB_METRIC_ENTRY(name, ...) [name] = {__VA_ARGS__},
const eb_metric_about eb_metric_list[EB_METRIC_COUNT] = {EB_METRICS_LIST(EB_METRIC_ENTRY)};
#undef EB_METRIC_ENTRY

eb_metric eb_metric_find(const char *key)
{
    eb_metric metric = 0;
    while (metric < EB_METRIC_COUNT && strcmp(eb_metric_list[metric].key, key) != 0)
        metric++;
    return metric;
}

double eb_metric_ratio(eb_metric metric, const eb_metrics *kernel, const eb_metrics *full)
{
    const double least = eb_metric_list[metric].least;
    return (kernel->value[metric] + least) / (full->value[metric] + least);
}

/* Three digits are enough to compare. */
static eb_value rounded(eb_metric metric, double value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.3g", value / eb_metric_list[metric].scale);
    return eb_real(strtod(text, NULL));
}

char *eb_metric_text(eb_metric metric, double value, char *buffer, size_t size)
{
    char number[32];
    const eb_metric_about *about = &eb_metric_list[metric];
    (void)eb_format_brief(number, sizeof number, rounded(metric, value), EB_PLAIN);
    (void)snprintf(buffer, size, "%s%s%s", number, about->scale == 1 ? "" : " ", about->scale == 1 ? "" : about->unit);
    return buffer;
}

void eb_report_metrics(eb_report *report, const eb_metrics *kernel, const eb_metrics *full, const char *by)
{
    eb_table *table =
        EB_TABLE(report, EB_F(counters), "Counters of this kernel beside the full kernel's", EB_HIDDEN(metric),
                 EB_F(figure_title), EB_F(unit), EB_F(this_kernel), EB_F(full_kernel), EB_F(ratio), EB_F(source));
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++) {
        const double ratio = kernel->value[m] / full->value[m];
        if (isnan(kernel->value[m]) || isnan(full->value[m]))
            continue;
        EB_ROW(table, eb_text(eb_metric_list[m].key), eb_text(eb_metric_list[m].title), eb_text(eb_metric_list[m].unit),
               rounded(m, kernel->value[m]), rounded(m, full->value[m]), eb_real(ratio),
               eb_text(kernel->counted[m] ? by : "model"));
    }
}
