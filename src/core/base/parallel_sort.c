/* Items are dealt to parts by a sample's quantiles, and each part is sorted by a thread. A part that holds too much,
 * because many items are equal, costs time only. */
#include "core/base/parallel_sort.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, SAMPLED = 16 * PARTS, WORTH_PARTS = 8 * SAMPLED, BLOCK = 8192 };

typedef struct sorting {
    size_t size, count, blocks;
    eb_compare compare;
    const unsigned char *items;
    unsigned char *bounds; /* [PARTS − 1] items: where each part but the first begins; [SAMPLED] while they are found */
    unsigned char *part;   /* [count] each item's */
    size_t (*place)[PARTS];  /* [blocks] how many of a block go to a part; then where its next one goes */
    unsigned char *dealt;    /* [count] items, part by part */
    size_t begin[PARTS + 1]; /* of each part */
} sorting;

static void find_bounds(sorting *s)
{
    for (size_t k = 0; k < SAMPLED; k++)
        memcpy(s->bounds + k * s->size, s->items + k * (s->count / SAMPLED) * s->size, s->size);
    qsort(s->bounds, SAMPLED, s->size, s->compare);
    for (size_t part = 1; part < PARTS; part++)
        memmove(s->bounds + (part - 1) * s->size, s->bounds + part * (SAMPLED / PARTS) * s->size, s->size);
}

/* As many parts as there are bounds not above the item come before its own. */
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

eb_code eb_parallel_sort(unsigned threads, void *items, size_t count, size_t size, eb_compare compare, eb_job *job,
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
