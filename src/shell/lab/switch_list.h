/* switch_list: lists an engine's switches, and the modelled times of an ablation, without running anything. */
#pragma once

#include "core/experiment/switch_sets.h"
#include "core/report/report.h"

/* Table "switches": what each flag does, what it needs, which flags are lost with it, the paper's figures, and the
 * modelled slowdown of `base` without it on the paper's GPU. Modelled values are n/a if the job was cancelled. */
void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base, eb_job *job);

/* Table "predictions": the plan's sets of switches and the modelled times of their kernels on the paper's GPU; n/a:
 * unknown to the model. Errors as in eb_choose_switch_sets. */
eb_code eb_report_predictions(eb_report *report, const eb_spec *spec, const eb_ablation_plan *plan, eb_job *job,
                              eb_status *status);
