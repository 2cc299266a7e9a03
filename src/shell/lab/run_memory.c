#include "shell/lab/run_memory.h"

#include <math.h>
#include <stdlib.h>

#include "core/engine/spec.h"
#include "core/files/state_path.h"
#include "core/report/find.h"
#include "shell/lab/memory_report.h"

static const char *text_of(eb_value value) { return value.kind == EB_TEXT ? value.as.text : ""; }

static size_t size_of(const eb_report *shown, const char *key)
{
    const double value = eb_value_number(eb_report_find_field(shown, key));
    return value > 0 ? (size_t)value : 0;
}

/* False: the model does not know such kernels on that GPU. */
static bool model_run(const eb_report *shown, const eb_machine *machine, eb_memory *out)
{
    eb_spec spec;
    eb_kernel_plan plan;
    eb_prediction prediction;
    const size_t n = size_of(shown, "n"), d = size_of(shown, "d");
    const double clock_hz = eb_value_number(eb_report_find_field(shown, "sm_clock_hz"));
    const double selectivity = eb_value_number(eb_report_find_field(shown, "selectivity"));
    if (!machine || n < 2 || d == 0 || eb_spec_parse(text_of(eb_report_find_field(shown, "spec")), NULL, &spec, NULL) ||
        !spec.engine->plan || spec.engine->plan(&spec.options, n, d, machine, &plan, NULL))
        return false;
    plan.selectivity = isnan(selectivity) ? plan.selectivity : selectivity;
    if (eb_predict(&plan, machine, isnan(clock_hz) ? 0 : clock_hz, NULL, &prediction, NULL))
        return false;
    *out = eb_memory_of_model(&plan, machine, &prediction);
    return true;
}

static bool find_model(const eb_report *shown, eb_memory *out)
{
    char path[4096];
    eb_machine *machines;
    size_t count;
    const char *gpu = text_of(eb_record_find(eb_report_find_record(shown, "device_details"), "model"));
    if (!gpu[0] || eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, NULL))
        return false;
    const bool found = model_run(shown, eb_machine_find(machines, count, gpu), out);
    free(machines);
    return found;
}

void eb_report_run_memory(const eb_report *shown, eb_report *report)
{
    eb_memory memory = eb_memory_unknown();
    const bool modelled = find_model(shown, &memory);
    const size_t counted = eb_memory_take_counters(&memory, eb_report_find_table(shown, "counters"));
    memory.seconds = eb_value_number(eb_report_find_field(shown, "kernel_s"));
    eb_report_memory(report, "Memory: what the level above reads, over the kernels' median time", &memory);
    if (counted > 0)
        eb_report_note(report, "counted: in passes of their own, beside the trials that were timed");
    if (modelled)
        eb_report_note(report, "model: what the machine model says of such a kernel, not of this run");
}
