#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "kernels/boxes/cpu/boxes.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"
#include "kernels/walk/tally.h"

static const eb_figure order_s = {"order_s", "order and boxes", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- opening ---- */

static eb_code suits(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    if (!eb_is_self_join(problem))
        return eb_fail(status, EB_NO_ENGINE, "boxes join a set with itself; expected one set, found two");
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "boxes bring an order of their own; expected points as they are stored");
    return EB_OK;
}

static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return eb_leaves_bytes(n, d);
}

static void close_state(void *opened)
{
    eb_boxes *boxes = opened;
    if (!boxes)
        return;
    eb_leaves_free(&boxes->leaves);
    free(boxes);
}

static eb_code check_limit(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    const uint64_t needed = eb_leaves_bytes(problem->left->n, problem->left->d), limit = context->memory_limit;
    if (limit == 0 || needed <= limit)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY, "points in leaves need %llu bytes, of which there are %llu",
                   (unsigned long long)needed, (unsigned long long)limit);
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
{
    const double start = eb_now_s();
    EB_TRY(suits(problem, context, status));
    EB_TRY(check_limit(problem, context, status));
    eb_boxes *boxes = calloc(1, sizeof *boxes);
    if (!boxes)
        return eb_fail_memory(status, "boxes", sizeof *boxes);
    *boxes = (eb_boxes){.problem = problem, .context = context, .kernels = eb_boxes_kernels_here()};
    const eb_code failed = eb_leaves_make(problem->left, context->threads, context->job, &boxes->leaves, status);
    if (failed) {
        close_state(boxes);
        return failed;
    }
    (void)snprintf(boxes->description, sizeof boxes->description, "FP64 within boxes of %u points (%s)", EB_LEAF,
                   eb_isa_name(eb_cpu_isa()));
    eb_figures_add(context->figures, &order_s, eb_now_s() - start);
    *out = boxes;
    return EB_OK;
}

static const char *describe(const void *opened) { return ((const eb_boxes *)opened)->description; }

static eb_code begin(const eb_boxes *boxes, const eb_question *question, const eb_share *share, eb_boxes_search *search,
                     eb_status *status)
{
    EB_TRY(eb_question_check(question, share, boxes->problem, status));
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "boxes make their own list of leaf pairs");
    EB_TRY(eb_boxes_begin(boxes, question->eps, share, search, status));
    search->halves = share->row_begin == 0 && share->row_end == boxes->problem->left->n;
    return EB_OK;
}

/* ---- count ---- */

typedef struct count_of_thread {
    _Alignas(64) uint64_t entries;
} count_of_thread;

typedef struct counting {
    const eb_boxes_search *search;
    count_of_thread *threads;
} counting;

static eb_code count_leaf(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    (void)status;
    const counting *c = context;
    uint64_t entries = 0;
    for (uint32_t q = 0; q < found->queries; q++)
        entries += found->points[q];
    c->threads[thread].entries += c->search->halves ? 2 * entries + found->queries : entries;
    return EB_OK;
}

static eb_code count_search(const eb_boxes_search *search, uint64_t *entries, eb_status *status)
{
    const unsigned threads = search->boxes->context->threads;
    counting c = {.search = search, .threads = aligned_alloc(64, threads * sizeof *c.threads)};
    if (!c.threads)
        return eb_fail_memory(status, "threads' counts", threads * sizeof *c.threads);
    for (unsigned t = 0; t < threads; t++)
        c.threads[t].entries = 0;
    const eb_code failed = eb_boxes_find(search, count_leaf, &c, status);
    *entries = 0;
    for (unsigned t = 0; t < threads; t++)
        *entries += c.threads[t].entries;
    free(c.threads);
    return failed;
}

static eb_code count(void *opened, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    eb_boxes_search search;
    EB_TRY(begin(opened, question, share, &search, status));
    const eb_code failed = count_search(&search, entries, status);
    eb_boxes_end(&search);
    return failed;
}

/* ---- join ---- */

typedef struct hitting {
    const eb_boxes_search *search;
    const eb_sink *sink;
} hitting;

/* Of a whole row, a point in the share's rows with a lower number has this pair, too, and gives it. */
static bool is_ours(const eb_boxes_search *search, uint32_t i, uint32_t j)
{
    const eb_share *share = &search->share;
    return search->halves || j < share->row_begin || j >= share->row_end || j > i;
}

static eb_code give_query(const hitting *h, unsigned thread, uint32_t i, size_t count, eb_status *status)
{
    enum { BATCH = 512 };
    eb_hit hits[BATCH];
    const eb_boxes_thread *mine = &h->search->threads[thread];
    size_t filled = 0;
    for (size_t k = 0; k < count; k++) {
        if (mine->columns[k] == i || !is_ours(h->search, i, mine->columns[k]))
            continue;
        hits[filled++] = (eb_hit){.i = i, .j = mine->columns[k], .s = mine->s[k]};
        if (filled < BATCH)
            continue;
        EB_TRY(h->sink->hits(h->sink->context, thread, hits, filled, status));
        filled = 0;
    }
    return filled ? h->sink->hits(h->sink->context, thread, hits, filled, status) : EB_OK;
}

