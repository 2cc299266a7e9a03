/* frame: shifts and scales points before they are rounded to FP16: y = 2^exponent·(x − centre). Any frame is correct; a
 * good one makes ‖y‖ small compared with distances, and keeps y within FP16's range. Plain C. */
#pragma once

#include "core/data/dataset.h"

typedef struct eb_certified_frame {
    double *centre; /* [d] */
    int exponent;
} eb_certified_frame;

/* Makes a frame from a sample of the points; outliers have little influence. Without `centred` the centre is 0, without
 * `scaled` the exponent is 0. */
eb_code eb_certified_frame_make(const eb_dataset *ds, bool centred, bool scaled, eb_certified_frame *out,
                                eb_status *status);
void eb_certified_frame_free(eb_certified_frame *frame); /* frees the centre, not the struct */
