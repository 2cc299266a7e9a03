/* parallel_sort: qsort on several threads. */
#ifndef EB_CORE_BASE_PARALLEL_SORT_H
#define EB_CORE_BASE_PARALLEL_SORT_H

#include "core/base/parallel.h"

typedef int (*eb_compare)(const void *a, const void *b);

/* Ascending by compare. Where that tells all items apart the result is one; else equal ones come in any order. Takes as
 * much memory again, and a byte an item. On failure the items are as they were. */
eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_compare compare, eb_job *job,
                         eb_status *status);

#endif