static eb_code give_hits(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    const hitting *h = context;
    for (uint32_t q = 0; q < found->queries; q++) {
        EB_TRY(eb_boxes_take(h->search, thread, found, q, status));
        EB_TRY(give_query(h, thread, eb_query_point(h->search->boxes, found, q), found->points[q], status));
    }
    return EB_OK;
}

static eb_code join(void *opened, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    eb_boxes_search search;
    eb_code failed;
    EB_TRY(begin(opened, question, share, &search, status));
    if (share->parts == 1 && sink->place) {
        search.halves = false;
        failed = eb_boxes_rows(&search, sink, status);
    } else {
        hitting h = {.search = &search, .sink = sink};
        failed = eb_boxes_find(&search, give_hits, &h, status);
    }
    eb_boxes_end(&search);
    return failed;
}

/* ---- histogram ---- */

typedef struct tallying {
    const eb_boxes_search *search;
    eb_tally *tally;
} tallying;

static eb_code tally_leaf(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    const tallying *t = context;
    for (uint32_t q = 0; q < found->queries; q++) {
        EB_TRY(eb_boxes_take(t->search, thread, found, q, status));
        EB_TRY(eb_tally_take(t->tally, thread, t->search->threads[thread].s, found->points[q], status));
    }
    return EB_OK;
}

static eb_code tally_search(const eb_boxes_search *search, eb_distance_pass *pass, eb_status *status)
{
    tallying t = {.search = search};
    EB_TRY(eb_tally_new(pass, search->boxes->context->threads, &t.tally, status));
    eb_code failed = eb_boxes_find(search, tally_leaf, &t, status);
    if (!failed)
        failed = eb_tally_finish(t.tally, pass, status);
    eb_tally_free(t.tally);
    return failed;
}

static eb_code histogram(void *opened, eb_distance_pass *pass, eb_status *status)
{
    const eb_boxes *boxes = opened;
    eb_boxes_search search;
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    const eb_question question = {.eps = pass->eps[pass->edges - 1]};
    const eb_share whole = eb_share_whole(boxes->problem);
    EB_TRY(begin(boxes, &question, &whole, &search, status));
    const eb_code failed = tally_search(&search, pass, status);
    eb_boxes_end(&search);
    return failed;
}

/* ---- distances ---- */

enum { LEAVES_OF_QUERY = 1024 };

typedef struct measuring {
    const eb_boxes *boxes;
    const uint32_t *rows;
    double *out;
    size_t stretches; /* of LEAVES_OF_QUERY leaves, a query */
    double *query;    /* [threads][d] */
} measuring;

static eb_code measure_stretch(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const measuring *m = context;
    const eb_leaves *leaves = &m->boxes->leaves;
    const eb_dataset *points = m->boxes->problem->left;
    const size_t q = (size_t)(task / m->stretches), first = (size_t)(task % m->stretches) * LEAVES_OF_QUERY;
    double *query = m->query + thread * leaves->d, *out = m->out + q * points->n;
    eb_to_f64(points->dtype, eb_row(points, m->rows[q]), leaves->d, query);
    for (size_t leaf = first; leaf < first + LEAVES_OF_QUERY && leaf < leaves->order.leaves; leaf++) {
        uint32_t columns[EB_LEAF + EB_ROW_SLACK];
        double s[EB_LEAF + EB_ROW_SLACK];
        const size_t points_here = eb_leaf_count(leaves, leaf);
        const eb_mark all = {(uint32_t)leaf, (uint32_t)(((uint64_t)1 << points_here) - 1)};
        const size_t count = m->boxes->kernels->take(leaves, query, &all, 1, columns, s);
        for (size_t k = 0; k < count; k++)
            out[columns[k]] = s[k];
    }
    return EB_OK;
}

static eb_code distances(void *opened, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const eb_boxes *boxes = opened;
    const eb_context *context = boxes->context;
    const double start = eb_now_s();
    measuring w = {.boxes = boxes,
                   .rows = rows,
                   .out = out,
                   .stretches = (boxes->leaves.order.leaves + LEAVES_OF_QUERY - 1) / LEAVES_OF_QUERY,
                   .query = malloc(context->threads * boxes->leaves.d * sizeof *w.query)};
    if (!w.query)
        return eb_fail_memory(status, "queries", context->threads * boxes->leaves.d * sizeof *w.query);
    const eb_code failed = eb_parallel(context->threads, m * w.stretches, measure_stretch, &w, context->job, status);
    free(w.query);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}

const eb_implementation eb_boxes_cpu = {
    .probe = eb_host_probe,
    .memory_needed = memory_needed,
    .open = open_state,
    .count = count,
    .join = join,
    .histogram = histogram,
    .distances = distances,
    .close = close_state,
    .describe = describe,
};

const eb_way eb_way_boxes_cpu = {.name = "boxes",
                                 .run = &eb_boxes_cpu,
                                 .suits = suits,
                                 .cost = eb_boxes_cost,
                                 .look = eb_boxes_look};
