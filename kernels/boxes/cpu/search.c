/* search: finds, for each leaf, the points within ε of its points. */
#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/join/row_sort.h"
#include "kernels/boxes/cpu/boxes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAVES_A_TASK = 4 };

static const eb_figure leaf_pairs = {"leaf_pairs", "leaf pairs looked at", EB_PLAIN, EB_FIGURE_FACT, 0};
static const eb_figure candidates = {"candidates", "distances computed", EB_PLAIN, EB_FIGURE_FACT, 0};

/* ---- buffers ---- */

static void free_row(eb_boxes_thread *t)
{
    free(t->columns);
    free(t->sorted_columns);
    free(t->rank);
    free(t->sort_room);
    free(t->s);
    free(t->sorted_s);
}

static void free_thread(eb_boxes_thread *t)
{
    free(t->near.leaf);
    free(t->near.families);
    free(t->near.bounds);
    free(t->query);
    free(t->marks);
    free_row(t);
}

static eb_code new_thread(const eb_leaves *leaves, eb_boxes_thread *t, eb_status *status)
{
    const size_t bytes = leaves->order.leaves * sizeof *t->near.leaf;
    t->near.leaf = malloc(bytes);
    t->near.families = malloc(bytes);
    t->query = malloc(leaves->d * sizeof *t->query);
    return t->near.leaf && t->near.families && t->query ? EB_OK : eb_fail_memory(status, "leaves within ε", bytes);
}

eb_code eb_boxes_begin(const eb_boxes *boxes, double eps, const eb_share *share, eb_boxes_search *out,
                       eb_status *status)
{
    const unsigned threads = boxes->finder.context->threads;
    *out = (eb_boxes_search){.boxes = boxes, .limit = eb_squared_threshold(eps), .share = *share};
    out->threads = calloc(threads, sizeof *out->threads);
    if (!out->threads)
        return eb_fail_memory(status, "threads' room", threads * sizeof *out->threads);
    eb_code failed = EB_OK;
    for (unsigned t = 0; t < threads && !failed; t++)
        failed = new_thread(&boxes->leaves, &out->threads[t], status);
    if (failed)
        eb_boxes_end(out);
    return failed;
}

void eb_boxes_end(eb_boxes_search *search)
{
    const eb_context *context = search->boxes->finder.context;
    double pairs = 0, distances = 0;
    for (unsigned t = 0; t < context->threads; t++) {
        pairs += (double)search->threads[t].effort.leaf_pairs;
        distances += (double)search->threads[t].effort.leaves * EB_LEAF;
        free_thread(&search->threads[t]);
    }
    free(search->threads);
    search->threads = NULL;
    eb_figures_add(context->figures, &leaf_pairs, pairs);
    eb_figures_add(context->figures, &candidates, distances);
}

static eb_code room_for_row(eb_boxes_thread *t, size_t count, eb_status *status)
{
    if (count <= t->row_room)
        return EB_OK;
    const size_t room = count + count / 4, slots = room + EB_ROW_SLACK;
    free_row(t);
    t->row_room = 0;
    t->columns = malloc(slots * sizeof *t->columns);
    t->sorted_columns = malloc(slots * sizeof *t->sorted_columns);
    t->rank = malloc(slots * sizeof *t->rank);
    t->sort_room = malloc(eb_row_sort_scratch_bytes(slots, EB_DISTANCES_F64));
    t->s = malloc(slots * sizeof *t->s);
    t->sorted_s = malloc(slots * sizeof *t->sorted_s);
    if (!t->columns || !t->sorted_columns || !t->rank || !t->sort_room || !t->s || !t->sorted_s)
        return eb_fail_memory(status, "a row of the neighbour table", slots * 40);
    t->row_room = room;
    return EB_OK;
}

static eb_code room_for_marks(eb_boxes_thread *t, size_t count, eb_status *status)
{
    if (count <= t->mark_room)
        return EB_OK;
    const size_t room = 2 * count;
    eb_mark *marks = realloc(t->marks, room * sizeof *marks);
    if (!marks)
        return eb_fail_memory(status, "leaves within ε", room * sizeof *marks);
    t->marks = marks;
    t->mark_room = room;
    return EB_OK;
}

/* ---- leaves near a leaf ---- */

static eb_code room_for_bounds(eb_near *near, size_t d, eb_status *status)
{
    if (near->count <= near->room)
        return EB_OK;
    const size_t room = (near->count + near->count / 4 + EB_SIBLINGS - 1) / EB_SIBLINGS * EB_SIBLINGS;
    free(near->bounds);
    near->room = 0;
    near->bounds = malloc(room * 2 * d * sizeof *near->bounds);
    if (!near->bounds)
        return eb_fail_memory(status, "boxes within ε", room * 2 * d * sizeof *near->bounds);
    near->room = room;
    return EB_OK;
}

/* Copies the boxes of the near leaves side by side, so that a query tests no others. */
static void gather_bounds(const eb_leaves *leaves, const eb_near *near)
{
    const size_t d = leaves->d;
    for (size_t j = 0; j < near->count; j++) {
        const uint32_t leaf = near->leaf[j];
        const double *from = eb_family_bounds(leaves, 0, leaf / EB_SIBLINGS, 0) + leaf % EB_SIBLINGS;
        double *to = near->bounds + j / EB_SIBLINGS * 2 * EB_SIBLINGS * d + j % EB_SIBLINGS;
        for (size_t k = 0; k < 2 * d; k++)
            to[k * EB_SIBLINGS] = from[k * EB_SIBLINGS];
    }
    for (size_t j = near->count; j % EB_SIBLINGS; j++) /* computed with, but their results are not used */
        for (size_t k = 0; k < 2 * d; k++)
            near->bounds[(j / EB_SIBLINGS * 2 * d + k) * EB_SIBLINGS + j % EB_SIBLINGS] = 0;
}

