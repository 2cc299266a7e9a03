#include "shell/lab/kept_index.h"

#include "kernels/inverted/inverted.h"

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
