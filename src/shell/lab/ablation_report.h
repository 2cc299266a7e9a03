/* ablation_report: reports what each switch of an engine is worth: the slowdown without it, or the speedup with it, as
 * measured or as modelled. */
#pragma once

#include "core/experiment/ablate.h"
#include "core/experiment/switch_sets.h"
#include "core/report/report.h"

/* The finished part of an ablation: fields of the baseline, and table "variants", baseline first: the slowdown of each
 * variant, or from the bare kernel its speedup, with the 90 % interval. model_s: seconds by the machine model, one for
 * each variant that began; NAN: unknown. Reports nothing if the baseline has no trial. */
void eb_report_ablation(eb_report *report, const eb_ablation *ablation, const double *model_s);

/* Table "switches": what each flag does, what it needs, which flags are lost with it, the paper's figures, and the
 * modelled slowdown of `base` without it on the paper's GPU. Modelled values are n/a if the job was cancelled. */
void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base, eb_job *job);

/* Table "predictions": the plan's sets of switches and the modelled times of their kernels on the paper's GPU; n/a:
 * unknown to the model. Errors as in eb_choose_switch_sets. */
eb_code eb_report_predictions(eb_report *report, const eb_spec *spec, const eb_ablation_plan *plan, eb_job *job,
                              eb_status *status);
