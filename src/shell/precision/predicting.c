#include "shell/precision/predicting.h"

#include <string.h>

#include "core/base/parallel.h"

static size_t find(const eb_predictions *p, const char *spec)
{
    size_t k = 0;
    while (k < p->count && strcmp(p->of[k].spec, spec) != 0)
        k++;
    return k;
}

eb_code eb_predictions_add(eb_session *session, eb_predictions *p, const char *spec, eb_status *status)
{
    if (!spec || find(p, spec) < p->count)
        return EB_OK;
    eb_predicted *one = &p->of[p->count++];
    one->spec = spec;
    return eb_emulation_setup(session, p->core, spec, &one->setup, status);
}

static eb_code predict_one(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    eb_predictions *p = context;
    eb_predicted *one = &p->of[task];
    (void)thread, (void)status;
    one->failed = eb_overlap_predict(p->sample, &one->setup, NULL, &one->overlap, &one->status);
    return EB_OK;
}

eb_code eb_predictions_run(eb_predictions *p, unsigned threads, eb_job *job, eb_status *status)
{
    return eb_parallel(threads, p->count, predict_one, p, job, status);
}

eb_code eb_predictions_take(const eb_predictions *p, const char *spec, const eb_predicted **out, eb_status *status)
{
    *out = &p->of[find(p, spec)];
    if ((*out)->failed)
        *status = (*out)->status;
    return (*out)->failed;
}
