/* kernels: what jit.h compiles, loaded: for all devices of an architecture, and as long as the process lives. */
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
    std::string source, name; /* eb_jit_kernel */
    std::string checks;       /* and its checks */
    std::string title;        /* for whoever waits: "fasted[paper,-swizzle]" */
};

/* Loads all of them for a device: from the process, the cache, or compiled by `threads` threads at once, which the
 * job's aside tells: "compiling TITLE for sm_90, kernel 3 of 9". A cancel is heard between kernels. */
eb_code jit_prepare(const std::vector<jit_wanted> &wanted, int device, unsigned threads, eb_job *job,
                    eb_status *status);

/* One of them for the current device, which jit_prepare had; EB_INTERNAL: it had not. */
eb_code jit_loaded(const jit_wanted &wanted, cudaKernel_t *out, eb_status *status);

} // namespace eb
