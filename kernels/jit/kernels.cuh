/* kernels: loads kernels that jit.h compiles, for all devices of an architecture, for the life of the process. */
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime.h>

extern "C" {
#include "core/base/job.h"
#include "kernels/jit/jit.h"
}

namespace eb {

struct jit_wanted {
    std::string source, name; /* of eb_jit_kernel */
    std::string checks;       /* of eb_jit_kernel */
    std::string title;        /* for the progress line: "fasted[paper,-swizzle]" */
};

/* Loads all kernels for a device: from the process, from the cache, or compiled by `threads` threads at once. The job's
 * aside shows "compiling TITLE for sm_90, kernel 3 of 9". Cancelling takes effect between kernels. */
eb_code jit_prepare(const std::vector<jit_wanted> &wanted, int device, unsigned threads, eb_job *job,
                    eb_status *status);

/* Returns a kernel that jit_prepare has loaded, for the current device; EB_INTERNAL if it has not. */
eb_code jit_loaded(const jit_wanted &wanted, cudaKernel_t *out, eb_status *status);

} // namespace eb
