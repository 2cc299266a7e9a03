/* subsets: FASTED's kernel with any subset of the published switches, for ablations (pipeline needs async-copy,
 * register reuse needs warp-tile): the whole preset, those of Table 5, the bare kernel, and all between.
 *
 * The whole preset is built in. The others are compiled at run time when they are first needed (kernels/jit). Residency
 * changes only how a kernel is launched: two blocks per SM still leave a thread 255 registers. So 288 subsets are 144
 * kernels.
 */
#pragma once

#include <vector>

#include "kernels/fasted/cuda/variants.cuh"

extern "C" {
#include "core/base/job.h"
}

namespace eb {

struct fasted_asked {
    uint32_t switches;
    const char *spec; /* the spec as typed: "fasted[paper,-swizzle]" */
};

bool is_fasted_subset(uint32_t switches);

/* Checks that this program can run the subset on this machine. EB_NO_ENGINE if it would have to be compiled and NVRTC
 * is missing. */
eb_code check_fasted_subset(const fasted_asked &asked, eb_status *status);

/* Compiles the subsets that need it, on `threads` threads; skips sets that are no subsets of the paper's. */
eb_code prepare_fasted_subsets(const std::vector<fasted_asked> &asked, int device, unsigned threads, eb_job *job,
                               eb_status *status);

/* Finds the variant that appends hits, for the current device. It must be prepared, unless it is built in. */
eb_code find_fasted_subset(const fasted_asked &asked, fasted_variant *out, eb_status *status);

} // namespace eb
