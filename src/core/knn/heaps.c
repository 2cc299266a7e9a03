#include "core/knn/heaps.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/base/pages.h"
#include "core/base/parallel.h"

enum { TRIES = 64, QUERIES_A_TASK = 1024 };

/* ---- memory ---- */

eb_near_row *eb_near_room(size_t queries, size_t k)
{
    if (k > (SIZE_MAX - EB_LARGE_PAGE) / sizeof(eb_near_row) / queries)
        return NULL;
    const size_t bytes = queries * k * sizeof(eb_near_row);
    if (bytes < EB_LARGE_PAGE)
        return malloc(bytes);
    eb_near_row *pages = aligned_alloc(EB_LARGE_PAGE, eb_whole_pages(bytes));
    if (pages)
        (void)madvise(pages, eb_whole_pages(bytes), MADV_HUGEPAGE); /* advice */
    return pages;
}

eb_code eb_heaps_new(const eb_knn_request *request, eb_heaps *out, eb_status *status)
{
    const size_t queries = eb_knn_queries(request), k = request->k;
    unsigned char *nobody = request->taken_out ? calloc(request->base->n, 1) : NULL;
    *out = (eb_heaps){.request = request, .k = k, .nobody = nobody};
    out->near = eb_near_room(queries, k);
    out->count = calloc(queries, sizeof *out->count);
    out->bound = malloc(queries * sizeof *out->bound);
    out->busy = calloc(queries, sizeof *out->busy);
    if (!out->near || !out->count || !out->bound || !out->busy || (request->taken_out && !nobody)) {
        eb_heaps_free(out);
        return eb_fail_memory(status, "the nearest", queries * (k * sizeof *out->near + 16));
    }
    for (size_t q = 0; q < queries; q++)
        atomic_init(&out->bound[q], INFINITY);
    for (size_t q = 0; q < request->taken_out; q++)
        nobody[request->rows[q]] = 1;
    return EB_OK;
}

void eb_heaps_free(eb_heaps *heaps)
{
    free(heaps->near);
    free(heaps->count);
    free((void *)heaps->bound);
    free((void *)heaps->busy);
    free((void *)(uintptr_t)heaps->nobody);
    *heaps = (eb_heaps){.near = NULL};
}

eb_code eb_heaps_open(eb_heaps *heaps, const eb_dataset *left, const eb_dataset *right, eb_job *job, eb_opened *out,
                      eb_status *status)
{
    const eb_problem problem = {.left = left, .right = right};
    EB_TRY(eb_problem_open(heaps->request->setup, &problem, job, out, status));
    heaps->exponent = out->scaling.exponent;
    heaps->unit = ldexp(1, -out->scaling.exponent);
    heaps->most = eb_squared_threshold(eb_scaled_eps(DBL_MAX, out->scaling.exponent));
    return EB_OK;
}

void eb_heaps_reset(eb_heaps *heaps, uint32_t query)
{
    heaps->count[query] = 0;
    atomic_store(&heaps->bound[query], INFINITY);
}

void eb_heaps_end(eb_heaps *heaps, uint32_t query) { atomic_store(&heaps->bound[query], -INFINITY); }

bool eb_heaps_ended(const eb_heaps *heaps, uint32_t query) { return isinf(atomic_load(&heaps->bound[query])) < 0; }

/* ---- one pair ---- */

static void enter(_Atomic unsigned char *busy)
{
    for (unsigned tries = 0; atomic_exchange_explicit(busy, 1, memory_order_acquire); tries++)
        if (tries >= TRIES) /* the holder may need this CPU */
            (void)sched_yield();
}

static void leave(_Atomic unsigned char *busy) { atomic_store_explicit(busy, 0, memory_order_release); }

static bool may_be_near(const eb_heaps *t, uint32_t query, double s)
{
    return s <= atomic_load_explicit(&t->bound[query], memory_order_relaxed) && s <= t->most && s < INFINITY;
}

/* A row as far as the farthest may replace it, which does not change how far that is. */
static double bound_of(const eb_heaps *t, double farthest)
{
    return t->request->reach ? nextafter(farthest, -INFINITY) : farthest;
}

