#include "core/base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/thread.h"

/* A helper thread. Between calls of eb_parallel helpers wait, parked, because starting a thread, including the
 * per-thread set-up of a driver, takes longer than many tasks. */
typedef struct helper {
    struct helper *next; /* in the list of parked helpers */
    sem_t called;
    struct member *member; /* its present work */
} helper;

/* One call of eb_parallel and the threads that work for it. */
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
    unsigned helping; /* helpers at work; guarded by the hall's lock */
    sem_t done;       /* posted when helping is 0 */
} crew;

typedef struct member {
    crew *crew;
    unsigned thread;
} member;

/* The process's parked helpers. */
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

/* Parks the helper. The last one wakes the caller of eb_parallel; the crew must not be used after that. */
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

/* A forked child inherits the hall's list but none of the threads, so its hall starts empty. */
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

/* A parked helper or a new one; NULL: the system refuses more threads. */
static helper *take_helper(void)
{
    helper *h = hall.parked;
    if (!h)
        return new_helper();
    hall.parked = h->next;
    return h;
}

/* Calls wanted − 1 helpers beside the caller. If the system refuses more threads, fewer do the work; with `all` none
 * does, and the result is false. */
static bool call_helpers(crew *c, member *members, unsigned wanted, bool all)
{
    helper *found = NULL, *h;
    unsigned count = 1; /* the caller */
    (void)pthread_once(&hall.once, open_hall);
    (void)pthread_mutex_lock(&hall.lock);
    for (; count < wanted && (h = take_helper()); count++) {
        h->next = found;
        found = h;
    }
    const bool enough = count == wanted || !all;
    for (unsigned t = 1; t < count; t++) {
        h = found;
        found = h->next;
        if (enough) {
            h->member = &members[t];
            c->helping++;
            (void)sem_post(&h->called);
        } else {
            h->next = hall.parked;
            hall.parked = h;
        }
    }
    if (c->helping == 0)
        (void)sem_post(&c->done);
    (void)pthread_mutex_unlock(&hall.lock);
    return enough;
}

/* all: each thread is needed. */
static eb_code run_crew(crew *c, unsigned threads, bool all, eb_status *status)
{
    member *members = calloc(threads, sizeof *members);
    if (!members)
        return eb_fail_memory(status, "threads", threads * sizeof *members);
    for (unsigned t = 0; t < threads; t++)
        members[t] = (member){.crew = c, .thread = t};
    (void)sem_init(&c->done, 0, 0);
    const bool called = call_helpers(c, members, threads, all);
    if (called)
        work(&members[0]);
    wait_for(&c->done);
    (void)sem_destroy(&c->done);
    free(members);
    if (!called)
        return eb_fail(status, EB_NO_MEMORY, "the system refuses a thread for each of %u tasks at once", threads);
    if (c->result != EB_OK && status)
        *status = c->failure;
    return c->result;
}

eb_code eb_parallel(unsigned threads, uint64_t tasks, eb_parallel_body body, void *context, eb_job *job,
                    eb_status *status)
{
    crew c = {.body = body, .context = context, .job = job, .tasks = tasks, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (threads > tasks)
        threads = (unsigned)tasks;
    return run_crew(&c, threads > 0 ? threads : 1, false, status);
}

eb_code eb_parallel_at_once(unsigned tasks, eb_parallel_body body, void *context, eb_status *status)
{
    crew c = {.body = body, .context = context, .tasks = tasks, .lock = PTHREAD_MUTEX_INITIALIZER};
    return run_crew(&c, tasks > 0 ? tasks : 1, true, status);
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

/* ---- sorting ---- */

enum { PARTS = 64, SAMPLED = 16 * PARTS, WORTH_PARTS = 8 * SAMPLED, BLOCK = 8192 };

typedef struct sorting {
    size_t size, count, blocks;
    eb_comparator compare;
    const unsigned char *items;
    unsigned char *bounds;   /* the [SAMPLED] sample; then [PARTS − 1] items, the least of each part but the first */
    unsigned char *part;     /* [count] the part of each item */
    size_t (*place)[PARTS];  /* [blocks] number of the block's items in each part; then the index for its next item */
    unsigned char *dealt;    /* [count] items, part by part */
    size_t begin[PARTS + 1]; /* first index of each part */
} sorting;

static void find_bounds(sorting *s)
{
    for (size_t k = 0; k < SAMPLED; k++)
        memcpy(s->bounds + k * s->size, s->items + k * (s->count / SAMPLED) * s->size, s->size);
    qsort(s->bounds, SAMPLED, s->size, s->compare);
    for (size_t part = 1; part < PARTS; part++)
        memmove(s->bounds + (part - 1) * s->size, s->bounds + part * (SAMPLED / PARTS) * s->size, s->size);
}

/* The item's part is the number of bounds that are not above it. */
static unsigned part_of(const sorting *s, const unsigned char *item)
{
    unsigned low = 0, high = PARTS - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (s->compare(s->bounds + middle * s->size, item) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t block_end(const sorting *s, uint64_t block)
{
    size_t begin = (size_t)block * BLOCK;
    return s->count - begin < BLOCK ? s->count : begin + BLOCK;
}

static eb_code look_at_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const sorting *s = context;
    for (size_t k = (size_t)task * BLOCK; k < block_end(s, task); k++) {
        s->part[k] = (unsigned char)part_of(s, s->items + k * s->size);
        s->place[task][s->part[k]]++;
    }
    return EB_OK;
}

static void find_places(sorting *s)
{
    size_t at = 0;
    for (size_t part = 0; part < PARTS; part++) {
        s->begin[part] = at;
        for (size_t block = 0; block < s->blocks; block++) {
            size_t here = s->place[block][part];
            s->place[block][part] = at;
            at += here;
        }
    }
    s->begin[PARTS] = at;
}

static eb_code deal_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const sorting *s = context;
    for (size_t k = (size_t)task * BLOCK; k < block_end(s, task); k++)
        memcpy(s->dealt + s->place[task][s->part[k]]++ * s->size, s->items + k * s->size, s->size);
    return EB_OK;
}

static eb_code sort_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const sorting *s = context;
    qsort(s->dealt + s->begin[task] * s->size, s->begin[task + 1] - s->begin[task], s->size, s->compare);
    return EB_OK;
}

static eb_code sort_parts(sorting *s, unsigned threads, eb_job *job, eb_status *status)
{
    find_bounds(s);
    EB_TRY(eb_parallel(threads, s->blocks, look_at_block, s, job, status));
    find_places(s);
    EB_TRY(eb_parallel(threads, s->blocks, deal_block, s, job, status));
    return eb_parallel(threads, PARTS, sort_part, s, job, status);
}

eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_comparator compare, eb_job *job,
                         eb_status *status)
{
    if (threads < 2 || count < WORTH_PARTS) {
        qsort(items, count, size, compare);
        return EB_OK;
    }
    sorting s = {.size = size, .count = count, .blocks = (count + BLOCK - 1) / BLOCK, .compare = compare};
    s.items = items;
    s.bounds = malloc(SAMPLED * size);
    s.part = malloc(count);
    s.place = calloc(s.blocks, sizeof *s.place);
    s.dealt = malloc(count * size);
    eb_code failed = s.bounds && s.part && s.place && s.dealt ? sort_parts(&s, threads, job, status)
                                                              : eb_fail_memory(status, "sorting", count * (size + 1));
    if (!failed)
        memcpy(items, s.dealt, count * size);
    free(s.bounds);
    free(s.part);
    free(s.place);
    free(s.dealt);
    return failed;
}
