/* job, parallel, device: the worker thread, progress, cancellation, and tasks on several threads. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/engine/device.h"
#include "tests/unit/test.h"

static eb_code succeed(eb_job *job, void *argument, eb_status *status)
{
    (void)status;
    eb_job_phase(job, "counting", 10);
    for (int k = 0; k < 10; k++)
        eb_job_advance(job, 1);
    *(int *)argument = 42;
    return EB_OK;
}

static void wait_for_end(eb_job *job)
{
    while (!eb_job_progress(job).finished) {
        struct pollfd fd = {.fd = eb_job_event_fd(job), .events = POLLIN};
        assert_true(poll(&fd, 1, 10000) > 0); /* the worker posts, so no clock is needed */
    }
}

static void a_job_runs_and_reports(void **state)
{
    (void)state;
    eb_status status;
    eb_job *job;
    int answer = 0;
    assert_int_equal(eb_job_start(succeed, &answer, &job, &status), EB_OK);
    wait_for_end(job);
    eb_progress p = eb_job_progress(job);
    assert_string_equal(p.phase, "counting");
    assert_null(p.aside);
    assert_int_equal(p.done, 10);
    assert_int_equal(p.total, 10);
    assert_true(p.elapsed_s >= p.phase_s);
    assert_int_equal(eb_job_finish(job, &status), EB_OK);
    assert_int_equal(answer, 42);
}

static eb_code in_passes(eb_job *job, void *argument, eb_status *status)
{
    (void)argument, (void)status;
    eb_job_phase(job, "joining", 11);
    eb_job_divide(job, 3);
    for (int pass = 0; pass < 3; pass++) {
        eb_job_advance(job, 7);
        eb_job_advance(job, 3);
    }
    eb_job_divide(job, 1);
    eb_job_advance(job, 1);
    return EB_OK;
}

static void passes_over_the_same_units_count_once(void **state)
{
    (void)state;
    eb_job *job;
    assert_int_equal(eb_job_start(in_passes, NULL, &job, NULL), EB_OK);
    wait_for_end(job);
    assert_int_equal(eb_job_progress(job).done, 11);
    assert_int_equal(eb_job_finish(job, NULL), EB_OK);
}

/* The work waits after each step until the owner lets it continue. */
typedef struct told {
    _Atomic int step;
} told;

static void next(told *t)
{
    const struct timespec pause = {.tv_nsec = 100000};
    int at = atomic_fetch_add(&t->step, 1) + 1;
    while (atomic_load(&t->step) == at)
        (void)nanosleep(&pause, NULL);
}

static eb_code foresee(eb_job *job, void *argument, eb_status *status)
{
    (void)status;
    eb_job_announce(job, 100);
    eb_job_announce_memory(job, 7, 11);
    next(argument);
    eb_job_step(job, 0, "engine", 1, 2);
    eb_job_step(job, 1, "trial", 3, 4);
    eb_job_phase(job, "trial", 100);
    eb_job_foresee(job, 50, 1000);
    next(argument);
    eb_job_advance(job, 50);
    next(argument);
    eb_job_step(job, 1, NULL, 0, 0);
    eb_job_foresee(job, 0.5, 0);
    eb_job_phase(job, "accuracy", 0);
    next(argument);
    return EB_OK;
}

static eb_progress look(told *t, eb_job *job, int step)
{
    const struct timespec pause = {.tv_nsec = 100000};
    while (atomic_load(&t->step) < 2 * step - 1)
        (void)nanosleep(&pause, NULL);
    eb_progress seen = eb_job_progress(job);
    (void)atomic_fetch_add(&t->step, 1);
    return seen;
}

static void what_is_left_is_foreseen_and_corrected(void **state)
{
    (void)state;
    told t = {0};
    eb_job *job;
    assert_int_equal(eb_job_start(foresee, &t, &job, NULL), EB_OK);
    eb_progress p = look(&t, job, 1);
    assert_true(p.announced_bytes == 7 && p.announced_gpu_bytes == 11);
    assert_true(p.announced_s == 100 && !p.foreseen && p.step[0].of == 0);
    p = look(&t, job, 2); /* nothing is done, so the forecast counts */
    assert_true(p.foreseen && p.left_s > 1000 && p.left_s <= 1050);
    assert_true(strcmp(p.step[0].name, "engine") == 0 && p.step[0].at == 1 && p.step[0].of == 2);
    assert_true(strcmp(p.step[1].name, "trial") == 0 && p.step[1].at == 3 && p.step[1].of == 4);
    p = look(&t, job, 3); /* half was done in almost no time, so the rest will be too */
    assert_true(p.foreseen && p.left_s >= 1000 && p.left_s < 1040);
    p = look(&t, job, 4);
    assert_true(p.foreseen && p.left_s <= 0.5 && p.step[1].of == 0);
    assert_int_equal(eb_job_finish(job, NULL), EB_OK);
}

