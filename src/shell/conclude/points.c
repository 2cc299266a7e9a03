/* points: conclusions of load, synth, info, project, engines and devices. */
#include <string.h>

#include "core/engine/engine.h"
#include "shell/conclude/words.h"

void eb_conclude_load(eb_report *report)
{
    double n = eb_number_of(report, EB_F(n)), d = eb_number_of(report, EB_F(d));
    if (n > 0 && d > 0)
        eb_report_conclude(report, "%s in %s %s %s", EB_COUNT((uint64_t)n, "point", "points"),
                           EB_COUNT((uint64_t)d, "dimension", "dimensions"), n == 1 ? "is" : "are",
                           strcmp(report->command, "synth") == 0 ? "made" : "loaded");
}

void eb_conclude_info(eb_report *report)
{
    const eb_engine *engine = eb_rounding_engine(0);
    const eb_record *rounded = engine ? eb_report_find_record(report, engine->rounding->field) : NULL;
    if (!rounded)
        return;
    const char *name = engine->rounding->name;
    double overflow = eb_value_number(eb_record_find(rounded, EB_F(overflow)));
    double most = eb_value_number(eb_record_find(rounded, EB_F(residual_max)));
    if (overflow > 0)
        eb_report_conclude(report, "%s cannot hold these points: %s overflow", name,
                           EB_COUNT((uint64_t)overflow, "value", "values"));
    else if (most == 0)
        eb_report_conclude(report, "%s is safe for these points: it holds every value", name);
    else if (most > 0)
        eb_report_conclude(report, "%s moves points by up to %s", name, EB_AT_MOST(most));
}

void eb_conclude_project(eb_report *report)
{
    double share = eb_number_of(report, EB_F(first_share)) + fmax(0, eb_number_of(report, EB_F(second_share)));
    if (share >= 0)
        eb_report_conclude(report, "The picture shows %s of the points' variance", EB_SHARE(share));
}

void eb_conclude_engines(eb_report *report)
{
    const eb_table *table = eb_report_find_table(report, EB_F(engines));
    size_t here = 0;
    for (size_t k = 0; table && k < table->rows; k++)
        here += eb_table_value(table, k, EB_F(available)).as.boolean;
    if (table)
        eb_report_conclude(report, "%s %s here", EB_COUNT(here, "engine", "engines"), here == 1 ? "runs" : "run");
}

void eb_conclude_devices(eb_report *report)
{
    const eb_table *table = eb_report_find_table(report, EB_F(devices));
    for (size_t k = 0; table && k < table->rows; k++)
        if (eb_table_value(table, k, EB_F(current)).as.boolean)
            eb_report_conclude(report, "Engines run on %s: %s", eb_table_value(table, k, EB_F(device)).as.text,
                               eb_table_value(table, k, EB_F(model)).as.text);
}
