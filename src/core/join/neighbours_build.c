/* neighbours_build: building a sorted table in parallel from the hits that the sink collected.
 *
 * The steps: count the entries of each row, add the counts up to row offsets, place both directions of each hit, sort
 * the rows. Each row has a counter, first for its degree, then for its next free entry. Threads share the counters by
 * atomic additions, which are cheap: the hits of a chunk come from a few tiles and so from few rows, and threads seldom
 * have the same ones.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/pool.h"
#include "core/join/neighbours_builder.h"
#include "core/join/row_sort.h"

typedef struct build {
    eb_neighbours_builder *builder;
    eb_neighbours *table;
    _Atomic uint32_t *degree; /* [rows] without self pairs; below n, so it fits */
    eb_hit_chunk **chunks;    /* all threads' chunks, roughly in order of time */
    size_t chunk_count;
    size_t rows_per_task;
    unsigned sorters;
    unsigned char **scratch; /* [sorters] */
} build;

/* Lists the chunks round robin over the threads. The k-th chunks of all threads were filled at about the same time, and
 * so with about the same columns. Placed in this order, rows are nearly sorted. */
static eb_code list_chunks(build *b, eb_status *status)
{
    eb_neighbours_builder *builder = b->builder;
    size_t total = 0;
    for (unsigned t = 0; t < builder->threads; t++)
        total += builder->lists[t].chunks;
    b->chunks = malloc((total ? total : 1) * sizeof(eb_hit_chunk *));
    if (!b->chunks)
        return eb_fail_memory(status, "the list of buffers", total * sizeof(eb_hit_chunk *));
    while (b->chunk_count < total)
        for (unsigned t = 0; t < builder->threads; t++) {
            eb_hit_list *list = &builder->lists[t];
            if (!list->first)
                continue;
            b->chunks[b->chunk_count++] = list->first;
            list->first = list->first->next;
        }
    return EB_OK;
}

static eb_code count_chunk(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const build *b = context;
    const eb_neighbours_builder *builder = b->builder;
    const eb_hit_chunk *chunk = b->chunks[task];
    for (size_t k = 0; k < chunk->count; k++) {
        eb_pair pair = chunk->pairs[k];
        if (eb_builder_has_row(builder, pair.i))
            (void)atomic_fetch_add_explicit(&b->degree[pair.i - builder->row_begin], 1, memory_order_relaxed);
        if (builder->self && eb_builder_has_row(builder, pair.j))
            (void)atomic_fetch_add_explicit(&b->degree[pair.j - builder->row_begin], 1, memory_order_relaxed);
    }
    return EB_OK;
}

/* Computes the row offsets and resets the counters. In a self-join the last entry of each row stays free for the point
 * itself. Returns the largest degree. */
static size_t sum_up(build *b)
{
    size_t longest = 0, self = b->builder->self;
    for (size_t r = 0; r < b->table->rows; r++) {
        size_t degree = atomic_load_explicit(&b->degree[r], memory_order_relaxed);
        b->table->offsets[r + 1] = b->table->offsets[r] + degree + self;
        longest = degree > longest ? degree : longest;
        atomic_store_explicit(&b->degree[r], 0, memory_order_relaxed);
    }
    return longest;
}

/* ---- fresh memory ---- */

/* An array to populate before hits are placed all over the table: if many threads touched a fresh page at once, one
 * would clear it while the others wait. */
typedef struct fresh_array {
    unsigned char *start;
    size_t bytes;
} fresh_array;

enum { BYTES_A_TASK = 8 << 20 };

static eb_code make_pages(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const fresh_array *a = context;
    size_t begin = (size_t)task * BYTES_A_TASK, left = a->bytes - begin;
    eb_pages_populate(a->start + begin, left < BYTES_A_TASK ? left : BYTES_A_TASK);
    return EB_OK;
}

static eb_code make_pages_of(void *array, size_t bytes, unsigned threads, eb_job *job, eb_status *status)
{
    fresh_array a = {array, bytes};
    if (!eb_pool_is_fresh(array))
        return EB_OK;
    return eb_parallel(threads, (bytes + BYTES_A_TASK - 1) / BYTES_A_TASK, make_pages, &a, job, status);
}

static eb_code make_fresh_pages(const build *b, eb_job *job, eb_status *status)
{
    const eb_neighbours *table = b->table;
    size_t entries = (size_t)table->offsets[table->rows];
    unsigned threads = b->builder->threads;
    EB_TRY(make_pages_of(table->columns, entries * sizeof *table->columns, threads, job, status));
    return make_pages_of(table->any_distances, entries * eb_distances_width(table->kept), threads, job, status);
}

