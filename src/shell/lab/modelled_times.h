/* modelled_times: kernel times of an engine with other switches, as the machine model predicts them. */
#pragma once

#include "core/engine/engine.h"
#include "core/model/machine.h"
#include "core/report/report.h"

typedef struct eb_modelling {
    const eb_engine *engine; /* NULL: the model does not know the GPU, or what the engine's switches do */
    eb_machine machine;
    size_t n, d;
    eb_job *job; /* tested for a cancel; NULL: cannot be cancelled */
} eb_modelling;

/* The model for n points in d dimensions on the GPU of that name or title (core/model/machine.h). NULL: the first GPU
 * that the model was checked against. */
eb_modelling eb_modelling_of(const eb_engine *engine, const char *gpu, size_t n, size_t d);

/* Seconds with these options; NAN: unknown to the model, or cancelled. Takes some hundredths of a second. */
double eb_modelled_s(const eb_modelling *modelling, const eb_options *options);

/* What the hardware's counters (kernels/device/counter_table.h) would show of such a run, which finds `selectivity`
 * neighbours a point: values[eb_counter_count()], NAN where the model does not know. EB_NO_ENGINE: the model does not
 * know the kernel. */
eb_code eb_modelled_counters(const eb_engine *engine, const eb_options *options, size_t n, size_t d, double selectivity,
                             const eb_machine *machine, eb_job *job, double *values, eb_status *status);

/* Record "model": facts about a kernel that need no replay of its tiles: blocks on an SM and their limit, conflicts and
 * wavefronts of a k-slice in shared memory. gpu as above. False, and no record: the engine has no kernel to model. */
bool eb_report_modelled_at_once(eb_report *report, const char *engine, const char *gpu, size_t n, size_t d);
