#include "shell/saving/behind.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/thread.h"

struct eb_behind {
    eb_parts *parts;
    const eb_session *session;
    pthread_t thread;

    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    eb_neighbours *batch; /* being written, or to be; NULL: none */
    eb_behind_part part;  /* its */
    bool ending;
    eb_status failure;

    eb_part *open; /* the thread's, as are those below */
    size_t written;

    eb_part *completing; /* NULL: none */
    pthread_t completer;
    eb_status completed;
};

/* ---- completing a part ---- */

static void *complete(void *argument)
{
    eb_behind *b = argument;
    b->completed = (eb_status){.message = ""};
    b->completed.code = eb_part_finish(b->completing, &b->completed);
    return NULL;
}

static eb_code close_part(eb_behind *b, eb_part *part, eb_status *status)
{
    EB_TRY(eb_part_close(part, status));
    b->written++;
    return EB_OK;
}

/* Waits for the part that is being completed, if there is one. */
static eb_code end_completing(eb_behind *b, eb_status *status)
{
    eb_part *part = b->completing;
    if (!part)
        return EB_OK;
    (void)pthread_join(b->completer, NULL);
    b->completing = NULL;
    if (b->completed.code) {
        eb_part_abandon(part);
        return eb_fail(status, b->completed.code, "%s", b->completed.message);
    }
    return close_part(b, part, status);
}

/* Takes the part. One is completed at a time. */
static eb_code begin_completing(eb_behind *b, eb_part *part, eb_status *status)
{
    eb_code failed = end_completing(b, status);
    if (failed) {
        eb_part_abandon(part);
        return failed;
    }
    b->completing = part;
    if (eb_thread_start(&b->completer, complete, b) == 0)
        return EB_OK;
    b->completing = NULL;
    return close_part(b, part, status);
}

/* ---- writing rows ---- */

static eb_code write_rows(eb_behind *b, const eb_behind_part *part, const eb_neighbours *batch, eb_status *status)
{
    const bool last = batch->first_row + batch->rows == part->end;
    eb_code failed = b->open ? EB_OK : eb_part_open(b->parts, part->first, part->end, &b->open, status);
    if (!failed)
        failed = eb_part_rows(b->open, batch, NULL, status);
    if (!failed && last)
        failed = eb_session_check_dataset(b->session, status);
    if (!failed && !last)
        return EB_OK;
    eb_part *closing = b->open;
    b->open = NULL;
    if (!failed)
        return begin_completing(b, closing, status);
    eb_part_abandon(closing);
    return failed;
}

static void *write_all(void *argument)
{
    eb_behind *b = argument;
    (void)pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->batch && !b->ending)
            (void)pthread_cond_wait(&b->changed, &b->lock);
        if (!b->batch)
            break;
        eb_status why = {.message = ""};
        (void)pthread_mutex_unlock(&b->lock);
        why.code = write_rows(b, &b->part, b->batch, &why); /* both stay until batch is NULL */
        (void)pthread_mutex_lock(&b->lock);
        eb_neighbours_free(b->batch);
        b->batch = NULL;
        if (why.code && !b->failure.code)
            b->failure = why;
        (void)pthread_cond_broadcast(&b->changed);
    }
    eb_status why = {.message = ""};
    (void)pthread_mutex_unlock(&b->lock);
    why.code = end_completing(b, &why);
    (void)pthread_mutex_lock(&b->lock);
    if (why.code && !b->failure.code)
        b->failure = why;
    (void)pthread_mutex_unlock(&b->lock);
    return NULL;
}

eb_code eb_behind_begin(eb_parts *parts, const eb_session *session, eb_behind **out, eb_status *status)
{
    eb_behind *b = calloc(1, sizeof *b);
    if (!b)
        return eb_fail_memory(status, "the thread that writes", sizeof *b);
    b->parts = parts;
    b->session = session;
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->changed, NULL);
    if (eb_thread_start(&b->thread, write_all, b) != 0) {
        (void)pthread_cond_destroy(&b->changed);
        (void)pthread_mutex_destroy(&b->lock);
        free(b);
        return eb_fail(status, EB_IO, "cannot start the thread that writes");
    }
    *out = b;
    return EB_OK;
}

eb_code eb_behind_rows(eb_behind *b, const eb_behind_part *part, eb_neighbours *batch, eb_status *status)
{
    (void)pthread_mutex_lock(&b->lock);
    while (b->batch && !b->failure.code)
        (void)pthread_cond_wait(&b->changed, &b->lock);
    const eb_status why = b->failure;
    if (!why.code) {
        b->batch = batch;
        b->part = *part;
        (void)pthread_cond_broadcast(&b->changed);
    }
    (void)pthread_mutex_unlock(&b->lock);
    if (!why.code)
        return EB_OK;
    eb_neighbours_free(batch);
    return eb_fail(status, why.code, "%s", why.message);
}

eb_code eb_behind_end(eb_behind *b, size_t *written, eb_status *status)
{
    (void)pthread_mutex_lock(&b->lock);
    b->ending = true;
    (void)pthread_cond_broadcast(&b->changed);
    (void)pthread_mutex_unlock(&b->lock);
    (void)pthread_join(b->thread, NULL);
    const eb_status why = b->failure;
    *written = b->written;
    eb_neighbours_free(b->batch);
    eb_part_abandon(b->open);
    (void)pthread_cond_destroy(&b->changed);
    (void)pthread_mutex_destroy(&b->lock);
    free(b);
    return why.code ? eb_fail(status, why.code, "%s", why.message) : EB_OK;
}