static eb_code work_until_cancelled(eb_job *job, void *argument, eb_status *status)
{
    (void)argument;
    eb_job_phase(job, "waiting", 0);
    const struct timespec pause = {.tv_nsec = 1000000};
    while (eb_job_check(job, status) == EB_OK)
        (void)nanosleep(&pause, NULL);
    return EB_CANCELLED;
}

/* Counts its rounds, and remarks each. */
static eb_code count_rounds(eb_job *job, void *argument, eb_status *status)
{
    _Atomic unsigned *rounds = argument;
    const struct timespec pause = {.tv_nsec = 100000};
    eb_job_remark(job, "first");
    eb_job_remark(job, "begun");
    while (eb_job_check(job, status) == EB_OK) {
        atomic_fetch_add(rounds, 1);
        (void)nanosleep(&pause, NULL);
    }
    return EB_CANCELLED;
}

static void a_paused_job_stands_still(void **state)
{
    (void)state;
    const struct timespec pause = {.tv_nsec = 30000000};
    _Atomic unsigned rounds = 0;
    eb_job *job;
    assert_int_equal(eb_job_start(count_rounds, (void *)&rounds, &job, NULL), EB_OK);
    while (atomic_load(&rounds) < 3)
        (void)nanosleep(&pause, NULL);
    char *remark = eb_job_take_remark(job);
    assert_string_equal(remark, "begun"); /* the newest, once */
    assert_null(eb_job_take_remark(job));
    free(remark);
    eb_job_pause(job, true);
    unsigned before, now = atomic_load(&rounds);
    do { /* the round that was begun may end */
        before = now;
        (void)nanosleep(&pause, NULL);
        now = atomic_load(&rounds);
    } while (now != before);
    eb_job_pause(job, false);
    while (atomic_load(&rounds) < now + 3)
        (void)nanosleep(&pause, NULL);
    eb_job_pause(job, true);
    eb_job_cancel(job); /* ends a paused job too */
    assert_int_equal(eb_job_finish(job, NULL), EB_CANCELLED);
}

static void a_job_is_cancelled(void **state)
{
    (void)state;
    eb_status status;
    eb_job *job;
    assert_int_equal(eb_job_start(work_until_cancelled, NULL, &job, &status), EB_OK);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_string_equal(status.message, "interrupted");
}

static void no_job_is_fine(void **state)
{
    (void)state;
    assert_false(eb_job_cancelled(NULL));
    eb_job_phase(NULL, "x", 1);
    eb_job_aside(NULL, "x");
    eb_job_advance(NULL, 1);
    assert_int_equal(eb_job_check(NULL, NULL), EB_OK);
}

typedef struct tally {
    _Atomic uint64_t sum, calls;
    unsigned threads;
} tally;

static eb_code add_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    tally *t = context;
    if (thread >= t->threads)
        return eb_fail(status, EB_INTERNAL, "thread %u of %u", thread, t->threads);
    atomic_fetch_add(&t->sum, task);
    atomic_fetch_add(&t->calls, 1);
    return EB_OK;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads++) {
        for (uint64_t tasks = 0; tasks <= 1000; tasks += 333) {
            tally t = {.threads = threads};
            assert_int_equal(eb_parallel(threads, tasks, add_task, &t, NULL, NULL), EB_OK);
            assert_int_equal(t.calls, tasks);
            assert_int_equal(t.sum, tasks ? tasks * (tasks - 1) / 2 : 0);
        }
    }
}

