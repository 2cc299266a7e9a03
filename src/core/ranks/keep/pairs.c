#include "core/ranks/keep/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/parallel.h"

/* ---- uniting ---- */

/* What one thread finds, on cache lines of its own. */
typedef struct found {
    _Alignas(64) eb_near *near;
    size_t count, room;
    bool full; /* there was no memory for more */
} found;

typedef struct uniting {
    const eb_gathering *of;
    found *thread; /* [threads] */
} uniting;

static void keep_near(found *f, uint32_t point, uint32_t core)
{
    if (eb_array_grow(&f->near, f->count, &f->room, sizeof *f->near, 64))
        f->near[f->count++] = (eb_near){point, core};
    else
        f->full = true;
}

static void unite_links(void *context, unsigned thread, const eb_link *links, size_t count)
{
    const uniting *u = context;
    const uint32_t *core = u->of->core;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = links[k].i, j = links[k].j;
        if (core[i] == 0 && core[j] == 0)
            (void)eb_forest_unite(u->of->forest, i, j);
        else if (core[i] == 0)
            keep_near(&u->thread[thread], j, i);
        else if (core[j] == 0)
            keep_near(&u->thread[thread], i, j);
    }
}

static int by_point(const void *a, const void *b)
{
    const eb_near *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Joins what the threads have found, with the roots in the place of the core points, each once. */
static eb_code gather(const uniting *u, unsigned threads, eb_job *job, eb_near **out, size_t *count, eb_status *status)
{
    size_t all = 0, kept = 0;
    bool full = false;
    for (unsigned t = 0; t < threads; t++) {
        all += u->thread[t].count;
        full |= u->thread[t].full;
    }
    eb_near *near = full ? NULL : malloc((all ? all : 1) * sizeof *near);
    if (!near)
        return eb_fail_memory(status, "neighbours of points that are not core", all * sizeof *near);
    all = 0;
    for (unsigned t = 0; t < threads; t++)
        for (size_t k = 0; k < u->thread[t].count; k++) {
            const eb_near *n = &u->thread[t].near[k];
            near[all++] = (eb_near){n->point, eb_forest_root(u->of->forest, n->to)};
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
                      const eb_gathering *gathering, eb_near **near, size_t *count, eb_status *status)
{
    const unsigned threads = opened->context.threads;
    uniting u = {gathering, aligned_alloc(64, threads * sizeof *u.thread)};
    const eb_stream stream = {.eps = &question->eps, .levels = 1, .consumer = unite_links, .context = &u};
    if (!u.thread)
        return eb_fail_memory(status, "neighbours of points that are not core", threads * sizeof *u.thread);
    memset(u.thread, 0, threads * sizeof *u.thread);
    eb_code failed = eb_stream_part(opened, question, part, &stream, status);
    if (!failed)
        failed = gather(&u, threads, opened->context.job, near, count, status);
    for (unsigned t = 0; t < threads; t++)
        free(u.thread[t].near);
    free(u.thread);
    return failed;
}

/* ---- a gathering on its way to rank 0 ---- */

void eb_clip_counts(const eb_gathering *g, uint32_t most, uint64_t *left_out)
{
    for (size_t level = 0; level < g->levels; level++)
        left_out[level] = 0;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t left = most;
        for (size_t level = 0; level < g->levels; level++) {
            _Atomic uint32_t *count = &g->count[i * g->levels + level];
            const uint32_t is = atomic_load_explicit(count, memory_order_relaxed), stays = is < left ? is : left;
            left -= stays;
            left_out[level] += is - stays;
            if (stays < is)
                atomic_store_explicit(count, stays, memory_order_relaxed);
        }
    }
}

enum { POINTS_A_TASK = 1 << 15 };

typedef struct thinning {
    size_t n;
    eb_tree *below, *forest; /* of the smaller levels; of this one */
} thinning;

static eb_code thin_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const thinning *t = context;
    const size_t begin = (size_t)task * POINTS_A_TASK,
                 end = t->n - begin < POINTS_A_TASK ? t->n : begin + POINTS_A_TASK;
    (void)thread, (void)status;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        const uint32_t parent = atomic_load_explicit(&t->forest[i], memory_order_relaxed);
        if (parent != i && !eb_forest_unite(t->below, i, parent))
            atomic_store_explicit(&t->forest[i], i, memory_order_relaxed);
    }
    return EB_OK;
}

