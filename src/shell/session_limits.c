/* What the session knows of what a GPU does at best. */
#include <string.h>

#include "kernels/device/cuda.h"
#include "shell/session.h"

static bool has_place(const eb_device *device)
{
    return device->kind == EB_DEVICE_CUDA && device->index >= 0 && device->index < EB_MOST_CUDA_DEVICES;
}

void eb_limits_look_up(const eb_session *session, eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    memset(device->limit, 0, sizeof device->limit);
    if (measured_at)
        measured_at[0] = '\0';
    if (!has_place(device))
        return;
    /* A log that cannot be read says so when it is next written; until then this is only unknown. */
    if (session->store && eb_store_limits_get(session->store, device, measured_at, NULL))
        memset(device->limit, 0, sizeof device->limit);
    if (!eb_limits_known(device->limit))
        memcpy(device->limit, session->limit[device->index], sizeof device->limit);
}

eb_code eb_limits_measure(eb_session *session, eb_device *device, eb_job *job, eb_status *status)
{
    eb_status failure;
    if (!has_place(device))
        return eb_fail(status, EB_NO_DEVICE, "limits are measured on CUDA devices, and %s is none", device->name);
    eb_job_phase(job, "measuring limits", 0);
    eb_code failed = eb_cuda_limits(device->index, job, device->limit, status);
    if (failed) {
        memset(device->limit, 0, sizeof device->limit);
        return failed;
    }
    memcpy(session->limit[device->index], device->limit, sizeof device->limit);
    if (session->store && eb_store_limits_set(session->store, device, &failure))
        eb_session_log_failed(session, &failure);
    return EB_OK;
}

void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job)
{
    eb_status ignored;
    if (has_place(device) && !eb_limits_known(device->limit))
        (void)eb_limits_measure(session, device, job, &ignored);
}
