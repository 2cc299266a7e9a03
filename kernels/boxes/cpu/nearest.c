/* nearest: the k nearest points of points. The query's own leaf first, then the tree of boxes from its top, nearer
 * boxes before farther ones, and none whose gap is beyond the k-th nearest so far. Queries of a leaf follow each other,
 * so that the boxes and leaves around them are in cache.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/knn/best.h"
#include "kernels/boxes/cpu/boxes.h"
#include "kernels/walk/isa.h"
#include "kernels/walk/tiles.h"

/* Indexed by eb_isa, the instruction set. */
static const eb_tile_mark marks[] = {eb_tile_mark_base, eb_tile_mark_avx2, eb_tile_mark_avx512};

enum { LEAVES_A_TASK = 16, MOST_WAITING = EB_MOST_LEVELS * EB_SIBLINGS };

typedef struct asking {
    const eb_boxes *boxes;
    const eb_nearest_rows *question;
    eb_tile_mark mark;
    double *query;     /* [threads][d] */
    eb_near_row *near; /* [threads][k] the heap of a thread's query: its place in the answer is not in cache */
} asking;

/* A box of a level whose points may be near. */
typedef struct box {
    double gap;
    uint32_t number, level;
} box;

typedef struct search {
    const asking *a;
    const double *query;
    uint32_t point, leaf; /* the query and its leaf */
    eb_best best;
    double bound; /* a larger s changes nothing */
    size_t waiting;
    box stack[MOST_WAITING]; /* the nearest of each family on top */
} search;

static void offer(search *s, uint32_t point, double far)
{
    const eb_nearest_rows *question = s->a->question;
    if (!(far <= s->bound) || point == s->point || (question->nobody && question->nobody[point]))
        return;
    eb_best_take(&s->best, (eb_near_row){far, point});
    if (s->best.count == s->best.k)
        s->bound = s->best.near[0].far;
}

static void look_at_leaf(search *s, uint32_t leaf)
{
    const eb_boxes *boxes = s->a->boxes;
    uint32_t points[EB_LEAF + EB_ROW_SLACK];
    double far[EB_LEAF + EB_ROW_SLACK];
    const eb_mark all = {leaf, (uint32_t)(((uint64_t)1 << eb_leaf_count(&boxes->leaves, leaf)) - 1)};
    const size_t count = boxes->kernels->take(&boxes->leaves, s->query, &all, 1, points, far);
    uint64_t near;
    s->a->mark(far, count, s->bound, &near);
    for (; near; near &= near - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(near);
        offer(s, points[k], far[k]);
    }
}

static bool may_have_some(const search *s, double gap) { return gap <= eb_box_limit(s->bound, s->a->boxes->leaves.d); }

/* Pushes the boxes of a family that may have near points. */
static void look_at_family(search *s, uint32_t level, uint32_t family)
{
    const eb_leaves *leaves = &s->a->boxes->leaves;
    const size_t first = (size_t)family * EB_SIBLINGS, left = leaves->level[level].boxes - first,
                 count = left < EB_SIBLINGS ? left : EB_SIBLINGS, below = s->waiting;
    double gaps[EB_SIBLINGS];
    s->a->boxes->kernels->gaps(eb_family_bounds(leaves, level, family, 0), leaves->d, s->query, gaps);
    for (uint32_t k = 0; k < count; k++) {
        size_t at = s->waiting;
        if (!may_have_some(s, gaps[k]))
            continue;
        for (; at > below && s->stack[at - 1].gap < gaps[k]; at--)
            s->stack[at] = s->stack[at - 1];
        s->stack[at] = (box){gaps[k], (uint32_t)first + k, level};
        s->waiting++;
    }
}

static void find_nearest(search *s)
{
    look_at_leaf(s, s->leaf);
    look_at_family(s, s->a->boxes->leaves.levels - 1, 0);
    while (s->waiting > 0) {
        const box next = s->stack[--s->waiting];
        if (!may_have_some(s, next.gap))
            continue;
        if (next.level > 0)
            look_at_family(s, next.level - 1, next.number);
        else if (next.number != s->leaf)
            look_at_leaf(s, next.number);
    }
}

static size_t ask_leaf(const asking *a, uint32_t leaf, unsigned thread)
{
    const eb_leaves *leaves = &a->boxes->leaves;
    const eb_nearest_rows *question = a->question;
    const size_t count = eb_leaf_count(leaves, leaf), k = question->k;
    double *query = a->query + thread * leaves->d;
    size_t asked = 0;
    for (unsigned lane = 0; lane < count; lane++) {
        const uint32_t point = leaves->point[(size_t)leaf * EB_LEAF + lane], number = question->query[point];
        if (number == EB_NO_POINT)
            continue;
        search s;
        s.a = a;
        s.query = query;
        s.point = point;
        s.leaf = leaf;
        s.best = (eb_best){.k = k, .near = a->near + thread * k};
        s.bound = fmin(question->most, DBL_MAX);
        s.waiting = 0;
        eb_boxes_query(leaves, leaf, lane, query);
        find_nearest(&s);
        memcpy(question->near + number * k, s.best.near, s.best.count * sizeof *s.best.near);
        question->count[number] = (uint32_t)s.best.count;
        asked++;
    }
    return asked;
}

static eb_code ask_leaves(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const asking *a = context;
    eb_job *job = a->boxes->finder.context->job;
    const size_t leaves = a->boxes->leaves.order.leaves, first = (size_t)task * LEAVES_A_TASK;
    size_t asked = 0;
    EB_TRY(eb_job_check(job, status));
    for (size_t leaf = first; leaf < first + LEAVES_A_TASK && leaf < leaves; leaf++)
        asked += ask_leaf(a, (uint32_t)leaf, thread);
    eb_job_advance(job, asked);
    return EB_OK;
}

eb_code eb_boxes_nearest(void *state, const eb_nearest_rows *question, eb_status *status)
{
    const eb_boxes *boxes = state;
    const eb_context *context = boxes->finder.context;
    const double start = eb_now_s();
    const size_t tasks = (boxes->leaves.order.leaves + LEAVES_A_TASK - 1) / LEAVES_A_TASK;
    asking a = {.boxes = boxes, .question = question, .mark = marks[eb_cpu_isa()]};
    a.query = malloc(context->threads * boxes->leaves.d * sizeof *a.query);
    a.near = malloc(context->threads * question->k * sizeof *a.near);
    const eb_code failed = a.query && a.near
                               ? eb_parallel(context->threads, tasks, ask_leaves, &a, context->job, status)
                               : eb_fail_memory(status, "the nearest of a query", question->k * sizeof *a.near);
    free(a.query);
    free(a.near);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}
