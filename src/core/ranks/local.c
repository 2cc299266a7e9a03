#include "core/ranks/local.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"

/* ---- mailboxes ---- */

typedef struct letter {
    struct letter *next;
    eb_letter message;
} letter;

typedef struct office office;

typedef struct mailbox {
    office *of;
    unsigned rank;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    letter *first, **last;
    _Atomic uint64_t sent;
} mailbox;

struct office {
    unsigned ranks;
    _Atomic unsigned open;
    mailbox box[];
};

static eb_code post(void *state, unsigned to, eb_letter *message, eb_status *status)
{
    mailbox *own = state, *other = &own->of->box[to];
    letter *l = malloc(sizeof *l);
    if (!l) {
        eb_letter_free(message);
        return eb_fail_memory(status, "a message", sizeof *l);
    }
    *l = (letter){.message = *message};
    l->message.from = own->rank;
    message->bytes = NULL;
    atomic_fetch_add(&own->sent, sizeof(eb_letter_head) + l->message.size);
    (void)pthread_mutex_lock(&other->lock);
    *other->last = l;
    other->last = &l->next;
    (void)pthread_cond_signal(&other->arrived);
    (void)pthread_mutex_unlock(&other->lock);
    return EB_OK;
}

static eb_code take(void *state, double seconds, eb_letter *out, bool *came, eb_status *status)
{
    mailbox *own = state;
    const struct timespec until = eb_time_after(seconds);
    int late = 0;
    (void)status;
    (void)pthread_mutex_lock(&own->lock);
    while (!own->first && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&own->arrived, &own->lock, &until);
    letter *l = own->first;
    if (l) {
        own->first = l->next;
        if (!own->first)
            own->last = &own->first;
    }
    (void)pthread_mutex_unlock(&own->lock);
    *came = l != NULL;
    if (l)
        *out = l->message;
    free(l);
    return EB_OK;
}

static uint64_t sent(void *state) { return atomic_load(&((mailbox *)state)->sent); }

static void free_office(office *all)
{
    for (unsigned r = 0; r < all->ranks; r++) {
        mailbox *m = &all->box[r];
        for (letter *l = m->first, *next; l; l = next) {
            next = l->next;
            eb_letter_free(&l->message);
            free(l);
        }
        (void)pthread_mutex_destroy(&m->lock);
        (void)pthread_cond_destroy(&m->arrived);
    }
    free(all);
}

static void leave(void *state)
{
    office *all = ((mailbox *)state)->of;
    if (atomic_fetch_sub(&all->open, 1) == 1)
        free_office(all);
}

eb_code eb_local_ranks(unsigned ranks, eb_transport *out, eb_status *status)
{
    if (ranks < 1 || ranks > EB_MOST_LOCAL_RANKS)
        return eb_fail(status, EB_USAGE, "expected 1 to %u ranks, found %u", EB_MOST_LOCAL_RANKS, ranks);
    office *all = calloc(1, sizeof *all + ranks * sizeof all->box[0]);
    if (!all)
        return eb_fail_memory(status, "mailboxes", sizeof *all);
    all->ranks = ranks;
    atomic_init(&all->open, ranks);
    for (unsigned r = 0; r < ranks; r++) {
        mailbox *m = &all->box[r];
        m->of = all;
        m->rank = r;
        m->last = &m->first;
        (void)pthread_mutex_init(&m->lock, NULL);
        eb_condition_init(&m->arrived);
        out[r] = (eb_transport){.rank = r,
                                .ranks = ranks,
                                .place = {.process = (long)getpid(), .on_host = r, .ranks_there = ranks, .cores = 1},
                                .state = m,
                                .send = post,
                                .receive = take,
                                .sent = sent,
                                .close = leave};
        (void)snprintf(out[r].place.host, sizeof out[r].place.host, "local");
    }
    return EB_OK;
}
