/* plan: describes ted's kernels to the machine model (core/model/kernel.h): its own (cuda/kernel.cuh) and the published
 * one (cuda/paper.cuh). */
#pragma once

#include "core/engine/option.h"
#include "core/model/kernel.h"

/* EB_NO_ENGINE without FP64 tensor cores. */
eb_code eb_plan_f64_tiles(size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out, eb_status *status);

/* indexed: over a grid's candidates; else all pairs. */
eb_code eb_plan_ted_paper(const eb_options *options, bool indexed, size_t n, size_t d, const eb_machine *machine,
                          eb_kernel_plan *out, eb_status *status);