/* ---- hits ---- */

static void place(const build *b, uint32_t row, uint32_t column, double distance)
{
    size_t r = row - b->builder->row_begin;
    uint64_t at = b->table->offsets[r] + atomic_fetch_add_explicit(&b->degree[r], 1, memory_order_relaxed);
    b->table->columns[at] = column;
    eb_neighbours_set_distance(b->table, at, distance);
}

static eb_code place_chunk(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const build *b = context;
    eb_hit_chunk *chunk = b->chunks[task];
    for (size_t k = 0; k < chunk->count; k++) {
        eb_pair pair = chunk->pairs[k];
        double distance = chunk->s ? eb_distance_of(chunk->s[k], b->builder->unit) : 0;
        if (eb_builder_has_row(b->builder, pair.i))
            place(b, pair.i, pair.j, distance);
        if (b->builder->self && eb_builder_has_row(b->builder, pair.j))
            place(b, pair.j, pair.i, distance);
    }
    b->chunks[task] = NULL;
    free(chunk);
    return EB_OK;
}

/* Inserts the point itself into a sorted row whose last entry is free. */
static void insert_self(eb_neighbours *table, size_t r, size_t count)
{
    uint32_t *columns = table->columns + table->offsets[r], self = (uint32_t)(table->first_row + r);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (columns[middle] < self)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(columns + low + 1, columns + low, (count - low) * sizeof *columns);
    columns[low] = self;
    uint64_t here = table->offsets[r] + low;
    if (!table->kept)
        return;
    memmove(eb_neighbours_distances_from(table, here + 1), eb_neighbours_distances_from(table, here),
            (count - low) * eb_distances_width(table->kept));
    eb_neighbours_set_distance(table, here, 0);
}

static size_t rows_end(const build *b, uint64_t task)
{
    size_t begin = (size_t)task * b->rows_per_task;
    return b->table->rows - begin < b->rows_per_task ? b->table->rows : begin + b->rows_per_task;
}

static eb_code sort_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const build *b = context;
    eb_neighbours *table = b->table;
    eb_code failed = EB_OK;
    for (size_t r = (size_t)task * b->rows_per_task, end = rows_end(b, task); r < end && !failed; r++) {
        uint32_t *columns = table->columns + table->offsets[r];
        void *distances = eb_neighbours_distances_from(table, table->offsets[r]);
        size_t count = (size_t)(table->offsets[r + 1] - table->offsets[r] - table->self);
        uint32_t placed = atomic_load_explicit(&b->degree[r], memory_order_relaxed);
        if (placed != count)
            return eb_fail(status, EB_INTERNAL, "row %zu has room for %zu neighbours and got %u", table->first_row + r,
                           count, placed);
        eb_row_sort(columns, distances, table->kept, count, b->scratch[thread]);
        if (table->self)
            insert_self(table, r, count);
        failed = eb_builder_check_row(table, r, status);
    }
    return failed;
}

/* Allocates scratch for as many sorting threads as the memory limit permits; the sink has left room for one. */
static eb_code make_scratch(build *b, size_t longest, eb_status *status)
{
    const eb_neighbours_builder *builder = b->builder;
    size_t bytes = eb_row_sort_scratch_bytes(longest, builder->distances);
    b->sorters = builder->threads;
    if (builder->memory_limit) {
        uint64_t taken = eb_neighbours_bytes(builder->rows, eb_neighbours_builder_found(builder), builder->distances) +
                         builder->rows * sizeof(uint32_t);
        uint64_t left = builder->memory_limit > taken ? builder->memory_limit - taken : 0;
        if (left / bytes < b->sorters)
            b->sorters = (unsigned)(left / bytes);
    }
    if (b->sorters == 0)
        b->sorters = 1;
    b->scratch = calloc(b->sorters, sizeof *b->scratch);
    if (!b->scratch)
        return eb_fail_memory(status, "the rows' sort", b->sorters * sizeof *b->scratch);
    for (unsigned t = 0; t < b->sorters; t++) {
        b->scratch[t] = malloc(bytes);
        if (!b->scratch[t])
            return eb_fail_memory(status, "the rows' sort", bytes);
    }
    return EB_OK;
}

static void plan_tasks(build *b)
{
    size_t share = b->table->rows / (16 * (size_t)b->builder->threads);
    b->rows_per_task = share < 1 ? 1 : share > 1024 ? 1024 : share;
}

static uint64_t task_count(const build *b) { return (b->table->rows + b->rows_per_task - 1) / b->rows_per_task; }

