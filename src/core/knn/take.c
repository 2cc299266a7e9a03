#include "core/knn/take.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

enum { TRIES = 64 };

/* ---- room ---- */

eb_code eb_taking_new(const eb_knn_request *request, eb_taking *out, eb_status *status)
{
    const size_t queries = eb_knn_queries(request), k = request->k;
    unsigned char *nobody = request->taken_out ? calloc(request->base->n, 1) : NULL;
    *out = (eb_taking){.request = request, .k = k, .nobody = nobody};
    out->near = k <= SIZE_MAX / sizeof *out->near / queries ? malloc(queries * k * sizeof *out->near) : NULL;
    out->count = calloc(queries, sizeof *out->count);
    out->beyond = malloc(queries * sizeof *out->beyond);
    out->busy = calloc(queries, sizeof *out->busy);
    if (!out->near || !out->count || !out->beyond || !out->busy || (request->taken_out && !nobody)) {
        eb_taking_free(out);
        return eb_fail_memory(status, "the nearest", queries * (k * sizeof *out->near + 16));
    }
    for (size_t q = 0; q < queries; q++)
        atomic_init(&out->beyond[q], INFINITY);
    for (size_t q = 0; q < request->taken_out; q++)
        nobody[request->rows[q]] = 1;
    return EB_OK;
}

void eb_taking_free(eb_taking *taking)
{
    free(taking->near);
    free(taking->count);
    free((void *)taking->beyond);
    free((void *)taking->busy);
    free((void *)(uintptr_t)taking->nobody);
    *taking = (eb_taking){.near = NULL};
}

void eb_taking_reset(eb_taking *taking, uint32_t query)
{
    taking->count[query] = 0;
    atomic_store(&taking->beyond[query], INFINITY);
}

void eb_taking_end(eb_taking *taking, uint32_t query) { atomic_store(&taking->beyond[query], -INFINITY); }

bool eb_taking_ended(const eb_taking *taking, uint32_t query) { return isinf(atomic_load(&taking->beyond[query])) < 0; }

/* ---- one pair ---- */

static void enter(_Atomic unsigned char *busy)
{
    for (unsigned tries = 0; atomic_exchange_explicit(busy, 1, memory_order_acquire); tries++)
        if (tries >= TRIES) /* who is in there may wait for this CPU */
            (void)sched_yield();
}

static void leave(_Atomic unsigned char *busy) { atomic_store_explicit(busy, 0, memory_order_release); }

static bool may_be_near(const eb_taking *t, uint32_t query, double s)
{
    return s <= atomic_load_explicit(&t->beyond[query], memory_order_relaxed) && s <= t->most && s < INFINITY;
}

static void offer(eb_taking *t, uint32_t query, size_t column, double s)
{
    const uint32_t row = t->row ? t->row[column] : (uint32_t)column;
    if (row == eb_knn_query_row(t->request, query) || (t->nobody && t->nobody[row]))
        return;
    enter(&t->busy[query]);
    eb_best best = {.k = t->k, .count = t->count[query], .near = t->near + query * t->k};
    eb_best_take(&best, (eb_near_row){s, row});
    t->count[query] = (uint32_t)best.count;
    if (best.count == t->k)
        atomic_store_explicit(&t->beyond[query], best.near[0].far, memory_order_relaxed);
    leave(&t->busy[query]);
}

static void offer_place(eb_taking *t, size_t place, size_t column, double s)
{
    if (place < t->asking && may_be_near(t, t->query[place], s))
        offer(t, t->query[place], column, s);
}

/* ---- as they come ---- */

/* A pair with a query that was asked before, and farther around, has come already. */
eb_code eb_taking_hits(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                       eb_status *status)
{
    eb_taking *t = context;
    (void)thread, (void)share, (void)status;
    for (size_t k = 0; k < count; k++) {
        const size_t i = t->view + hits[k].i, j = t->view + hits[k].j;
        if (t->both && (i < t->begin || j < t->begin))
            continue;
        offer_place(t, i, j, hits[k].s);
        if (t->both)
            offer_place(t, j, i, hits[k].s);
    }
    (void)atomic_fetch_add_explicit(&t->pairs, count, memory_order_relaxed);
    return EB_OK;
}

/* Inside the group each end has a row of its own. */
eb_code eb_taking_row(void *context, unsigned thread, const eb_passing_row *row, eb_status *status)
{
    eb_taking *t = context;
    const size_t i = t->view + row->row;
    (void)thread, (void)status;
    for (size_t k = 0; k < row->count; k++) {
        const size_t j = t->view + row->columns[k];
        if (t->both && j < t->begin)
            continue;
        offer_place(t, i, j, row->s[k]);
        if (t->both && j >= t->end)
            offer_place(t, j, i, row->s[k]);
    }
    (void)atomic_fetch_add_explicit(&t->pairs, row->count, memory_order_relaxed);
    return EB_OK;
}

void eb_taking_all(eb_taking *t, uint32_t query, const double *s, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (may_be_near(t, query, s[j]))
            offer(t, query, j, s[j]);
    eb_taking_end(t, query);
}
