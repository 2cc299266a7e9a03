#include "shell/lab/modelled_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/state_path.h"
#include "core/model/banks.h"
#include "core/model/cache.h"
#include "core/model/occupancy.h"
#include "core/model/predict.h"

/* Whether the model knows what the engine's switches do. */
static bool follows_switches(const eb_engine *engine, const eb_machine *machine, size_t n, size_t d)
{
    eb_options options;
    eb_kernel_plan plan;
    eb_options_default(&engine->options, &options);
    return engine->plan(&options, n, d, machine, &plan, NULL) == EB_OK && plan.follows_switches;
}

static eb_modelling find_modelling(const eb_engine *engine, const char *gpu, size_t n, size_t d, bool switches)
{
    eb_modelling m = {.engine = NULL, .n = n, .d = d};
    char path[4096];
    eb_machine *machines;
    size_t count;
    if (!engine->plan || eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, NULL))
        return m;
    const eb_machine *machine = gpu ? eb_machine_find(machines, count, gpu) : NULL;
    for (size_t k = 0; k < count && !gpu && !machine; k++)
        machine = machines[k].measured > 0 ? &machines[k] : NULL;
    if (machine && (!switches || follows_switches(engine, machine, n, d))) {
        m.engine = engine;
        m.machine = *machine;
    }
    free(machines);
    return m;
}

eb_modelling eb_modelling_of(const eb_engine *engine, const char *gpu, size_t n, size_t d)
{
    return find_modelling(engine, gpu, n, d, true);
}

double eb_modelled_s(const eb_modelling *m, const eb_options *options)
{
    eb_kernel_plan plan;
    eb_prediction prediction;
    if (!m->engine || m->engine->plan(options, m->n, m->d, &m->machine, &plan, NULL) ||
        eb_predict(&plan, &m->machine, 0, m->job, &prediction, NULL))
        return NAN;
    return prediction.kernel_s;
}

/* ---- facts without a replay of the tiles ---- */

static void put_plan(eb_report *report, const eb_kernel_plan *plan, const eb_machine *machine)
{
    const eb_occupancy occupancy = eb_occupancy_of(plan, machine);
    const eb_bank_use banks = eb_slice_use(plan, EB_COUNTED_ACCESSES), all = eb_slice_use(plan, EB_ALL_ACCESSES);
    eb_record *record = eb_report_record(report, EB_F(model), "What the machine model knows");
    EB_RECORD_FIELDS(record, {EB_F(gpu), eb_text(machine->title)}, {EB_F(kernel), eb_text(plan->title)},
                     {EB_F(tiles), eb_real(eb_tiles_inside(plan))}, {EB_F(blocks_sm), eb_uint(occupancy.blocks)},
                     {EB_F(limit), eb_text(occupancy.limit)}, {EB_F(occupancy), eb_real(occupancy.share)},
                     {EB_F(wavefront_conflicts),
                      eb_real(banks.wavefronts ? (double)banks.conflicts / (double)banks.wavefronts : 0)},
                     {EB_F(wavefronts), eb_uint(all.wavefronts)});
}

bool eb_report_modelled_at_once(eb_report *report, const char *engine, const char *gpu, size_t n, size_t d)
{
    const eb_engine *found;
    eb_options options;
    eb_kernel_plan plan;
    if (n < 2 || eb_engine_find(engine, strlen(engine), &found, NULL))
        return false;
    eb_modelling m = find_modelling(found, gpu, n, d, false);
    eb_options_default(&found->options, &options);
    if (!m.engine || found->plan(&options, n, d, &m.machine, &plan, NULL))
        return false;
    put_plan(report, &plan, &m.machine);
    return true;
}