static void offer(eb_heaps *t, uint32_t query, size_t column, double s)
{
    const uint32_t row = t->row ? t->row[column] : (uint32_t)column;
    if (row == eb_knn_query_row(t->request, query) || (t->nobody && t->nobody[row]))
        return;
    enter(&t->busy[query]);
    eb_best best = {.k = t->k, .count = t->count[query], .near = t->near + query * t->k};
    eb_best_take(&best, (eb_near_row){s, row});
    t->count[query] = (uint32_t)best.count;
    if (best.count == t->k)
        atomic_store_explicit(&t->bound[query], bound_of(t, best.near[0].far), memory_order_relaxed);
    leave(&t->busy[query]);
}

static void offer_place(eb_heaps *t, size_t place, size_t column, double s)
{
    if (place < t->asking && may_be_near(t, t->query[place], s))
        offer(t, t->query[place], column, s);
}

/* ---- pairs from a join ---- */

/* Skips pairs with a query of an earlier group: that group had a larger radius, so the pair has come already. */
eb_code eb_heaps_hits(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                      eb_status *status)
{
    eb_heaps *t = context;
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

/* Within the group, each end of a pair has a row of its own. */
eb_code eb_heaps_row(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status)
{
    eb_heaps *t = context;
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

void eb_heaps_all(eb_heaps *t, uint32_t query, const double *s, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        if (may_be_near(t, query, s[j]))
            offer(t, query, j, s[j]);
    eb_heaps_end(t, query);
}

/* The end of the queries of the task that begins with `first`. */
static size_t end_of_task(const eb_heaps *t, size_t first)
{
    const size_t queries = eb_knn_queries(t->request);
    return queries - first < QUERIES_A_TASK ? queries : first + QUERIES_A_TASK;
}

static size_t tasks_of(const eb_heaps *t) { return (eb_knn_queries(t->request) + QUERIES_A_TASK - 1) / QUERIES_A_TASK; }

/* Turns a heap of s into distances in order. */
static void sort_one(const eb_heaps *t, size_t query)
{
    eb_best best = {.k = t->k, .count = t->count[query], .near = t->near + query * t->k};
    eb_best_sort(&best);
    for (size_t k = 0; k < t->k; k++)
        best.near[k] = k < best.count ? (eb_near_row){eb_distance_of(best.near[k].far, t->unit), best.near[k].row}
                                      : (eb_near_row){(double)INFINITY, EB_NO_POINT};
}

static eb_code sort_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const eb_heaps *t = context;
    const size_t first = (size_t)task * QUERIES_A_TASK, end = end_of_task(t, first);
    (void)thread, (void)status;
    for (size_t q = first; q < end; q++)
        sort_one(t, q);
    return EB_OK;
}

eb_code eb_heaps_sort(eb_heaps *heaps, unsigned threads, eb_job *job, eb_status *status)
{
    return eb_parallel(threads, tasks_of(heaps), sort_some, heaps, job, status);
}

/* ---- only how far ---- */

typedef struct reaching {
    const eb_heaps *heaps;
    double *out;
} reaching;

static double reach_of(const eb_heaps *t, size_t query)
{
    const double farthest = t->count[query] < t->k ? (double)INFINITY : t->near[query * t->k].far;
    return eb_smallest_eps_scaled(farthest > 0 ? farthest : 0, t->exponent);
}

static eb_code reach_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const reaching *r = context;
    const size_t first = (size_t)task * QUERIES_A_TASK, end = end_of_task(r->heaps, first);
    (void)thread, (void)status;
    for (size_t q = first; q < end; q++)
        r->out[q] = reach_of(r->heaps, q);
    return EB_OK;
}

eb_code eb_heaps_reach(const eb_heaps *heaps, unsigned threads, double *out, eb_job *job, eb_status *status)
{
    reaching r = {heaps, out};
    return eb_parallel(threads, tasks_of(heaps), reach_some, &r, job, status);
}
