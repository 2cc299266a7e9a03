/* ablate: measures what each of an engine's switches is worth. Each variant leaves out or adds a set of switches
 * (switch_sets.h): leave-one-out (FASTED paper, Table 5), add-one-in from the bare kernel, or any subset.
 *
 * Kernel times come from counting trials (measure.h). Each variant also makes its neighbour table once, and a digest of
 * the table is compared with the baseline's. Switches change only speed, so a result that differs in one bit is
 * EB_INTERNAL.
 */
#pragma once

#include "core/experiment/experiment.h"
#include "core/experiment/switch_sets.h"

typedef struct eb_ablation {
    eb_ablation_way way;
    bool from_bare;
    uint64_t named[EB_MOST_VARIANTS]; /* switches left out or added (eb_switch_set), for each cell; 0: the baseline */
    eb_setup setup[EB_MOST_VARIANTS];
    eb_experiment_request request;
    eb_experiment e; /* first cell: the baseline; the last cell begun may have fewer trials than wanted, or none */
} eb_ablation;

/* Measures the baseline, then each variant of the plan. Before the first run, all variants are checked to run on the
 * device. The request's mode is ignored. Fills *out with the finished part also on failure and cancel; the caller frees
 * with eb_ablation_free. Errors in the plan are those of eb_choose_switch_sets. */
eb_code eb_ablate(const eb_measure_request *request, const eb_ablation_plan *plan, const eb_run_observer *observer,
                  eb_job *job, eb_ablation *out, eb_status *status);
void eb_ablation_free(eb_ablation *ablation);
