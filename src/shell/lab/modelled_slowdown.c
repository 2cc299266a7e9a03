#include "shell/lab/modelled_slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/state_path.h"
#include "core/model/predict.h"

static double kernel_s(const eb_engine *engine, const eb_options *options, const eb_machine *machine, size_t n,
                       size_t d)
{
    eb_kernel_plan plan;
    eb_prediction prediction;
    return engine->plan(options, n, d, machine, &plan, NULL) || eb_predict(&plan, machine, 0, NULL, &prediction, NULL)
               ? NAN
               : prediction.kernel_s;
}

double eb_modelled_slowdown(const eb_engine *engine, const eb_options *base, const eb_options *without, const char *gpu,
                            size_t n, size_t d)
{
    char path[4096];
    eb_machine *machines;
    size_t count;
    if (!engine->plan || eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, NULL))
        return NAN;
    const eb_machine *machine = eb_machine_find(machines, count, gpu);
    const double slowdown =
        machine ? kernel_s(engine, without, machine, n, d) / kernel_s(engine, base, machine, n, d) : NAN;
    free(machines);
    return slowdown;
}
