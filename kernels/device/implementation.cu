#include "kernels/device/implementation.cuh"

#include <cstdio>

namespace eb {

int architecture_of(const eb_device *device)
{
    int architecture = 0;
    return std::sscanf(device->architecture, "sm_%d", &architecture) == 1 ? architecture : 0;
}

eb_code probe_architecture(const eb_device *device, const eb_options *, eb_status *status)
{
    if (architecture_of(device) >= 80)
        return EB_OK;
    return eb_fail(status, EB_NO_ENGINE, "%s (%s) is older than sm_80, the oldest this build has code for",
                   device->model, device->architecture);
}

} // namespace eb
