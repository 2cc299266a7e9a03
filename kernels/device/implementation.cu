#include "kernels/device/implementation.cuh"

#include <cstdio>
#include <cstring>

namespace eb {

int architecture_of(const eb_device *device)
{
    int architecture = 0;
    return std::sscanf(device->architecture, "sm_%d", &architecture) == 1 ? architecture : 0;
}

/* True if EB_CUDA_ARCHS (from the Makefile, "sm_80, sm_90a") names code that runs on the architecture: its own, or a
 * lower minor version of the same major version. Code whose name ends in "a" runs on its own architecture only. */
static bool has_code_for(int architecture)
{
#ifdef EB_CUDA_PTX
    if (architecture >= 80)
        return true;
#endif
    for (const char *at = EB_CUDA_ARCHS; (at = std::strstr(at, "sm_")) != nullptr; at++) {
        int built = 0, read = 0;
        const bool named = std::sscanf(at, "sm_%d%n", &built, &read) == 1;
        const bool only_itself = named && at[read] == 'a';
        if (named &&
            (built == architecture || (!only_itself && built / 10 == architecture / 10 && built < architecture)))
            return true;
    }
    return false;
}

eb_code probe_architecture(const eb_device *device, const eb_options *, eb_status *status)
{
    const int architecture = architecture_of(device);
    if (architecture < 80)
        return eb_fail(status, EB_NO_ENGINE, "%s (%s) is older than sm_80, the oldest that epsbench has kernels for",
                       device->model, device->architecture);
    if (!has_code_for(architecture))
        return eb_fail(status, EB_NO_ENGINE,
                       "this build has kernels for " EB_CUDA_ARCHS " alone, and %s is %s; build it with CUDA_ARCHS=all",
                       device->model, device->architecture);
    return EB_OK;
}

} // namespace eb
