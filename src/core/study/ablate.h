/* ablate: leave-one-out over an engine's flags (FASTED paper, Table 5): everything on, then once without each.
 *
 * Kernel times come from counting trials (measure.h). Beside them every variant makes its neighbour table once, and a
 * digest of the table is compared with the baseline's: the flags are about speed, so a result that differs in one bit
 * is EB_INTERNAL.
 */
#ifndef EB_CORE_STUDY_ABLATE_H
#define EB_CORE_STUDY_ABLATE_H

#include "core/study/measure.h"

/* The baseline and one variant for every flag. */
#define EB_MOST_VARIANTS (EB_MOST_OPTIONS + 1)

/* What a variant found, beside what everything-on found. */
typedef enum eb_sameness {
    EB_RESULTS_UNKNOWN, /* not compared: no trial was finished */
    EB_SAME_COUNT,      /* the same |R|; the tables did not fit in memory */
    EB_IDENTICAL,       /* every neighbour and every bit of every distance */
    EB_DIFFERENT,
} eb_sameness;

typedef struct eb_variant {
    const eb_option *left_out; /* NULL: the baseline */
    eb_setup setup;            /* what ran */
    eb_run run;
    eb_sameness sameness; /* EB_IDENTICAL for the baseline once its digest is there */
} eb_variant;

typedef struct eb_ablation {
    size_t wanted; /* variants asked for, baseline included */
    size_t done;   /* variants begun; the last may have fewer trials than wanted, or none */
    eb_variant variant[EB_MOST_VARIANTS];
} eb_ablation;

/* Measures the request's setup and then, for each flag that its preset adds (option.h) and that matters on its device,
 * the same without the flag and without what needs it. only: a few of these, "pipeline,swizzle"; NULL: all. The
 * request's mode does not matter. Fills *out also on failure and cancel, with what was finished; the caller frees with
 * eb_ablation_free. EB_USAGE when `only` names what cannot be left out. */
eb_code eb_ablate(const eb_measure_request *request, const char *only, const eb_run_observer *observer, eb_job *job,
                  eb_ablation *out, eb_status *status);
void eb_ablation_free(eb_ablation *ablation);

/* The flags that are on in `from` and off in `to`, `but` one left out of the list, ", " between them; "" for none.
 * Returns buffer, cut when it is too small. */
const char *eb_flags_off(const eb_options *from, const eb_options *to, const eb_option *but, char *buffer, size_t size);

#endif
