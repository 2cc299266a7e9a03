/* switch_list: an engine's switches, and what the machine model says of ablations, as tables; nothing runs. */
#pragma once

#include "core/experiment/switch_sets.h"
#include "core/report/report.h"

/* A table "switches": what each flag does, what it needs, what goes with it, the paper's figures, and beside them what
 * the machine model says of leaving it out of `base`, on the paper's GPU. Incomplete when the job was cancelled. */
void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base, eb_job *job);

/* A table "predictions": the plan's sets and the model's times of their kernels there, n/a where it knows none. Errors
 * as eb_choose_switch_sets has them. */
eb_code eb_report_predictions(eb_report *report, const eb_spec *spec, const eb_ablation_plan *plan, eb_job *job,
                              eb_status *status);
