#include "core/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct crew {
    eb_parallel_body body;
    void *context;
    eb_job *job;
    uint64_t tasks;
    _Atomic uint64_t next;
    _Atomic bool stop;
    pthread_mutex_t lock; /* guards result and failure */
    eb_code result;
    eb_status failure;
} crew;

typedef struct member {
    crew *crew;
    unsigned thread;
    pthread_t id;
} member;

static void fail(crew *c, eb_code result, const eb_status *failure)
{
    (void)pthread_mutex_lock(&c->lock);
    if (c->result == EB_OK) {
        c->result = result;
        c->failure = *failure;
    }
    (void)pthread_mutex_unlock(&c->lock);
    atomic_store(&c->stop, true);
}

static void *work(void *argument)
{
    member *m = argument;
    crew *c = m->crew;
    eb_status failure = {.code = EB_OK, .message = ""};
    while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
        eb_code result = eb_job_check(c->job, &failure);
        if (result == EB_OK) {
            uint64_t task = atomic_fetch_add(&c->next, 1);
            if (task >= c->tasks)
                break;
            result = c->body(c->context, task, m->thread, &failure);
        }
        if (result != EB_OK)
            fail(c, result, &failure);
    }
    return NULL;
}

/* Starts up to wanted − 1 helpers beside the caller; a system that refuses more threads gets
 * the work done with fewer. */
static unsigned start_helpers(member *members, unsigned wanted)
{
    sigset_t before;
    eb_block_signals(&before);
    unsigned started = 1;
    while (started < wanted && pthread_create(&members[started].id, NULL, work, &members[started]) == 0)
        started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

eb_code eb_parallel(unsigned threads, uint64_t tasks, eb_parallel_body body, void *context, eb_job *job,
                    eb_status *status)
{
    crew c = {.body = body, .context = context, .job = job, .tasks = tasks, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (threads > tasks)
        threads = (unsigned)tasks;
    if (threads == 0)
        threads = 1;
    member *members = calloc(threads, sizeof *members);
    if (!members)
        return eb_fail_memory(status, "threads", threads * sizeof *members);
    for (unsigned t = 0; t < threads; t++)
        members[t] = (member){.crew = &c, .thread = t};
    unsigned started = start_helpers(members, threads);
    (void)work(&members[0]);
    for (unsigned t = 1; t < started; t++)
        (void)pthread_join(members[t].id, NULL);
    free(members);
    if (c.result != EB_OK && status)
        *status = c.failure;
    return c.result;
}

unsigned eb_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0)
            return (unsigned)count;
    }
    return 1;
}
