#include "core/ranks/keep/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/parallel.h"

/* ---- counting ---- */

static eb_code count_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    _Atomic uint32_t *counts = context;
    (void)thread, (void)status;
    for (size_t k = 0; k < count; k++) {
        (void)atomic_fetch_add_explicit(&counts[hits[k].i], 1, memory_order_relaxed);
        (void)atomic_fetch_add_explicit(&counts[hits[k].j], 1, memory_order_relaxed);
    }
    return EB_OK;
}

eb_code eb_count_ends(const eb_opened *opened, const eb_question *question, const eb_share *part,
                      _Atomic uint32_t *counts, eb_status *status)
{
    const eb_sink sink = {.context = counts, .hits = count_hits};
    return opened->run->join(opened->state, question, part, &sink, status);
}

/* ---- uniting ---- */

/* What one thread finds, on cache lines of its own. */
typedef struct found {
    _Alignas(64) eb_near *near;
    size_t count, room;
} found;

typedef struct uniting {
    const unsigned char *core;
    eb_tree *forest;
    found *thread; /* [threads] */
} uniting;

static eb_code keep_near(found *f, uint32_t point, uint32_t core, eb_status *status)
{
    if (!eb_array_grow(&f->near, f->count, &f->room, sizeof *f->near, 64))
        return eb_fail_memory(status, "neighbours of points that are not core", 2 * f->room * sizeof *f->near);
    f->near[f->count++] = (eb_near){point, core};
    return EB_OK;
}

static eb_code unite_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const uniting *u = context;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = hits[k].i, j = hits[k].j;
        const bool core_i = eb_is_core_bit(u->core, i), core_j = eb_is_core_bit(u->core, j);
        if (core_i && core_j)
            eb_forest_unite(u->forest, i, j);
        else if (core_i)
            EB_TRY(keep_near(&u->thread[thread], j, i, status));
        else if (core_j)
            EB_TRY(keep_near(&u->thread[thread], i, j, status));
    }
    return EB_OK;
}

static int by_point(const void *a, const void *b)
{
    const eb_near *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x->core > y->core) - (x->core < y->core);
}

/* Joins what the threads have found, with the roots in the place of the core points, each once. */
static eb_code gather(const uniting *u, unsigned threads, eb_job *job, eb_near **out, size_t *count, eb_status *status)
{
    size_t all = 0, kept = 0;
    for (unsigned t = 0; t < threads; t++)
        all += u->thread[t].count;
    eb_near *near = malloc((all ? all : 1) * sizeof *near);
    if (!near)
        return eb_fail_memory(status, "neighbours of points that are not core", all * sizeof *near);
    all = 0;
    for (unsigned t = 0; t < threads; t++)
        for (size_t k = 0; k < u->thread[t].count; k++) {
            const eb_near *n = &u->thread[t].near[k];
            near[all++] = (eb_near){n->point, eb_forest_root(u->forest, n->core)};
        }
    const eb_code failed = eb_parallel_sort(threads, near, all, sizeof *near, by_point, job, status);
    if (failed) {
        free(near);
        return failed;
    }
    for (size_t k = 0; k < all; k++)
        if (kept == 0 || by_point(&near[k], &near[kept - 1]) != 0)
            near[kept++] = near[k];
    *out = near;
    *count = kept;
    return EB_OK;
}

eb_code eb_unite_ends(const eb_opened *opened, const eb_question *question, const eb_share *part,
                      const unsigned char *core, eb_tree *forest, eb_near **near, size_t *count, eb_status *status)
{
    const unsigned threads = opened->context.threads;
    const uniting u = {core, forest, aligned_alloc(64, threads * sizeof *u.thread)};
    const eb_sink sink = {.context = (void *)(uintptr_t)&u, .hits = unite_hits};
    if (!u.thread)
        return eb_fail_memory(status, "neighbours of points that are not core", threads * sizeof *u.thread);
    memset(u.thread, 0, threads * sizeof *u.thread);
    eb_code failed = opened->run->join(opened->state, question, part, &sink, status);
    if (!failed)
        failed = gather(&u, threads, opened->context.job, near, count, status);
    for (unsigned t = 0; t < threads; t++)
        free(u.thread[t].near);
    free(u.thread);
    return failed;
}

/* ---- numbers of points on their way to rank 0 ---- */

/* Points whose values are in one letter: all of them, or those that differ with their places, whichever is less. */
enum { POINTS_A_LETTER = 1 << 18 };

eb_code eb_send_point_values(const eb_transport *transport, uint64_t number, const _Atomic uint32_t *values, size_t n,
                             bool forest, eb_status *status)
{
    for (size_t first = 0, end; first < n; first = end) {
        eb_packet packet = {.failed = false};
        size_t differ = 0;
        end = n - first < POINTS_A_LETTER ? n : first + POINTS_A_LETTER;
        for (size_t i = first; i < end; i++)
            differ += atomic_load_explicit(&values[i], memory_order_relaxed) != (forest ? i : 0);
        const bool all = 2 * differ > end - first;
        if (differ == 0)
            continue;
        eb_pack_u64(&packet, first);
        eb_pack_u64(&packet, all);
        for (size_t i = first; i < end; i++) {
            const uint32_t place = (uint32_t)(i - first),
                           value = atomic_load_explicit(&values[i], memory_order_relaxed);
            if (!all && value == (forest ? i : 0))
                continue;
            if (!all)
                eb_pack(&packet, &place, sizeof place);
            eb_pack(&packet, &value, sizeof value);
        }
        EB_TRY(eb_packet_send(transport, 0, EB_POINT_VALUES, number, &packet, status));
    }
    return EB_OK;
}

eb_code eb_take_point_values(const eb_letter *letter, size_t n,
                             void (*take)(void *context, uint32_t point, uint32_t value), void *context,
                             eb_status *status)
{
    eb_packet packet = eb_packet_of(letter);
    const uint64_t first = eb_unpack_u64(&packet), all = eb_unpack_u64(&packet);
    for (uint32_t place = 0, value; !packet.failed && packet.at < packet.size; place++) {
        if (!all)
            eb_unpack(&packet, &place, sizeof place);
        eb_unpack(&packet, &value, sizeof value);
        if (packet.failed || first + place >= n || value >= n)
            return eb_fail(status, EB_INTERNAL, "rank %u tells %u of point %llu of %zu", letter->from, value,
                           (unsigned long long)first + place, n);
        take(context, (uint32_t)first + place, value);
    }
    return EB_OK;
}