static int compare_items(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Items of two words: the key, and its complement to check that items move as a whole. */
static void threads_sort_as_one(void **state)
{
    (void)state;
    static const uint64_t kinds[] = {UINT64_MAX, 1000, 3, 1}; /* number of different keys, roughly */
    enum { MOST = 50000 };
    uint64_t *items = malloc(2 * MOST * sizeof *items), *expected = malloc(2 * MOST * sizeof *expected), seed = 7;
    assert_true(items && expected);
    for (size_t count = 0; count <= MOST; count += MOST / 5)
        for (size_t kind = 0; kind < 4; kind++) {
            for (size_t k = 0; k < count; k++) {
                items[2 * k] = eb_random(&seed) % kinds[kind];
                items[2 * k + 1] = ~items[2 * k];
            }
            memcpy(expected, items, 2 * count * sizeof *items);
            qsort(expected, count, 2 * sizeof *items, compare_items);
            assert_int_equal(eb_parallel_sort(4, items, count, 2 * sizeof *items, compare_items, NULL, NULL), EB_OK);
            assert_memory_equal(items, expected, 2 * count * sizeof *items);
        }
    free(items);
    free(expected);
}

static eb_code fail_at_seven(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    atomic_fetch_add(&((tally *)context)->calls, 1);
    return task == 7 ? eb_fail(status, EB_IO, "task %llu", (unsigned long long)task) : EB_OK;
}

static void the_first_failure_stops_the_crew(void **state)
{
    (void)state;
    tally t = {.threads = 3};
    eb_status status;
    assert_int_equal(eb_parallel(3, 1000000, fail_at_seven, &t, NULL, &status), EB_IO);
    assert_string_equal(status.message, "task 7");
    assert_true(t.calls < 1000000);
}

static eb_code cancelled_crew(eb_job *job, void *argument, eb_status *status)
{
    eb_job_cancel(job);
    return eb_parallel(2, 1000, add_task, argument, job, status);
}

static void a_cancelled_crew_does_nothing_more(void **state)
{
    (void)state;
    tally t = {.threads = 2};
    eb_job *job;
    eb_status status;
    assert_int_equal(eb_job_start(cancelled_crew, &t, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_int_equal(t.calls, 0);
}

/* A task that ends when all threads of a crew have entered it. */
typedef struct gathering {
    pthread_barrier_t all;
    pthread_t id[4];
} gathering;

static eb_code gather(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)task;
    (void)status;
    gathering *g = context;
    g->id[thread] = pthread_self();
    (void)pthread_barrier_wait(&g->all);
    return EB_OK;
}

static void the_next_crew_has_the_same_threads(void **state)
{
    (void)state;
    gathering before, after;
    assert_int_equal(pthread_barrier_init(&before.all, NULL, 4), 0);
    assert_int_equal(pthread_barrier_init(&after.all, NULL, 4), 0);
    assert_int_equal(eb_parallel(4, 4, gather, &before, NULL, NULL), EB_OK);
    assert_int_equal(eb_parallel(4, 4, gather, &after, NULL, NULL), EB_OK);
    assert_true(pthread_equal(after.id[0], pthread_self()));
    for (size_t k = 0; k < 4; k++) {
        bool known = false;
        for (size_t j = 0; j < 4; j++)
            known |= pthread_equal(after.id[k], before.id[j]) != 0;
        assert_true(known);
    }
    (void)pthread_barrier_destroy(&before.all);
    (void)pthread_barrier_destroy(&after.all);
}

static eb_code call_a_crew(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)task;
    (void)thread;
    return eb_parallel(3, 100, add_task, context, NULL, status);
}

static void a_crews_members_have_crews_of_their_own(void **state)
{
    (void)state;
    tally t = {.threads = 3};
    for (unsigned round = 0; round < 20; round++)
        assert_int_equal(eb_parallel(4, 8, call_a_crew, &t, NULL, NULL), EB_OK);
    assert_int_equal(t.calls, 20 * 8 * 100);
}

#ifndef EB_SANITIZE_THREAD /* the thread sanitizer does not support threads in a forked child */
static void a_forked_child_has_a_crew(void **state)
{
    (void)state;
    tally t = {.threads = 4};
    assert_int_equal(eb_parallel(4, 100, add_task, &t, NULL, NULL), EB_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tally mine = {.threads = 4};
        (void)alarm(60);
        _exit(eb_parallel(4, 100, add_task, &mine, NULL, NULL) == EB_OK && mine.calls == 100 ? 0 : 1);
    }
    int ended = 1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
}
#endif

static void devices_are_parsed(void **state)
{
    (void)state;
    eb_device_kind kind;
    int index;
    eb_status status;
    assert_int_equal(eb_device_parse("cpu", &kind, &index, &status), EB_OK);
    assert_int_equal(kind, EB_DEVICE_CPU);
    assert_int_equal(eb_device_parse("cuda", &kind, &index, &status), EB_OK);
    assert_int_equal(kind, EB_DEVICE_CUDA);
    assert_int_equal(eb_device_parse("cuda:12", &kind, &index, &status), EB_OK);
    assert_int_equal(index, 12);
    const char *const bad[] = {"",        "gpu",     "cuda:", "cuda:x",          "cuda:1x",
                               "cuda:-1", "cuda: 1", "cudax", "cuda:99999999999"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_int_equal(eb_device_parse(bad[k], &kind, &index, &status), EB_USAGE);
}

static void the_host_is_described(void **state)
{
    (void)state;
    eb_device cpu;
    eb_device_cpu(&cpu);
    assert_string_equal(cpu.name, "cpu");
    assert_true(cpu.units >= 1 && cpu.memory_bytes > 0 && strlen(cpu.model) > 0 && strlen(cpu.architecture) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_runs_and_reports),
        cmocka_unit_test(passes_over_the_same_units_count_once),
        cmocka_unit_test(what_is_left_is_foreseen_and_corrected),
        cmocka_unit_test(a_paused_job_stands_still),
        cmocka_unit_test(a_job_is_cancelled),
        cmocka_unit_test(no_job_is_fine),
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(threads_sort_as_one),
        cmocka_unit_test(the_first_failure_stops_the_crew),
        cmocka_unit_test(a_cancelled_crew_does_nothing_more),
        cmocka_unit_test(the_next_crew_has_the_same_threads),
        cmocka_unit_test(a_crews_members_have_crews_of_their_own),
#ifndef EB_SANITIZE_THREAD
        cmocka_unit_test(a_forked_child_has_a_crew),
#endif
        cmocka_unit_test(devices_are_parsed),
        cmocka_unit_test(the_host_is_described),
    };
    return cmocka_run_group_tests_name("core_job", tests, NULL, NULL);
}
