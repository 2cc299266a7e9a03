/* frame: where points are put before they are rounded to 8 bits: y = (x − centre)·scale, one step for all dimensions.
 * Any frame is right; a good one moves points little when they are rounded. Plain C. */
#pragma once

#include "core/data/dataset.h"

#define EB_QUANTISED_ROWS 256 /* sampled at most */

typedef struct eb_quantised_frame {
    double *centre; /* [d] */
    int exponent;   /* times 2^exponent the values of a typical point are FP16's (kernels/certified/frame.h) */
    double scale;
    double
        moved; /* how far rounding moves a sampled point, on average, but for those it moves most, in their own unit */
    size_t rows;
    double row_moved[EB_QUANTISED_ROWS]; /* [rows] each, ascending */
} eb_quantised_frame;

/* From a sample of the points, outliers notwithstanding. Steps are tried from what all sampled values fit in down to
 * what 99 % of them do, the rest being cut off; the one that moves points least is taken. Without `centred` the centre
 * is 0. */
eb_code eb_quantised_frame_make(const eb_dataset *ds, bool centred, eb_quantised_frame *out, eb_status *status);
/* Scale and what it moves, from rows × d sampled values as they are to be scaled; rows ≤ EB_QUANTISED_ROWS. */
void eb_quantised_frame_scale(const float *values, size_t rows, size_t d, eb_quantised_frame *out);
void eb_quantised_frame_free(eb_quantised_frame *frame); /* frees what it holds */
