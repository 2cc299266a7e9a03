/* Rows are hashed in several passes: the first counts how many hashes are in each of BINS equal ranges, the others sort
 * the hashes of so many ranges at a time as there is room for. Hashes of distinct rows are spread evenly. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/dataset_stats.h"

enum { BINS = 1024, ROWS_A_TASK = 4096 };

typedef struct counting {
    const eb_dataset *ds;
    size_t row_bytes;
    _Atomic size_t *count; /* [BINS] of the first pass */
    size_t first, end;     /* the ranges of this pass */
    uint64_t *hash;        /* [hashes of these ranges] */
    _Atomic size_t *place; /* [BINS] where the next hash of a range goes, then where the range ends */
    _Atomic uint64_t duplicates;
} counting;

/* FNV-1a over 8-byte words with a final mix. The number of duplicates is an estimate, so a 64-bit hash is enough. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    while (size > 0) {
        uint64_t word = 0;
        size_t step = size < sizeof word ? size : sizeof word;
        memcpy(&word, bytes, step);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
        bytes += step;
        size -= step;
    }
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static size_t bin_of(uint64_t hash) { return (size_t)(hash >> 54); }

/* A task's hashes, and how many are in each range: ranges are asked for their next places once a task. */
typedef struct hashed {
    uint64_t hash[ROWS_A_TASK];
    uint32_t count[BINS];
} hashed;

static void put_hashes(counting *c, const hashed *h, size_t rows)
{
    size_t place[BINS];
    for (size_t bin = c->first; bin < c->end; bin++)
        place[bin] = h->count[bin] ? atomic_fetch_add_explicit(&c->place[bin], h->count[bin], memory_order_relaxed) : 0;
    for (size_t k = 0; k < rows; k++) {
        const size_t bin = bin_of(h->hash[k]);
        if (bin >= c->first && bin < c->end)
            c->hash[place[bin]++] = h->hash[k];
    }
}

static eb_code hash_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    counting *c = context;
    const size_t first = (size_t)task * ROWS_A_TASK, left = c->ds->n - first,
                 rows = left < ROWS_A_TASK ? left : ROWS_A_TASK;
    hashed h = {.count = {0}};
    (void)thread, (void)status;
    for (size_t k = 0; k < rows; k++) {
        h.hash[k] = hash_bytes(eb_row(c->ds, first + k), c->row_bytes);
        h.count[bin_of(h.hash[k])]++;
    }
    if (c->hash) {
        put_hashes(c, &h, rows);
        return EB_OK;
    }
    for (size_t bin = 0; bin < BINS; bin++)
        if (h.count[bin])
            (void)atomic_fetch_add_explicit(&c->count[bin], h.count[bin], memory_order_relaxed);
    return EB_OK;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static eb_code sort_range(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    counting *c = context;
    const size_t bin = c->first + (size_t)task, count = c->count[bin];
    uint64_t *hash = c->hash + (c->place[bin] - count), found = 0;
    (void)thread, (void)status;
    qsort(hash, count, sizeof *hash, compare_hashes);
    for (size_t k = 1; k < count; k++)
        found += hash[k] == hash[k - 1];
    (void)atomic_fetch_add_explicit(&c->duplicates, found, memory_order_relaxed);
    return EB_OK;
}

static uint64_t tasks_of(const eb_dataset *ds) { return (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK; }

static eb_code pass_ranges(counting *c, unsigned threads, eb_job *job, eb_status *status)
{
    size_t held = 0;
    for (size_t bin = c->first; bin < c->end; held += c->count[bin++])
        c->place[bin] = held;
    c->hash = malloc((held ? held : 1) * sizeof *c->hash);
    if (!c->hash)
        return eb_fail_memory(status, "the dataset's statistics", held * sizeof *c->hash);
    eb_code failed = eb_parallel(threads, tasks_of(c->ds), hash_rows, c, job, status);
    if (!failed)
        failed = eb_parallel(threads, c->end - c->first, sort_range, c, job, status);
    free(c->hash);
    c->hash = NULL;
    return failed;
}

/* At least one range a pass: rows that are mostly equal are in few ranges. Sorting may take a second array. */
static eb_code count_in_passes(counting *c, uint64_t room, unsigned threads, eb_job *job, eb_status *status)
{
    const size_t most = room ? (size_t)(room / (2 * sizeof *c->hash)) : SIZE_MAX;
    EB_TRY(eb_parallel(threads, tasks_of(c->ds), hash_rows, c, job, status));
    for (c->first = 0; c->first < BINS; c->first = c->end) {
        size_t held = c->count[c->first];
        c->end = c->first + 1;
        while (c->end < BINS && held + c->count[c->end] <= most)
            held += c->count[c->end++];
        EB_TRY(pass_ranges(c, threads, job, status));
    }
    return EB_OK;
}

eb_code eb_count_duplicates(const eb_dataset *ds, uint64_t room, unsigned threads, eb_job *job, uint64_t *out,
                            eb_status *status)
{
    counting c = {.ds = ds,
                  .row_bytes = ds->d * eb_dtype_size(ds->dtype),
                  .count = calloc(BINS, sizeof *c.count),
                  .place = calloc(BINS, sizeof *c.place)};
    const eb_code failed = c.count && c.place ? count_in_passes(&c, room, threads, job, status)
                                              : eb_fail_memory(status, "the dataset's statistics", sizeof c);
    *out = c.duplicates;
    free((void *)c.count);
    free((void *)c.place);
    return failed;
}
