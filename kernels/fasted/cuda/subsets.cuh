/* subsets: FASTED's kernel with any subset of the published switches, as ablations ask for them (a pipeline has
 * asynchronous copies, register reuse a warp tile): the whole preset, Table 5's, the bare kernel, and all between.
 *
 * The whole preset is built in; the others are compiled at run time, the first time that somebody asks for them
 * (kernels/jit). Residency is how a kernel is launched, not what it is: two blocks an SM leave a thread its 255
 * registers, too. So 288 subsets are 144 kernels.
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
    const char *spec; /* as the person knows it: "fasted[paper,-swizzle]" */
};

bool is_fasted_subset(uint32_t switches);

/* Whether this program, on this machine, can run it. EB_NO_ENGINE: it would have to be compiled, and there is no NVRTC.
 */
eb_code check_fasted_subset(const fasted_asked &asked, eb_status *status);

/* Compiles what has to be compiled of these, on so many threads; those that are no subsets are passed over. */
eb_code prepare_fasted_subsets(const std::vector<fasted_asked> &asked, int device, unsigned threads, eb_job *job,
                               eb_status *status);

/* The variant that appends hits, for the current device; prepared, unless it is built in. */
eb_code find_fasted_subset(const fasted_asked &asked, fasted_variant *out, eb_status *status);

} // namespace eb
