/* plan_paper: describes TED-Join's published kernel (cuda/paper.cuh) to the machine model (core/model/kernel.h). */
#pragma once

#include "core/engine/option.h"
#include "core/model/kernel.h"

/* indexed: over a grid's candidates; else all pairs. */
eb_code eb_plan_ted_paper(const eb_options *options, bool indexed, size_t n, size_t d, const eb_machine *machine,
                          eb_kernel_plan *out, eb_status *status);
