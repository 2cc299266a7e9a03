/* frame: shifts and scales points before they are rounded to 8 bits: y = (x − centre)·scale, with one scale for all
 * dimensions. Any frame is correct; with a good one rounding moves points little. Plain C. */
#pragma once

#include "core/data/dataset.h"

#define EB_QUANTISED_ROWS 256 /* sampled at most */

typedef struct eb_quantised_frame {
    double *centre; /* [d] */
    int exponent; /* the FP16 filter's exponent (kernels/certified/frame.h): scales typical values into FP16's range */
    double scale;
    double moved; /* mean distance by which rounding moves a sampled point, outliers left out; unit: the points' */
    size_t rows;
    double row_moved[EB_QUANTISED_ROWS]; /* [rows] the distance of each sampled point, ascending */
} eb_quantised_frame;

/* Makes a frame from a sample of the points; outliers have little influence. Scales are tried from one that fits all
 * sampled values to one that fits 99 % of them and clips the rest. The scale that moves points least is chosen. Without
 * `centred` the centre is 0. */
eb_code eb_quantised_frame_make(const eb_dataset *ds, bool centred, eb_quantised_frame *out, eb_status *status);
/* Chooses scale, moved and row_moved for rows × d sampled values, rows ≤ EB_QUANTISED_ROWS. */
void eb_quantised_frame_scale(const float *values, size_t rows, size_t d, eb_quantised_frame *out);
void eb_quantised_frame_free(eb_quantised_frame *frame); /* frees the centre, not the struct */
