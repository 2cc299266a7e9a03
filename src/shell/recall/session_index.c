#include "shell/recall/session_index.h"

#include "kernels/inverted/cuda.h"

eb_code eb_session_index(const eb_session *session, const eb_device *device, eb_inverted_request *request, eb_job *job,
                         eb_index_got *out, eb_status *status)
{
    eb_assigner assigner = {0};
    *out = (eb_index_got){NULL, false};
    if (device->kind == EB_DEVICE_CUDA) {
        EB_TRY(eb_assigner_cuda_open(device, &assigner, status));
        request->assigner = &assigner;
    }
    const eb_code failed =
        eb_index_get(request, session->settings.memory_limit, session->settings.threads, job, out, status);
    eb_assigner_cuda_close(&assigner);
    request->assigner = NULL;
    return failed;
}

static uint64_t gpu_bytes(const eb_inverted_request *request, bool refining)
{
    const eb_dataset *points = request->points;
    const uint64_t places = request->n + request->shape.nlist * EB_LIST_BLOCK / 2; /* last blocks are half full */
    return eb_inverted_cuda_bytes(places, points->d, &request->shape) +
           (refining ? (uint64_t)points->n * points->d * eb_dtype_size(points->dtype) : 0);
}

eb_code eb_session_index_memory(const eb_session *session, const eb_device *device, const eb_inverted_request *request,
                                bool refining, eb_job *job, eb_status *status)
{
    const bool on_gpu = device->kind == EB_DEVICE_CUDA;
    const uint64_t lent = session->settings.gpu_memory_limit, there = lent ? lent : device->memory_bytes,
                   needed = on_gpu ? gpu_bytes(request, refining) : 0;
    EB_TRY(eb_index_check_memory(request, session->settings.memory_limit, status));
    if (needed > there && on_gpu)
        return eb_fail(status, EB_NO_MEMORY, "the index takes %.0f MB on %s, %s %.0f MB", (double)needed / 1e6,
                       device->name, lent ? "the limit is" : "which has", (double)there / 1e6);
    eb_job_announce_memory(job, eb_inverted_build_bytes(request), needed);
    return EB_OK;
}
