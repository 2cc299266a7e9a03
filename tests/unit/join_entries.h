/* join_entries: an engine's join as neighbour-table entries sorted by row and column, without self pairs, so that two
 * results can be compared bit for bit. Built from single hits without the product's table builder. A duplicate pair, a
 * pair outside the rows or a self pair is a failure. Header-only.
 * Functions that begin with gather or return an eb_code assert nothing, and may run in other threads. */
#pragma once

#include "core/engine/problem.h"
#include "tests/unit/test.h"

typedef struct join_entry {
    uint32_t i, j;
    double s;
} join_entry;

typedef struct join_entries {
    join_entry *entry; /* NULL: none yet */
    size_t count, room;
} join_entries;

static inline void free_entries(join_entries *e)
{
    free(e->entry);
    *e = (join_entries){.entry = NULL};
}

static inline void add_entry(join_entries *e, uint32_t i, uint32_t j, double s)
{
    if (e->count == e->room) {
        e->room = e->room ? 2 * e->room : 256;
        e->entry = realloc(e->entry, e->room * sizeof *e->entry);
        if (!e->entry)
            abort();
    }
    e->entry[e->count++] = (join_entry){i, j, s};
}

/* ---- from hits ---- */

enum { GATHERING_THREADS = 3 };

typedef struct gathering {
    const eb_opened *opened;
    const eb_share *share;
    join_entries of_thread[GATHERING_THREADS]; /* no lock: a thread never runs two calls at once */
} gathering;

static inline bool is_row(const eb_share *share, uint32_t i) { return i >= share->row_begin && i < share->row_end; }

static inline eb_code gather_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    gathering *g = context;
    const eb_problem *problem = &g->opened->problem;
    bool self = eb_is_self_join(problem);
    if (thread >= g->opened->context.threads || thread >= GATHERING_THREADS || count == 0)
        return eb_fail(status, EB_INTERNAL, "thread %u gives %zu hits", thread, count);
    for (size_t k = 0; k < count; k++) {
        uint32_t i = hits[k].i, j = hits[k].j;
        if (!is_row(g->share, i) || j >= problem->right->n || (self && i == j))
            return eb_fail(status, EB_INTERNAL, "a hit of points %u and %u", i, j);
        add_entry(&g->of_thread[thread], i, j, hits[k].s);
        if (self && is_row(g->share, j))
            add_entry(&g->of_thread[thread], j, i, hits[k].s);
    }
    return EB_OK;
}

/* Adds a share's hits, unsorted. */
static inline eb_code gather_entries(const eb_opened *opened, const eb_question *question, const eb_share *share,
                                     join_entries *out, eb_status *status)
{
    gathering g = {.opened = opened, .share = share};
    eb_sink sink = {.context = &g, .hits = gather_hits};
    eb_code failed = opened->run->join(opened->state, question, share, &sink, status);
    for (size_t t = 0; t < GATHERING_THREADS; t++) {
        for (size_t k = 0; k < g.of_thread[t].count; k++)
            add_entry(out, g.of_thread[t].entry[k].i, g.of_thread[t].entry[k].j, g.of_thread[t].entry[k].s);
        free_entries(&g.of_thread[t]);
    }
    return failed;
}

static inline int by_row_and_column(const void *a, const void *b)
{
    const join_entry *x = a, *y = b;
    return x->i != y->i ? (x->i > y->i) - (x->i < y->i) : (x->j > y->j) - (x->j < y->j);
}

static inline eb_code sort_entries(join_entries *e, eb_status *status)
{
    if (e->count)
        qsort(e->entry, e->count, sizeof *e->entry, by_row_and_column);
    for (size_t k = 1; k < e->count; k++)
        if (by_row_and_column(&e->entry[k - 1], &e->entry[k]) == 0)
            return eb_fail(status, EB_INTERNAL, "points %u and %u come twice", e->entry[k].i, e->entry[k].j);
    return EB_OK;
}

/* ---- with assertions ---- */

static inline void add_share(const eb_opened *opened, const eb_question *question, const eb_share *share,
                             join_entries *out)
{
    eb_status status = {.message = ""};
    if (gather_entries(opened, question, share, out, &status))
        fail_msg("%s: %s", opened->setup->spec, status.message);
}

static inline void finish_entries(join_entries *e)
{
    eb_status status = {.message = ""};
    if (sort_entries(e, &status))
        fail_msg("%s", status.message);
}

static inline join_entries entries_of(const eb_opened *opened, const eb_question *question, const eb_share *share)
{
    join_entries e = {.entry = NULL};
    add_share(opened, question, share, &e);
    finish_entries(&e);
    return e;
}

static inline void assert_same_entries(const join_entries *found, const join_entries *expected, const char *who,
                                       const char *what)
{
    for (size_t k = 0; k < found->count && k < expected->count; k++) {
        const join_entry *f = &found->entry[k], *e = &expected->entry[k];
        if (memcmp(f, e, sizeof *f) != 0)
            fail_msg("%s, %s: entry %zu: points %u and %u, %a; expected %u and %u, %a", who, what, k, f->i, f->j, f->s,
                     e->i, e->j, e->s);
    }
    if (found->count != expected->count)
        fail_msg("%s, %s: %zu entries, expected %zu", who, what, found->count, expected->count);
}
