/* plan: describes ted's own kernel (cuda/kernel.cuh) to the machine model (core/model/kernel.h). */
#pragma once

#include "core/model/kernel.h"

/* EB_NO_ENGINE without FP64 tensor cores. */
eb_code eb_plan_f64_tiles(size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out, eb_status *status);
