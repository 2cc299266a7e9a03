/* ablation_report: what leaving an engine's switches out costs, or adding them gains, as a table. */
#pragma once

#include "core/experiment/ablate.h"
#include "core/report/report.h"

/* The finished part of an ablation: fields of the baseline, and a table "variants", baseline first: how much slower
 * than the baseline each is, or from the bare kernel how much faster, with the 90 % interval. model_s: what the machine
 * model says that each variant takes, [done] seconds, NAN unknown. Nothing when not even the baseline has a trial. */
void eb_report_ablation(eb_report *report, const eb_ablation *ablation, const double *model_s);

/* Whether what came along with its switches is told against the variant before, not the baseline: one after another. */
bool eb_is_step(eb_ablation_way way, size_t variant);

/* In words: "With each switch alone"; "(bare)", "(all on)". */
const char *eb_ablation_title(eb_ablation_way way, bool from_bare);
const char *eb_baseline_name(bool from_bare);

/* What the figures published of the engine's switches are of. */
void eb_note_published(eb_report *report, const eb_engine *engine);
