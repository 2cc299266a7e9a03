#include "shell/precision/predicting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

enum { MOST_SPECS = 2 * EB_MOST_RUNGS + 2 * EB_MOST_SWITCHES };

typedef struct prediction {
    const char *spec;
    eb_setup setup; /* without resources: of one thread */
    eb_overlap_prediction out;
    eb_code failed;
    eb_status status;
} prediction;

typedef struct predictions {
    const eb_near_pairs *sample;
    size_t count;
    prediction of[MOST_SPECS];
} predictions;

static prediction *find(predictions *p, const char *spec)
{
    for (size_t k = 0; k < p->count; k++)
        if (strcmp(p->of[k].spec, spec) == 0)
            return &p->of[k];
    return NULL;
}

static eb_code add(eb_session *session, predictions *p, const char *spec, eb_status *status)
{
    if (!spec || find(p, spec))
        return EB_OK;
    prediction *one = &p->of[p->count++];
    one->spec = spec;
    return eb_session_setup(session, spec, &one->setup, status);
}

static eb_code add_all(eb_session *session, const eb_trying *t, predictions *p, eb_status *status)
{
    for (size_t k = 0; k < t->rungs; k++) {
        EB_TRY(add(session, p, t->rung[k].rung->spec, status));
        EB_TRY(add(session, p, t->rung[k].rung->other, status));
    }
    for (size_t k = 0; k < t->switches; k++) {
        EB_TRY(add(session, p, t->prepared[k].of->raw, status));
        EB_TRY(add(session, p, t->prepared[k].of->prepared, status));
    }
    return EB_OK;
}

/* A failure is kept beside its spec: a type may refuse the points. */
static eb_code predict_one(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    predictions *p = context;
    prediction *one = &p->of[task];
    (void)thread, (void)status;
    one->failed = eb_overlap_predict(p->sample, &one->setup, NULL, &one->out, &one->status);
    return EB_OK;
}

static eb_code take(predictions *p, const char *spec, const prediction **out, eb_status *status)
{
    *out = find(p, spec);
    if ((*out)->failed)
        *status = (*out)->status;
    return (*out)->failed;
}

static eb_code take_rung(eb_session *session, eb_trying *t, size_t k, predictions *p, eb_status *status)
{
    eb_tried_rung *tried = &t->rung[k];
    const prediction *own, *other;
    EB_TRY(take(p, tried->rung->spec, &own, status));
    tried->prediction = own->out;
    if (!tried->rung->other || own->out.exact)
        return EB_OK;
    EB_TRY(take(p, tried->rung->other, &other, status));
    if (!(other->out.overlap > own->out.overlap))
        return EB_OK;
    tried->prediction = other->out;
    return eb_session_setup(session, tried->rung->other, &t->setup[k], status);
}

/* NAN for points that the type refuses, as they overflow it. */
static eb_code take_overlap(predictions *p, const char *spec, double *overlap, eb_status *status)
{
    const prediction *one;
    const eb_code failed = take(p, spec, &one, status);
    *overlap = failed ? (double)NAN : one->out.overlap;
    return failed == EB_BAD_VALUE ? EB_OK : failed;
}

static eb_code predict_all(eb_session *session, eb_trying *t, predictions *p, eb_job *job, eb_status *status)
{
    EB_TRY(add_all(session, t, p, status));
    EB_TRY(eb_parallel(session->settings.threads, p->count, predict_one, p, job, status));
    for (size_t k = 0; k < t->rungs; k++)
        EB_TRY(take_rung(session, t, k, p, status));
    for (size_t k = 0; k < t->switches; k++) {
        EB_TRY(take_overlap(p, t->prepared[k].of->raw, &t->prepared[k].raw, status));
        EB_TRY(take_overlap(p, t->prepared[k].of->prepared, &t->prepared[k].prepared, status));
    }
    return EB_OK;
}

eb_code eb_trying_predict(eb_session *session, eb_trying *t, const eb_near_pairs *sample, eb_job *job,
                          eb_status *status)
{
    predictions *p = calloc(1, sizeof *p);
    if (!p)
        return eb_fail_memory(status, "predictions", sizeof *p);
    p->sample = sample;
    const eb_code failed = predict_all(session, t, p, job, status);
    free(p);
    return failed;
}