static eb_code build_from_hits(build *b, eb_job *job, eb_status *status)
{
    const eb_neighbours_builder *builder = b->builder;
    uint64_t found = eb_neighbours_builder_found(builder);
    b->degree = calloc(builder->rows ? builder->rows : 1, sizeof *b->degree);
    if (!b->degree)
        return eb_fail_memory(status, "the rows' counters", builder->rows * sizeof *b->degree);
    EB_TRY(list_chunks(b, status));
    EB_TRY(eb_builder_new_table(builder, found, &b->table, status));
    EB_TRY(eb_parallel(builder->threads, b->chunk_count, count_chunk, b, job, status));
    size_t longest = sum_up(b);
    uint64_t stored = b->table->offsets[b->table->rows];
    if (stored != found)
        return eb_fail(status, EB_INTERNAL, "%llu pairs found but %llu to store", (unsigned long long)found,
                       (unsigned long long)stored);
    eb_code failed = make_fresh_pages(b, job, status);
    if (!failed)
        failed = eb_parallel(builder->threads, b->chunk_count, place_chunk, b, job, status);
    if (!failed)
        failed = make_scratch(b, longest, status);
    plan_tasks(b);
    return !failed ? eb_parallel(b->sorters, task_count(b), sort_rows, b, job, status) : failed;
}

static void release(build *b)
{
    for (size_t k = 0; k < b->chunk_count; k++)
        free(b->chunks[k]);
    free(b->chunks);
    for (unsigned t = 0; b->scratch && t < b->sorters; t++)
        free(b->scratch[t]);
    free(b->scratch);
    free(b->degree);
}

eb_code eb_neighbours_builder_finish(eb_neighbours_builder *builder, eb_job *job, eb_neighbours **out,
                                     eb_status *status)
{
    build b = {.builder = builder};
    if (atomic_load(&builder->feed) == EB_FEED_ROWS)
        return eb_builder_finish_rows(builder, out, status);
    eb_code failed = build_from_hits(&b, job, status);
    release(&b);
    if (failed) {
        eb_neighbours_free(b.table);
        return failed;
    }
    *out = b.table;
    return EB_OK;
}

/* ---- making and freeing a builder ---- */

eb_code eb_neighbours_builder_new(const eb_neighbours_request *q, eb_neighbours_builder **out, eb_status *status)
{
    if (q->row_begin > q->row_end || q->row_end > q->n || q->n > EB_MAX_POINTS || q->others > EB_MAX_POINTS ||
        (q->self && q->others != q->n) || q->threads == 0)
        return eb_fail(status, EB_INTERNAL, "a neighbour table of rows %zu to %zu of %zu points, %u threads",
                       q->row_begin, q->row_end, q->n, q->threads);
    eb_neighbours_builder *builder = calloc(1, sizeof *builder);
    eb_hit_list *lists = aligned_alloc(alignof(eb_hit_list), q->threads * sizeof *lists);
    if (!builder || !lists || pthread_mutex_init(&builder->lock, NULL) != 0 ||
        pthread_cond_init(&builder->quiet, NULL) != 0) {
        free(builder);
        free(lists);
        return eb_fail_memory(status, "a table builder", q->threads * sizeof *lists);
    }
    for (unsigned t = 0; t < q->threads; t++)
        lists[t] = (eb_hit_list){.first = NULL};
    builder->n = q->n;
    builder->others = q->others;
    builder->self = q->self;
    builder->row_begin = q->row_begin;
    builder->rows = q->row_end - q->row_begin;
    builder->threads = q->threads;
    builder->distances = q->distances;
    builder->unit = ldexp(1, -q->exponent);
    builder->kind = (eb_row_kind){eb_distances_width(q->distances), builder->unit, q->memory_limit};
    builder->memory_limit = q->memory_limit;
    builder->lists = lists;
    *out = builder;
    return EB_OK;
}

void eb_neighbours_builder_free(eb_neighbours_builder *builder)
{
    if (!builder)
        return;
    for (unsigned t = 0; t < builder->threads; t++)
        for (eb_hit_chunk *chunk = builder->lists[t].first, *next; chunk; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
    for (eb_row_piece *early = builder->early, *next; early; early = next) {
        next = early->next;
        eb_row_piece_free(early);
    }
    free(builder->lists);
    eb_neighbours_free(builder->growing);
    (void)pthread_cond_destroy(&builder->quiet);
    (void)pthread_mutex_destroy(&builder->lock);
    free(builder);
}

eb_sink eb_neighbours_builder_sink(eb_neighbours_builder *builder)
{
    return (eb_sink){.kind = &builder->kind,
                     .context = builder,
                     .hits = eb_builder_take_hits,
                     .place = eb_builder_place,
                     .placed = eb_builder_placed};
}
