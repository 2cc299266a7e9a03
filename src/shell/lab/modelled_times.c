#include "shell/lab/modelled_times.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/state_path.h"
#include "core/model/predict.h"

eb_modelling eb_modelling_of(const eb_engine *engine, const char *gpu, size_t n, size_t d)
{
    eb_modelling m = {.engine = NULL, .n = n, .d = d};
    char path[4096];
    eb_machine *machines;
    size_t count;
    if (!engine->plan || eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, NULL))
        return m;
    const eb_machine *machine = eb_machine_find(machines, count, gpu);
    if (machine) {
        m.engine = engine;
        m.machine = *machine;
    }
    free(machines);
    return m;
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
