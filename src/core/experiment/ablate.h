/* ablate: what an engine's switches are worth, as sets of them are left out or added (switch_sets.h): leave-one-out
 * (FASTED paper, Table 5), add-one-in from the bare kernel, any subset.
 *
 * Kernel times come from counting trials (measure.h). Beside them every variant makes its neighbour table once, and a
 * digest of the table is compared with the baseline's: the flags are about speed, so a result that differs in one bit
 * is EB_INTERNAL.
 */
#pragma once

#include "core/experiment/experiment.h"
#include "core/experiment/switch_sets.h"

typedef struct eb_ablation {
    eb_ablation_way way;
    bool from_bare;
    uint32_t named[EB_MOST_VARIANTS]; /* switches left out or added (eb_switch_set), of each cell; 0: the baseline */
    eb_setup setup[EB_MOST_VARIANTS];
    eb_experiment_request request;
    eb_experiment e; /* the baseline's cell first; the last begun may have fewer trials than wanted, or none */
} eb_ablation;

/* Measures the baseline and then each variant of the plan, all of which are asked first whether they can run. The
 * request's mode does not matter. Fills *out also on failure and cancel, with what was finished; the caller frees with
 * eb_ablation_free. Errors of the plan as eb_choose_switch_sets has them. */
eb_code eb_ablate(const eb_measure_request *request, const eb_ablation_plan *plan, const eb_run_observer *observer,
                  eb_job *job, eb_ablation *out, eb_status *status);
void eb_ablation_free(eb_ablation *ablation);
