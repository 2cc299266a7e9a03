/* frame: where points are put before they are rounded to FP16: y = 2^exponent·(x − centre). Any frame is right; a good
 * one makes ‖y‖ small beside distances, and keeps y clear of FP16's ends. Plain C. */
#pragma once

#include "core/data/dataset.h"

typedef struct eb_certified_frame {
    double *centre; /* [d] */
    int exponent;
} eb_certified_frame;

/* From a sample of the points, outliers notwithstanding. Without `centred` the centre is 0, without `scaled` the
 * exponent. */
eb_code eb_certified_frame_make(const eb_dataset *ds, bool centred, bool scaled, eb_certified_frame *out,
                                eb_status *status);
void eb_certified_frame_free(eb_certified_frame *frame); /* frees what it holds */
