/* ablation_report: an engine's switches, and what leaving them out costs or adding them gains, as tables. */
#ifndef EB_SHELL_LAB_ABLATION_REPORT_H
#define EB_SHELL_LAB_ABLATION_REPORT_H

#include "core/report/report.h"
#include "core/study/ablate.h"

/* A table "switches": what each flag does, what it needs, what goes with it, the paper's figures, and beside them what
 * the machine model says of leaving it out of `base`, on the paper's GPU. */
void eb_report_switches(eb_report *report, const eb_engine *engine, const eb_options *base);

/* The finished part of an ablation: fields of the baseline, and a table "variants", baseline first: how much slower
 * than the baseline each is, or from the bare kernel how much faster, with the 90 % interval. model_s: what the machine
 * model says that each variant takes, [done] seconds, NAN unknown. Nothing when not even the baseline has a trial. */
void eb_report_ablation(eb_report *report, const eb_ablation *ablation, const double *model_s);

#endif
