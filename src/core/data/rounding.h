/* rounding: the number type that an engine rounds coordinates to, and what becomes of points. An engine hands its type
 * over (engine.h): what it cannot hold is refused, how far it moves points is told. A type is a file with an
 * eb_rounding, as fp16.c.
 */
#pragma once

#include "core/data/dataset_stats.h"
#include "core/engine/figure.h"

struct eb_column; /* core/report/fields.h */

typedef struct eb_rounding {
    const char *name;                      /* "FP16" */
    const struct eb_column *field;         /* of what `info` says of it: EB_F(fp16) */
    const eb_figure *moved, *moved_of_eps; /* of a run: ‖p − p̂‖ at most; which is of ε */
    unsigned holds;                        /* bits 1 << eb_dtype: types of which it holds every value */
    double greatest;                       /* finite value */
    double least_normal;                   /* values nearer to 0 keep fewer bits, or none */
    const char *sums;                      /* what its products are summed in: "FP32", */
    double exact_sums;                     /* where whole numbers up to this one add up exactly */
    void (*errors)(double *x, size_t d);   /* a point, in place: each x − x̂, exact; infinite where it overflows */
} eb_rounding;

extern const eb_rounding eb_rounding_fp16;

typedef struct eb_rounded {
    uint64_t overflow;                    /* values that do */
    size_t overflow_row, overflow_column; /* the first of them */
    uint64_t subnormal;                   /* non-zero values that become subnormal or 0 */
    uint64_t inexact;                     /* values that change */
    double moved_mean, moved_most;        /* ‖p − p̂‖ over points without overflow */
    uint64_t moved;                       /* points that move by `far` or more, and by more than 0 */
} eb_rounded;

/* One pass, all threads; the result does not depend on their number. */
eb_code eb_rounding_find(const eb_rounding *rounding, const eb_dataset *ds, double far, unsigned threads, eb_job *job,
                         eb_rounded *out, eb_status *status);

/* Neither points nor sums of their products round: the points are whole numbers, norm² + norm² small enough. */
bool eb_rounds_nothing(const eb_rounding *rounding, const eb_rounded *rounded, const eb_dataset_stats *stats);

/* EB_BAD_VALUE: the value overflows. */
eb_code eb_rounding_refuse(const eb_rounding *rounding, size_t row, size_t column, double value, eb_status *status);
