/* Items are dealt to parts by a sample's quantiles, and each part is sorted by a thread. A part that holds too much,
 * because many items are equal, costs time only. */
#include "core/base/parallel_sort.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, SAMPLED = 16 * PARTS, WORTH_PARTS = 8 * SAMPLED };

typedef struct sorting {
    size_t size;
    eb_compare compare;
    unsigned char *dealt;    /* [count] items, part by part */
    size_t begin[PARTS + 1]; /* of each part */
} sorting;

static eb_code sort_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const sorting *s = context;
    qsort(s->dealt + s->begin[task] * s->size, s->begin[task + 1] - s->begin[task], s->size, s->compare);
    return EB_OK;
}

/* The part that takes the item: as many as there are bounds (of PARTS − 1) not above it. */
static unsigned part_of(const sorting *s, const unsigned char *bounds, const unsigned char *item)
{
    unsigned low = 0, high = PARTS - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (s->compare(bounds + middle * s->size, item) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_bounds(const sorting *s, const unsigned char *items, size_t count, unsigned char *bounds)
{
    for (size_t k = 0; k < SAMPLED; k++)
        memcpy(bounds + k * s->size, items + k * (count / SAMPLED) * s->size, s->size);
    qsort(bounds, SAMPLED, s->size, s->compare);
    for (size_t part = 1; part < PARTS; part++)
        memmove(bounds + (part - 1) * s->size, bounds + part * (SAMPLED / PARTS) * s->size, s->size);
}

/* part: [count] room to note each item's in. */
static void deal(sorting *s, const unsigned char *items, size_t count, const unsigned char *bounds, unsigned char *part)
{
    size_t next[PARTS] = {0};
    for (size_t k = 0; k < count; k++) {
        part[k] = (unsigned char)part_of(s, bounds, items + k * s->size);
        next[part[k]]++;
    }
    s->begin[0] = 0;
    for (size_t p = 0; p < PARTS; p++) {
        s->begin[p + 1] = s->begin[p] + next[p];
        next[p] = s->begin[p];
    }
    for (size_t k = 0; k < count; k++)
        memcpy(s->dealt + next[part[k]]++ * s->size, items + k * s->size, s->size);
}

eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_compare compare, eb_job *job,
                         eb_status *status)
{
    if (threads < 2 || count < WORTH_PARTS) {
        qsort(items, count, size, compare);
        return EB_OK;
    }
    sorting s = {.size = size, .compare = compare, .dealt = malloc(count * size)};
    unsigned char *part = malloc(count), *bounds = malloc(SAMPLED * size);
    eb_code failed;
    if (s.dealt && part && bounds) {
        find_bounds(&s, items, count, bounds);
        deal(&s, items, count, bounds, part);
        failed = eb_parallel(threads, PARTS, sort_part, &s, job, status);
    } else {
        failed = eb_fail_memory(status, "sorting", count * (size + 1));
    }
    if (!failed)
        memcpy(items, s.dealt, count * size);
    free(s.dealt);
    free(part);
    free(bounds);
    return failed;
}
