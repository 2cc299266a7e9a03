/* neighbours_sink: collecting single hits for the build (neighbours_build.c). There are no locks: each thread has its
 * own list of chunks, and only the totals are shared and updated once per call. */
#include <stdlib.h>
#include <string.h>

#include "core/join/neighbours_builder.h"

/* A new chunk holds an eighth of the thread's hits, so that at most an eighth of the memory is unused. malloc gets
 * large chunks from the system and returns each as it is freed, while the table fills. */
#define SMALLEST_CHUNK 64u
#define LARGEST_CHUNK 65536u

uint64_t eb_neighbours_builder_found(const eb_neighbours_builder *builder)
{
    uint64_t entries = atomic_load(&builder->entries);
    bool self_comes = atomic_load(&builder->feed) == EB_FEED_ROWS || !builder->self;
    return self_comes ? entries : entries + builder->rows;
}

eb_code eb_builder_fail_limit(const eb_neighbours_builder *builder, uint64_t needed, eb_status *status)
{
    return eb_fail(
        status, EB_NO_MEMORY,
        "the neighbour table of rows %zu to %zu needs more than the memory it may take: at least %llu of %llu bytes",
        builder->row_begin, builder->row_begin + builder->rows, (unsigned long long)needed,
        (unsigned long long)builder->memory_limit);
}

eb_code eb_builder_agree_on_feed(eb_neighbours_builder *builder, eb_feed feed, eb_status *status)
{
    eb_feed none = EB_FEED_NONE;
    if (atomic_load_explicit(&builder->feed, memory_order_relaxed) == feed ||
        atomic_compare_exchange_strong(&builder->feed, &none, feed) || none == feed)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL, "the engine gives both single hits and whole rows in one join");
}

/* ---- single hits ---- */

static eb_code fail_hit(const eb_neighbours_builder *builder, const eb_hit *hit, eb_status *status)
{
    return eb_fail(status, EB_INTERNAL, "the engine gives pair (%u, %u) in a join of rows %zu to %zu of %zu points",
                   hit->i, hit->j, builder->row_begin, builder->row_begin + builder->rows, builder->n);
}

/* Counts the table entries of the hits. EB_INTERNAL for a pair outside the join. */
static eb_code count_entries(const eb_neighbours_builder *builder, const eb_hit *hits, size_t count, uint64_t *entries,
                             eb_status *status)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < count; k++) {
        const eb_hit *hit = &hits[k];
        unsigned ends = eb_builder_ends(builder, (eb_pair){.i = hit->i, .j = hit->j});
        bool itself = builder->self && hit->i == hit->j;
        if (itself || hit->i >= builder->n || hit->j >= builder->others || ends == 0)
            return fail_hit(builder, hit, status);
        sum += ends;
    }
    *entries = sum;
    return EB_OK;
}

/* Checks the memory that a build from the hits so far needs: the table, a counter per row, and the chunks or, after
 * they are freed, the scratch for sorting the longest row. */
static eb_code check_limit(const eb_neighbours_builder *builder, eb_status *status)
{
    if (builder->memory_limit == 0)
        return EB_OK;
    uint64_t entries = atomic_load_explicit(&builder->entries, memory_order_relaxed);
    uint64_t chunks = atomic_load_explicit(&builder->chunk_bytes, memory_order_relaxed);
    uint64_t scratch = 16 * (entries < builder->others ? entries : builder->others) + 64;
    uint64_t needed = eb_neighbours_bytes(builder->rows, builder->rows + entries, builder->distances) +
                      builder->rows * sizeof(uint32_t) + (chunks > scratch ? chunks : scratch);
    return needed > builder->memory_limit ? eb_builder_fail_limit(builder, needed, status) : EB_OK;
}

static eb_code add_chunk(eb_neighbours_builder *builder, eb_hit_list *list, eb_status *status)
{
    uint64_t wanted = list->hits / 8;
    size_t capacity = wanted < SMALLEST_CHUNK  ? SMALLEST_CHUNK
                      : wanted > LARGEST_CHUNK ? LARGEST_CHUNK
                                               : (size_t)wanted;
    size_t bytes = sizeof(eb_hit_chunk) + capacity * (sizeof(eb_pair) + (builder->distances ? sizeof(double) : 0));
    (void)atomic_fetch_add_explicit(&builder->chunk_bytes, bytes, memory_order_relaxed);
    EB_TRY(check_limit(builder, status));
    eb_hit_chunk *chunk = malloc(bytes);
    if (!chunk)
        return eb_fail_memory(status, "a buffer of pairs", bytes);
    double *s = builder->distances ? (double *)(void *)(chunk + 1) : NULL;
    *chunk = (eb_hit_chunk){.capacity = capacity, .s = s, .pairs = (void *)(chunk + 1)};
    if (s)
        chunk->pairs = (void *)(s + capacity);
    if (list->last)
        list->last->next = chunk;
    else
        list->first = chunk;
    list->last = chunk;
    list->chunks++;
    return EB_OK;
}

static void append(eb_hit_chunk *chunk, const eb_hit *hits, size_t count)
{
    for (size_t k = 0; k < count; k++)
        chunk->pairs[chunk->count + k] = (eb_pair){.i = hits[k].i, .j = hits[k].j};
    for (size_t k = 0; chunk->s && k < count; k++)
        chunk->s[chunk->count + k] = hits[k].s;
    chunk->count += count;
}

eb_code eb_builder_take_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    eb_neighbours_builder *builder = context;
    if (thread >= builder->threads)
        return eb_fail(status, EB_INTERNAL, "the engine's thread %u of %u gives pairs", thread, builder->threads);
    uint64_t entries;
    EB_TRY(eb_builder_agree_on_feed(builder, EB_FEED_HITS, status));
    EB_TRY(count_entries(builder, hits, count, &entries, status));
    (void)atomic_fetch_add_explicit(&builder->entries, entries, memory_order_relaxed);
    eb_code failed = check_limit(builder, status);

    eb_hit_list *list = &builder->lists[thread];
    for (size_t done = 0; !failed && done < count;) {
        if (!list->last || list->last->count == list->last->capacity) {
            failed = add_chunk(builder, list, status);
            continue;
        }
        size_t room = list->last->capacity - list->last->count;
        size_t part = count - done < room ? count - done : room;
        append(list->last, hits + done, part);
        list->hits += part;
        done += part;
    }
    return failed;
}
