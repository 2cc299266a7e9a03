/* rounding: the number types that engines round coordinates to, and the effect on points. An engine names its type
 * (engine.h). Points that overflow the type are refused; reports state how far rounding moves points. Each type is a
 * file with an eb_rounding, such as fp16.c.
 */
#pragma once

#include "core/data/dataset_stats.h"
#include "core/engine/figure.h"

struct eb_column; /* core/report/fields.h */

typedef struct eb_rounding {
    const char *name;                      /* "FP16" */
    const struct eb_column *field;         /* key of the record in `info`: EB_F(fp16) */
    const eb_figure *moved, *moved_of_eps; /* figures of a run: the largest ‖p − p̂‖, and the same relative to ε */
    unsigned holds;                        /* bits 1 << eb_dtype: element types all of whose values it represents */
    double greatest;                       /* largest finite value */
    double least_normal;                   /* smaller magnitudes keep fewer bits, or none */
    const char *sums;                      /* the type that products are summed in: "FP32" */
    double exact_sums;                     /* sums of whole numbers up to this bound are exact */
    void (*errors)(double *x, size_t d); /* replaces each x of a point by x − x̂, exactly; infinite on overflow */
} eb_rounding;

extern const eb_rounding eb_rounding_fp16;

typedef struct eb_rounded {
    uint64_t overflow;                    /* values that overflow */
    size_t overflow_row, overflow_column; /* the first such value */
    uint64_t subnormal;                   /* non-zero values that become subnormal or 0 */
    uint64_t inexact;                     /* values that change */
    double moved_mean, moved_most;        /* ‖p − p̂‖ over points without overflow */
    uint64_t moved;                       /* points that move by `far` or more, and by more than 0 */
} eb_rounded;

/* Finds the effect of rounding on a dataset in one parallel pass. The result does not depend on the thread count. */
eb_code eb_rounding_find(const eb_rounding *rounding, const eb_dataset *ds, double far, unsigned threads, eb_job *job,
                         eb_rounded *out, eb_status *status);

/* True if neither points nor sums of their products are rounded: the points are whole numbers that the type represents,
 * and 2·‖p‖² is below exact_sums. */
bool eb_rounds_nothing(const eb_rounding *rounding, const eb_rounded *rounded, const eb_dataset_stats *stats);
