/* parallel: running tasks 0 … tasks−1 on several threads, the caller's included.
 *
 * Threads draw tasks in ascending order from one counter, so uneven tasks balance. The body gets its thread's number
 * (0 … threads−1) for per-thread buffers. After a failure, or when the job is cancelled, no further task starts; the
 * status of the first failure is returned. Threads are kept for the next call and block signals, so that SIGINT goes
 * to the terminal's thread.
 */
#pragma once

#include "core/base/job.h"

typedef eb_code (*eb_parallel_body)(void *context, uint64_t task, unsigned thread, eb_status *status);

eb_code eb_parallel(unsigned threads, uint64_t tasks, eb_parallel_body body, void *context, eb_job *job,
                    eb_status *status);

/* Runs each task on a thread of its own, all at once, so that tasks may wait for each other; every body must return
 * EB_OK. EB_NO_MEMORY before any task begins if the system refuses a thread. */
eb_code eb_parallel_at_once(unsigned tasks, eb_parallel_body body, void *context, eb_status *status);

/* Number of CPUs that this process may use (affinity mask), at least 1. */
unsigned eb_cpu_count(void);

typedef int (*eb_comparator)(const void *a, const void *b);

/* Sorts ascending by compare. The order of equal items is unspecified. Needs a second array and one byte per item. On
 * failure the items are unchanged. */
eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_comparator compare, eb_job *job,
                         eb_status *status);
