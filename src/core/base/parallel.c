#include "core/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/thread.h"

/* Helpers outlive the crew that first wanted them and wait, parked, for the next: starting a thread, and what a driver
 * sets up in each, takes longer than many a task. */
typedef struct helper {
    struct helper *next; /* parked */
    sem_t called;
    struct member *member; /* what it is called for */
} helper;

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
    unsigned helping; /* guarded by the hall's lock */
    sem_t done;       /* nobody helps any more */
} crew;

typedef struct member {
    crew *crew;
    unsigned thread;
} member;

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    helper *parked;
} hall = {PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER, NULL};

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

static void work(const member *m)
{
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
}

/* ---- helpers ---- */

static void wait_for(sem_t *what)
{
    while (sem_wait(what) != 0)
        ;
}

/* Back to the hall; whoever waits for the crew may go on, and the crew is gone then. */
static void park(helper *h)
{
    crew *c = h->member->crew;
    (void)pthread_mutex_lock(&hall.lock);
    h->next = hall.parked;
    hall.parked = h;
    if (--c->helping == 0)
        (void)sem_post(&c->done);
    (void)pthread_mutex_unlock(&hall.lock);
}

static void *help(void *argument)
{
    helper *h = argument;
    for (;;) {
        wait_for(&h->called);
        work(h->member);
        park(h);
    }
    return NULL;
}

/* A forked child has the hall's list, but none of the threads. */
static void lock_hall(void) { (void)pthread_mutex_lock(&hall.lock); }
static void unlock_hall(void) { (void)pthread_mutex_unlock(&hall.lock); }
static void empty_hall(void)
{
    hall.parked = NULL;
    unlock_hall();
}
static void open_hall(void) { (void)pthread_atfork(lock_hall, unlock_hall, empty_hall); }

static helper *new_helper(void)
{
    pthread_t id;
    helper *h = calloc(1, sizeof *h);
    if (!h || sem_init(&h->called, 0, 0) != 0) {
        free(h);
        return NULL;
    }
    if (eb_thread_start(&id, help, h)) {
        (void)sem_destroy(&h->called);
        free(h);
        return NULL;
    }
    (void)pthread_detach(id);
    return h;
}

/* Calls up to wanted − 1 helpers to the caller's side; a system that refuses more threads gets the work done with
 * fewer. */
static void call_helpers(crew *c, member *members, unsigned wanted)
{
    (void)pthread_once(&hall.once, open_hall);
    (void)pthread_mutex_lock(&hall.lock);
    for (unsigned t = 1; t < wanted; t++) {
        helper *h = hall.parked;
        if (h)
            hall.parked = h->next;
        else if (!(h = new_helper()))
            break;
        h->member = &members[t];
        c->helping++;
        (void)sem_post(&h->called);
    }
    if (c->helping == 0)
        (void)sem_post(&c->done);
    (void)pthread_mutex_unlock(&hall.lock);
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
    (void)sem_init(&c.done, 0, 0);
    call_helpers(&c, members, threads);
    work(&members[0]);
    wait_for(&c.done);
    (void)sem_destroy(&c.done);
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
