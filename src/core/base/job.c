#include "core/base/job.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/thread.h"

struct eb_job {
    _Atomic bool cancel, paused;
    _Atomic(char *) remark; /* heap; NULL: none */
    _Atomic(const char *) phase, aside;
    _Atomic uint64_t done, total;
    _Atomic uint64_t divisor, divided; /* 0: units count whole; those that came since it was set */
    _Atomic double phase_start_s;
    struct {
        _Atomic(const char *) name;
        _Atomic unsigned at, of;
    } step[EB_STEPS];
    _Atomic double foreseen_s, after_s, foreseen_at_s; /* foreseen_at_s: time of the eb_job_foresee call */
    _Atomic double announced_s;
    _Atomic uint64_t announced_bytes, announced_gpu_bytes;
    _Atomic uint64_t posted_ms; /* when progress was last posted, since the start */
    _Atomic bool finished;
    double start_s;
    int event_fd;
    pthread_t thread;
    eb_job_work work;
    void *argument;
    eb_code result;
    eb_status failure;
};

/* If the event counter ever saturates, the descriptor still is readable, so a failed write needs no handling. */
static void post(const eb_job *job)
{
    uint64_t one = 1;
    while (write(job->event_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void *run(void *argument)
{
    eb_job *job = argument;
    job->result = job->work(job, job->argument, &job->failure);
    atomic_store(&job->finished, true);
    post(job);
    return NULL;
}

eb_code eb_job_start(eb_job_work work, void *argument, eb_job **out, eb_status *status)
{
    eb_job *job = calloc(1, sizeof *job);
    if (!job)
        return eb_fail_memory(status, "a job", sizeof *job);
    job->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (job->event_fd < 0) {
        free(job);
        return eb_fail(status, EB_IO, "cannot make an event descriptor: %s", strerror(errno));
    }
    job->start_s = eb_now_s();
    job->work = work;
    job->argument = argument;
    atomic_init(&job->phase, "starting");
    atomic_init(&job->phase_start_s, job->start_s);
    atomic_init(&job->foreseen_s, NAN);
    atomic_init(&job->after_s, NAN);

    int failed = eb_thread_start(&job->thread, run, job);
    if (failed) {
        (void)close(job->event_fd);
        free(job);
        return eb_fail(status, EB_IO, "cannot start the worker thread: %s", strerror(failed));
    }
    *out = job;
    return EB_OK;
}

int eb_job_event_fd(const eb_job *job) { return job->event_fd; }

/* Once a tenth of the phase is done, its measured rate predicts the rest better than the forecast does. */
static double left_of(const eb_job *job, const eb_progress *p, double now_s)
{
    double foreseen_s = atomic_load(&job->foreseen_s), passed_s = now_s - atomic_load(&job->foreseen_at_s);
    double fraction = p->total > 0 ? fmin(1, (double)p->done / (double)p->total) : 0;
    double left_s = fraction >= 0.1 || (isnan(foreseen_s) && fraction >= 0.01) ? p->phase_s * (1 - fraction) / fraction
                                                                               : fmax(0, foreseen_s - passed_s);
    return (isnan(foreseen_s) && fraction < 0.01 ? NAN : left_s) + atomic_load(&job->after_s);
}

static void read_steps(const eb_job *job, eb_progress *p)
{
    for (size_t k = 0; k < EB_STEPS; k++)
        p->step[k] = (eb_step){.name = atomic_load(&job->step[k].name),
                               .at = atomic_load(&job->step[k].at),
                               .of = atomic_load(&job->step[k].of)};
}

eb_progress eb_job_progress(eb_job *job)
{
    uint64_t drained;
    while (read(job->event_fd, &drained, sizeof drained) < 0 && errno == EINTR)
        continue;
    double now = eb_now_s();
    eb_progress p = {
        .finished = atomic_load(&job->finished),
        .phase = atomic_load(&job->phase),
        .aside = atomic_load(&job->aside),
        .done = atomic_load(&job->done),
        .total = atomic_load(&job->total),
        .elapsed_s = now - job->start_s,
        .phase_s = now - atomic_load(&job->phase_start_s),
        .announced_s = atomic_load(&job->announced_s),
        .announced_bytes = atomic_load(&job->announced_bytes),
        .announced_gpu_bytes = atomic_load(&job->announced_gpu_bytes),
    };
    read_steps(job, &p);
    p.left_s = left_of(job, &p, now);
    p.foreseen = !isnan(p.left_s);
    return p;
}

void eb_job_cancel(eb_job *job) { atomic_store(&job->cancel, true); }

eb_code eb_job_finish(eb_job *job, eb_status *status)
{
    (void)pthread_join(job->thread, NULL);
    eb_code result = job->result;
    if (result != EB_OK && status)
        *status = job->failure;
    (void)close(job->event_fd);
    free(eb_job_take_remark(job));
    free(job);
    return result;
}

void eb_job_pause(eb_job *job, bool paused) { atomic_store(&job->paused, paused); }

bool eb_job_cancelled(const eb_job *job)
{
    const struct timespec a_moment = {.tv_nsec = 5000000};
    while (job && atomic_load_explicit(&job->paused, memory_order_relaxed) &&
           !atomic_load_explicit(&job->cancel, memory_order_relaxed))
        (void)nanosleep(&a_moment, NULL);
    return job && atomic_load_explicit(&job->cancel, memory_order_relaxed);
}

void eb_job_remark(eb_job *job, const char *text)
{
    char *copy = job ? strdup(text) : NULL;
    if (!copy)
        return;
    free(atomic_exchange(&job->remark, copy));
    post(job);
}

char *eb_job_take_remark(eb_job *job) { return atomic_exchange(&job->remark, NULL); }

void eb_job_phase(eb_job *job, const char *phase, uint64_t total)
{
    if (!job)
        return;
    atomic_store(&job->phase_start_s, eb_now_s());
    atomic_store(&job->done, 0);
    atomic_store(&job->total, total);
    atomic_store(&job->phase, phase);
    post(job);
}

void eb_job_aside(eb_job *job, const char *text)
{
    if (!job)
        return;
    atomic_store(&job->aside, text);
    post(job);
}

void eb_job_divide(eb_job *job, uint64_t by)
{
    if (!job)
        return;
    atomic_store(&job->divided, 0);
    atomic_store(&job->divisor, by);
}

/* The units that these complete. */
static uint64_t whole(eb_job *job, uint64_t units)
{
    const uint64_t by = atomic_load_explicit(&job->divisor, memory_order_relaxed);
    if (by <= 1)
        return units;
    const uint64_t before = atomic_fetch_add_explicit(&job->divided, units, memory_order_relaxed);
    return (before + units) / by - before / by;
}

void eb_job_advance(eb_job *job, uint64_t units)
{
    if (!job)
        return;
    atomic_fetch_add_explicit(&job->done, whole(job, units), memory_order_relaxed);
    uint64_t now_ms = (uint64_t)((eb_now_s() - job->start_s) * 1e3);
    uint64_t posted_ms = atomic_load_explicit(&job->posted_ms, memory_order_relaxed);
    /* Only the thread that wins the exchange posts. */
    if (now_ms >= posted_ms + 50 && atomic_compare_exchange_strong(&job->posted_ms, &posted_ms, now_ms))
        post(job);
}

void eb_job_step(eb_job *job, unsigned level, const char *name, unsigned at, unsigned of)
{
    if (!job || level >= EB_STEPS)
        return;
    atomic_store(&job->step[level].of, name ? of : 0);
    atomic_store(&job->step[level].at, at);
    atomic_store(&job->step[level].name, name);
}

void eb_job_foresee(eb_job *job, double this_s, double after_s)
{
    if (!job)
        return;
    atomic_store(&job->foreseen_at_s, eb_now_s());
    atomic_store(&job->foreseen_s, this_s);
    atomic_store(&job->after_s, after_s);
}

void eb_job_announce(eb_job *job, double seconds)
{
    if (!job || isnan(seconds))
        return;
    atomic_store(&job->announced_s, seconds);
    post(job);
}

void eb_job_announce_memory(eb_job *job, uint64_t bytes, uint64_t gpu_bytes)
{
    if (!job)
        return;
    atomic_store(&job->announced_bytes, bytes);
    atomic_store(&job->announced_gpu_bytes, gpu_bytes);
    post(job);
}

eb_code eb_job_check(const eb_job *job, eb_status *status)
{
    return eb_job_cancelled(job) ? eb_fail(status, EB_CANCELLED, "interrupted") : EB_OK;
}