eb_code eb_thin_forests(const eb_gathering *g, unsigned threads, eb_job *job, eb_status *status)
{
    eb_code failed = EB_OK;
    thinning t = {.n = g->n, .forest = g->forest};
    if (g->levels == 1)
        return EB_OK;
    t.below = malloc(g->n * sizeof *t.below);
    if (!t.below)
        return eb_fail_memory(status, "what smaller ε connect", g->n * sizeof *t.below);
    eb_forest_plant(t.below, g->n, 1);
    for (size_t level = 0; level < g->levels && !failed; level++, t.forest += g->n)
        failed = eb_parallel(threads, (g->n + POINTS_A_TASK - 1) / POINTS_A_TASK, thin_some, &t, job, status);
    free(t.below);
    return failed;
}

/* Values that are in one letter: all of them, or those that differ with their places, whichever is less. */
enum { VALUES_A_LETTER = 1 << 18 };

/* values: [n × levels]. Without pairs a value is 0, in a forest its point. */
static eb_code send_values(const eb_transport *transport, uint64_t number, const eb_gathering *g, bool forest,
                           eb_status *status)
{
    const _Atomic uint32_t *values = forest ? g->forest : g->count;
    const uint64_t all = (uint64_t)g->n * g->levels;
    for (uint64_t first = 0, end; first < all; first = end) {
        eb_packet packet = {.failed = false};
        size_t differ = 0;
        end = all - first < VALUES_A_LETTER ? all : first + VALUES_A_LETTER;
        uint32_t point = (uint32_t)(first % g->n);
        for (uint64_t k = first; k < end; k++) {
            differ += atomic_load_explicit(&values[k], memory_order_relaxed) != (forest ? point : 0);
            point = point + 1 < g->n ? point + 1 : 0;
        }
        const bool whole = 2 * differ > end - first;
        if (differ == 0)
            continue;
        eb_pack_u64(&packet, first);
        eb_pack_u64(&packet, whole);
        point = (uint32_t)(first % g->n);
        for (uint64_t k = first; k < end; k++) {
            const uint32_t place = (uint32_t)(k - first), without = forest ? point : 0,
                           value = atomic_load_explicit(&values[k], memory_order_relaxed);
            point = point + 1 < g->n ? point + 1 : 0;
            if (!whole && value == without)
                continue;
            if (!whole)
                eb_pack(&packet, &place, sizeof place);
            eb_pack(&packet, &value, sizeof value);
        }
        EB_TRY(eb_packet_send(transport, 0, forest ? EB_ROOTS : EB_COUNTS, number, &packet, status));
    }
    return EB_OK;
}

eb_code eb_send_counts(const eb_transport *transport, uint64_t number, const eb_gathering *g, eb_status *status)
{
    return send_values(transport, number, g, false, status);
}

eb_code eb_send_roots(const eb_transport *transport, uint64_t number, const eb_gathering *g, eb_status *status)
{
    return send_values(transport, number, g, true, status);
}

eb_code eb_take_values(const eb_letter *letter, const eb_gathering *g,
                       void (*take)(void *context, uint64_t at, uint32_t value), void *context, eb_status *status)
{
    eb_packet packet = eb_packet_of(letter);
    const uint64_t first = eb_unpack_u64(&packet), whole = eb_unpack_u64(&packet), all = (uint64_t)g->n * g->levels;
    for (uint32_t place = 0, value; !packet.failed && packet.at < packet.size; place++) {
        if (!whole)
            eb_unpack(&packet, &place, sizeof place);
        eb_unpack(&packet, &value, sizeof value);
        if (packet.failed || first >= all || place >= all - first || value >= g->n)
            return eb_fail(status, EB_INTERNAL, "rank %u tells %u at place %llu of %llu", letter->from, value,
                           (unsigned long long)first + place, (unsigned long long)all);
        take(context, first + place, value);
    }
    return EB_OK;
}

/* ---- and from there: the levels' bits, one bit of all points after the other ---- */

void eb_pack_levels(eb_packet *packet, const eb_gathering *g)
{
    for (unsigned bit = 0; g->levels >> bit; bit++)
        for (size_t i = 0; i < g->n; i += 8) {
            unsigned char byte = 0;
            for (size_t k = i; k < i + 8 && k < g->n; k++)
                byte |= (unsigned char)((g->core[k] >> bit & 1) << (k - i));
            eb_pack(packet, &byte, 1);
        }
}

eb_code eb_unpack_levels(eb_packet *packet, const eb_gathering *g, eb_status *status)
{
    const size_t size = (g->n + 7) / 8;
    memset(g->core, 0, g->n * sizeof *g->core);
    for (unsigned bit = 0; g->levels >> bit; bit++) {
        const unsigned char *bytes = eb_unpack_bytes(packet, size);
        if (!bytes)
            return eb_fail(status, EB_INTERNAL, "rank 0 tells of fewer core points than %zu", g->n);
        for (size_t i = 0; i < g->n; i++)
            g->core[i] |= (uint32_t)(bytes[i / 8] >> (i % 8) & 1) << bit;
    }
    return EB_OK;
}
