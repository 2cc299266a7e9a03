/* What the session knows of what a GPU does at best. They are kept in the log, and in a log of their own among the
 * caches, so that sessions without a log, or with a new one, need not measure them again. */
#include <string.h>

#include "core/base/state_path.h"
#include "kernels/device/cuda.h"
#include "shell/session.h"

static bool has_place(const eb_device *device)
{
    return device->kind == EB_DEVICE_CUDA && device->index >= 0 && device->index < EB_MOST_CUDA_DEVICES;
}

/* Nothing here may fail: what is not kept is measured again. */
static eb_store *open_cache(void)
{
    char path[4096];
    eb_store *cache = NULL;
    if (!eb_cache_path("limits.db", path, sizeof path) || eb_store_open(path, &cache, NULL))
        return NULL;
    return cache;
}

static void look_into_cache(eb_device *device, char measured_at[EB_MOMENT_BYTES])
{
    eb_store *cache = open_cache();
    if (cache && eb_store_limits_get(cache, device, measured_at, NULL))
        memset(device->limit, 0, sizeof device->limit);
    eb_store_close(cache);
}

static void keep_in_cache(const eb_device *device)
{
    eb_store *cache = open_cache();
    if (cache)
        (void)eb_store_limits_set(cache, device, NULL);
    eb_store_close(cache);
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
    if (!eb_limits_known(device->limit) && eb_limits_known(session->limit[device->index]) && !measured_at)
        memcpy(device->limit, session->limit[device->index], sizeof device->limit);
    if (!eb_limits_known(device->limit))
        look_into_cache(device, measured_at);
    if (!eb_limits_known(device->limit)) /* measured, and kept nowhere else */
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
    keep_in_cache(device);
    if (session->store && eb_store_limits_set(session->store, device, &failure))
        eb_session_log_failed(session, &failure);
    return EB_OK;
}

void eb_limits_ensure(eb_session *session, eb_device *device, eb_job *job)
{
    eb_status ignored;
    if (has_place(device))
        eb_cuda_ready(device->index);
    if (has_place(device) && !eb_limits_known(device->limit))
        (void)eb_limits_measure(session, device, job, &ignored);
}
