/* norms: ‖y‖² of points in FP16 as FASTED sums it (kernels/fasted/switches.h). */
#pragma once

#include <stddef.h>

#include "kernels/fasted/switches.h"

/* Returns s + x rounded toward zero, for finite s, x ≥ 0: a step of FASTED's norms. */
float eb_add_toward_zero(float s, float x);

/* y: FP16 numbers, or others whose squares FP32 holds. */
float eb_fasted_norm(const double *y, size_t d, eb_fasted_norms norms);