/* ---- queries ---- */

static bool is_row(const eb_share *share, uint32_t point)
{
    return point - share->row_begin < share->row_end - share->row_begin;
}

static void find_queries(const eb_boxes_search *search, uint32_t leaf, eb_leaf_marks *out)
{
    const eb_leaves *leaves = &search->boxes->leaves;
    const uint32_t *point = leaves->point + (size_t)leaf * EB_LEAF;
    const size_t count = eb_leaf_count(leaves, leaf);
    out->leaf = leaf;
    out->queries = 0;
    for (size_t lane = 0; lane < count && !(search->sampled && out->queries); lane++)
        if (is_row(&search->share, point[lane]))
            out->lane[out->queries++] = (uint8_t)lane;
}

/* Drops the query itself and the points before it in its own leaf, whose queries find these pairs. */
static void drop_lower(eb_leaf_marks *found, uint32_t q, eb_mark *first)
{
    const uint32_t lower = (uint32_t)(((uint64_t)2 << found->lane[q]) - 1);
    if (found->begin[q] == found->begin[q + 1] || first->leaf != found->leaf)
        return;
    found->points[q] -= (unsigned)__builtin_popcount(first->lanes & lower);
    first->lanes &= ~lower;
}

eb_code eb_boxes_find_leaf(const eb_boxes_search *search, unsigned thread, uint32_t leaf, eb_leaf_marks *out,
                           eb_status *status)
{
    const eb_boxes *boxes = search->boxes;
    eb_boxes_thread *mine = &search->threads[thread];
    find_queries(search, leaf, out);
    out->begin[0] = 0;
    out->marks = NULL;
    if (out->queries == 0)
        return EB_OK;
    boxes->kernels->near(&boxes->leaves, leaf, search->halves ? leaf : 0, search->limit, &mine->near);
    mine->effort.leaf_pairs += mine->near.count;
    EB_TRY(room_for_bounds(&mine->near, boxes->leaves.d, status));
    gather_bounds(&boxes->leaves, &mine->near);
    for (uint32_t q = 0; q < out->queries; q++) {
        const size_t before = out->begin[q];
        EB_TRY(room_for_marks(mine, before + mine->near.count, status));
        eb_boxes_query(&boxes->leaves, leaf, out->lane[q], mine->query);
        const size_t count = boxes->kernels->mark(&boxes->leaves, &mine->near, mine->query, search->limit,
                                                  mine->marks + before, &out->points[q], &mine->effort);
        out->begin[q + 1] = (uint32_t)(before + count);
        if (search->halves)
            drop_lower(out, q, mine->marks + before);
    }
    out->marks = mine->marks;
    return EB_OK;
}

eb_code eb_boxes_take(const eb_boxes_search *search, unsigned thread, const eb_leaf_marks *found, uint32_t query,
                      eb_status *status)
{
    const eb_boxes *boxes = search->boxes;
    eb_boxes_thread *mine = &search->threads[thread];
    const eb_mark *marks = found->marks + found->begin[query];
    const size_t marked = found->begin[query + 1] - found->begin[query];
    EB_TRY(room_for_row(mine, found->points[query], status));
    eb_boxes_query(&boxes->leaves, found->leaf, found->lane[query], mine->query);
    (void)boxes->kernels->take(&boxes->leaves, mine->query, marks, marked, mine->columns, mine->s);
    return EB_OK;
}

/* ---- all leaves ---- */

typedef struct finding {
    const eb_boxes_search *search;
    eb_marks_callback callback;
    void *context;
} finding;

static eb_code find_leaves(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const finding *f = context;
    const eb_boxes_search *search = f->search;
    const size_t leaves = search->boxes->leaves.order.leaves;
    for (size_t k = 0; k < LEAVES_A_TASK; k++) {
        const size_t leaf = (size_t)task * LEAVES_A_TASK + k;
        eb_leaf_marks found;
        if (leaf >= leaves || leaf % search->share.parts != search->share.part)
            continue;
        EB_TRY(eb_job_check(search->boxes->finder.context->job, status));
        EB_TRY(eb_boxes_find_leaf(search, thread, (uint32_t)leaf, &found, status));
        EB_TRY(f->callback(f->context, thread, &found, status));
        eb_job_advance(search->boxes->finder.context->job, search->followed ? found.queries / 2 : found.queries);
    }
    return EB_OK;
}

eb_code eb_boxes_find(const eb_boxes_search *search, eb_marks_callback callback, void *context, eb_status *status)
{
    finding f = {.search = search, .callback = callback, .context = context};
    const double start = eb_now_s();
    const eb_context *with = search->boxes->finder.context;
    const size_t leaves = search->boxes->leaves.order.leaves;
    const eb_code failed =
        eb_parallel(with->threads, (leaves + LEAVES_A_TASK - 1) / LEAVES_A_TASK, find_leaves, &f, with->job, status);
    eb_figures_add(with->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}
