/* quantised: an 8-bit filter before the FP32 one, for CPUs that multiply bytes (isa.h): points as int8 in panels, and
 * levels that leave no pair within a limit out (kernels/quantised/bound.h has the proof).
 */
#pragma once

#include "kernels/ref64/cpu/kernels.h"

typedef struct eb_ref64_quantised {
    eb_panels panels; /* int8; lanes are NULL if there is no such filter */
    double scale;
    eb_quantised_point *point; /* [n] */
    int32_t *sum;              /* [n] Σ q */
} eb_ref64_quantised;

/* True if the filter is worth its memory for points of d dimensions on this CPU. */
bool eb_ref64_quantises(size_t d);
uint64_t eb_ref64_quantised_bytes(size_t n, size_t d);

eb_code eb_ref64_quantised_make(const eb_dataset *ds, unsigned threads, eb_job *job, eb_ref64_quantised *out,
                                eb_status *status);
void eb_ref64_quantised_free(eb_ref64_quantised *points);

/* Levels for questions in which each row has a limit of its own, and t as in bound.h: the columns' once, and a row's.
 */
void eb_ref64_column_levels(const eb_ref64_quantised *points, size_t d, double t, uint32_t *column);
uint32_t eb_ref64_row_level(const eb_ref64_quantised *points, size_t d, double t, size_t row, double limit);

/* Writes the levels of one join: ⌈n/16⌉·16 int32 each, so that a pair with s ≤ limit has dot ≥ row[i] + column[j],
 * where dot is that of q_i + 128 with q_j. */
void eb_ref64_quantised_levels(const eb_ref64_quantised *points, size_t d, double limit, uint32_t *row,
                               uint32_t *column);
