/* parallel: run tasks 0 … tasks−1 on several threads, the caller's included.
 *
 * Tasks are handed out in ascending order from one counter, so uneven tasks balance. The body gets its thread's number
 * (0 … threads−1) for per-thread buffers. The first failure, or the job's cancel flag, stops the handing out; the first
 * failure's status is returned. Threads mask signals: SIGINT goes to the terminal's thread; they are kept for the next
 * call.
 */
#pragma once

#include "core/base/job.h"

typedef eb_code (*eb_parallel_body)(void *context, uint64_t task, unsigned thread, eb_status *status);

eb_code eb_parallel(unsigned threads, uint64_t tasks, eb_parallel_body body, void *context, eb_job *job,
                    eb_status *status);

/* CPUs this process may use (affinity mask), at least 1. */
unsigned eb_cpu_count(void);

typedef int (*eb_comparator)(const void *a, const void *b);

/* Ascending by compare. Where that tells all items apart the result is one; else equal ones come in any order. Takes as
 * much memory again, and a byte an item. On failure the items are as they were. */
eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_comparator compare, eb_job *job,
                         eb_status *status);
