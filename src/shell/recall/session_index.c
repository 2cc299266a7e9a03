#include "shell/recall/session_index.h"

#include "core/inverted/question.h"
#include "shell/defaults.h"

static uint64_t gpu_bytes(const eb_inverted_request *request, bool refining)
{
    const eb_dataset *points = request->points;
    const uint64_t places = request->n + request->shape.nlist * EB_LIST_BLOCK / 2; /* last blocks are half full */
    return eb_inverted_gpu_bytes(places, points->d, &request->shape) +
           (refining ? (uint64_t)points->n * points->d * eb_dtype_size(points->dtype) : 0);
}

static eb_code check_memory(const eb_session *session, const eb_session_index *i, bool refining, eb_job *job,
                            eb_status *status)
{
    const eb_device *device = &i->setup.device;
    const bool on_gpu = device->kind == EB_DEVICE_CUDA;
    const uint64_t lent = session->settings.gpu_memory_limit, there = lent ? lent : device->memory_bytes,
                   needed = on_gpu ? gpu_bytes(&i->request, refining) : 0;
    EB_TRY(eb_index_check_memory(&i->request, session->settings.memory_limit, status));
    if (needed > there && on_gpu)
        return eb_fail(status, EB_NO_MEMORY, "the index takes %.0f MB on %s, %s %.0f MB", (double)needed / 1e6,
                       device->name, lent ? "the limit is" : "which has", (double)there / 1e6);
    eb_job_announce_memory(job, eb_inverted_build_bytes(&i->request), needed);
    return EB_OK;
}

eb_code eb_session_index_setup(eb_session *session, const eb_inverted_request *request, bool refining, eb_job *job,
                               eb_session_index *out, eb_status *status)
{
    out->request = *request;
    EB_TRY(eb_session_setup(session, EB_LISTS "[nprobe=0]", &out->setup, status));
    out->setup.index = &out->request;
    return check_memory(session, out, refining, job, status);
}

eb_code eb_session_index_open(eb_session_index *i, const eb_dataset *queries, eb_job *job, eb_status *status)
{
    const eb_problem problem = {queries, i->request.points, NULL};
    EB_TRY(eb_problem_open(&i->setup, &problem, job, &i->opened, status));
    i->index = eb_index_latest(i->request.points);
    i->kept = i->index->found > 0;
    return EB_OK;
}

void eb_session_index_close(eb_session_index *i)
{
    if (!i->index)
        return;
    eb_problem_close(&i->opened);
    eb_index_release(i->index);
    i->index = NULL;
}
