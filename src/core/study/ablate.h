/* ablate: leave-one-out over FASTED's switches (paper, Table 5): everything on, then once without each switch.
 *
 * Kernel times come from counting trials (measure.h). Beside them every variant makes its neighbour table once, and a
 * digest of the table is compared with the baseline's: the switches are about speed, so a result that differs in one
 * bit is EB_INTERNAL.
 */
#ifndef EB_CORE_STUDY_ABLATE_H
#define EB_CORE_STUDY_ABLATE_H

#include "core/study/ablation.h"
#include "core/study/measure.h"

/* Everything on, FASTED's paper, Table 5: A100, d = 4096. */
#define EB_PUBLISHED_TFLOPS 154.0

/* The baseline and one variant for every bit of a mask. */
#define EB_MAX_VARIANTS 33u

/* What a variant found, beside what everything-on found. */
typedef enum eb_sameness {
    EB_RESULTS_UNKNOWN, /* not compared: no trial was finished */
    EB_SAME_COUNT,      /* the same |R|; the tables did not fit in memory */
    EB_IDENTICAL,       /* every neighbour and every bit of every distance */
    EB_DIFFERENT,
} eb_sameness;

typedef struct eb_variant {
    const eb_switch *left_out; /* NULL: the baseline */
    uint32_t switches;         /* what was on */
    eb_run run;
    eb_sameness sameness; /* EB_IDENTICAL for the baseline once its digest is there */
} eb_variant;

typedef struct eb_ablation {
    uint32_t preset;
    size_t wanted; /* variants asked for, baseline included */
    size_t done;   /* variants begun; the last may have fewer trials than wanted, or none */
    eb_variant variant[EB_MAX_VARIANTS];
} eb_ablation;

/* The switches that can be left out of a preset, as a mask. Of the paper's: all. Of the best: those it adds to the
 * paper's; only these have kernels compiled. */
uint32_t eb_ablation_switches(uint32_t preset);

/* "pipeline,swizzle" as a mask. EB_USAGE with the names there are. */
eb_code eb_ablation_only(const char *names, uint32_t *out, eb_status *status);

/* Measures the preset and then, for each bit of `left_out` in the order of the switches, the preset without it and
 * without what needs it. The request's switches and mode do not matter. Fills *out also on failure and cancel, with
 * what was finished; the caller frees with eb_ablation_free. EB_USAGE when left_out names a switch that cannot be left
 * out of the preset. */
eb_code eb_ablate(const eb_measure_request *request, uint32_t preset, uint32_t left_out,
                  const eb_run_observer *observer, eb_job *job, eb_ablation *out, eb_status *status);
void eb_ablation_free(eb_ablation *ablation);

/* The names of the switches in `set`, ", " between them; "" for none. Returns buffer, cut when it is too small. */
const char *eb_switch_names(uint32_t set, char *buffer, size_t size);

#endif
