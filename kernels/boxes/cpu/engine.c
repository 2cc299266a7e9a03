/* engine: boxes on the CPU as an engine, and as a way of `exact`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/boxes/cpu/boxes.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

static const eb_figure order_s = {"order_s", "order and boxes", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- opening ---- */

#define SET(isa)                                                                                                       \
    {                                                                                                                  \
        .near = eb_boxes_near_##isa,                                                                                   \
        .mark = eb_boxes_mark_##isa,                                                                                   \
        .gaps = eb_boxes_gaps_##isa,                                                                                   \
        .take = eb_boxes_take_##isa,                                                                                   \
        .roots = eb_boxes_roots_##isa,                                                                                 \
        .rank = eb_boxes_rank_##isa,                                                                                   \
    }

/* Indexed by eb_isa, the instruction set. */
static const eb_boxes_kernels kernels[] = {SET(base), SET(avx2), SET(avx512)};

static eb_code suits(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    if (!eb_is_self_join(problem))
        return eb_fail(status, EB_NO_ENGINE, "boxes join a set with itself; expected one set, found two");
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "boxes have an order of their own; expected points as they are stored");
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
    return eb_fail(status, EB_NO_MEMORY, "points in leaves need %llu bytes; the limit is %llu",
                   (unsigned long long)needed, (unsigned long long)limit);
}

static const char *describe(const void *opened) { return ((const eb_boxes *)opened)->description; }

/* ---- a question ---- */

typedef struct collecting {
    const eb_boxes_search *search;
    const eb_collector *to;
} collecting;

/* Whole rows hold each pair twice, once for each end. If both ends are rows of the share, only the row of the smaller
 * end reports the pair. */
static bool is_ours(const collecting *c, uint32_t i, uint32_t j)
{
    return c->search->halves || (j != i && (j > i || !eb_is_row(c->to, j)));
}

static eb_code collect_row(const collecting *c, unsigned thread, uint32_t i, size_t count, eb_status *status)
{
    const eb_boxes_thread *mine = &c->search->threads[thread];
    if (c->to->pass) /* a distance pass has all rows, so that each pair comes once */
        return eb_collect_distances(c->to, thread, mine->s, count, status);
    for (size_t k = 0; k < count; k++)
        if (is_ours(c, i, mine->columns[k]))
            EB_TRY(eb_collect(c->to, thread, (eb_hit){.i = i, .j = mine->columns[k], .s = mine->s[k]}, status));
    return EB_OK;
}

static eb_code collect_leaf(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    const collecting *c = context;
    for (uint32_t q = 0; q < found->queries; q++) {
        const uint32_t count = found->points[q];
        if (eb_only_counts(c->to)) {
            eb_collect_entries(c->to, thread, c->search->halves ? 2 * (uint64_t)count : count - 1);
            continue;
        }
        EB_TRY(eb_boxes_take(c->search, thread, found, q, status));
        EB_TRY(collect_row(c, thread, eb_query_point(c->search->boxes, found, q), count, status));
    }
    return EB_OK;
}

static eb_code find(void *opened, const eb_question *question, const eb_collector *to, eb_status *status)
{
    eb_boxes_search search;
    eb_code failed;
    if (question->schedule.kind == EB_SCHEDULE_LIST)
        return eb_fail(status, EB_NO_ENGINE, "boxes make their own list of leaf pairs");
    EB_TRY(eb_boxes_begin(opened, question->eps, &to->share, &search, status));
    if (to->share.parts == 1 && to->sink && to->sink->place) {
        failed = eb_boxes_rows(&search, to->sink, status);
    } else {
        collecting c = {.search = &search, .to = to};
        search.halves = !to->some_rows;
        failed = eb_boxes_find(&search, collect_leaf, &c, status);
    }
    eb_boxes_end(&search);
    return failed;
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
{
    const double start = eb_now_s();
    EB_TRY(suits(problem, context, status));
    EB_TRY(check_limit(problem, context, status));
    eb_boxes *boxes = calloc(1, sizeof *boxes);
    if (!boxes)
        return eb_fail_memory(status, "boxes", sizeof *boxes);
    *boxes = (eb_boxes){.finder = {problem, context, find}, .kernels = &kernels[eb_cpu_isa()]};
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

/* ---- distances ---- */

enum { LEAVES_OF_QUERY = 1024 };

typedef struct measuring {
    const eb_boxes *boxes;
    const uint32_t *rows;
    double *out;
    size_t stretches; /* of LEAVES_OF_QUERY leaves, for each query */
    double *query;    /* [threads][d] */
} measuring;

static eb_code measure_stretch(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const measuring *m = context;
    const eb_leaves *leaves = &m->boxes->leaves;
    const eb_dataset *points = m->boxes->finder.problem->left;
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
    const eb_context *context = boxes->finder.context;
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

/* ---- the cost of a question ---- */

/* The rates are those of one thread of an AVX-512 machine (tests/bench/cpu.md). The estimate only has to show where
 * boxes stop being worthwhile. */
#define POINT_S 6e-8        /* ordering a point */
#define COORDINATE_S 1.5e-8 /* each coordinate of the point */
#define CANDIDATE_S 2e-10   /* computing a distance */
#define DIMENSION_S 1e-10   /* each dimension of the distance */
#define BOX_S 1e-9          /* testing a box against a query, or against 1/32 of a leaf */

enum { SAMPLED_LEAVES = 64 };

static double slowness(void)
{
    const eb_isa isa = eb_cpu_isa();
    return isa == EB_ISA_AVX512 ? 1 : isa == EB_ISA_AVX2 ? 1.1 : 8;
}

static double searching(double n, double d, double boxes, double candidates)
{
    return slowness() * n * (boxes * BOX_S * (1 + d / 8) + candidates * (CANDIDATE_S + DIMENSION_S * d));
}

/* A query is compared with all points of the leaves within ε. These are about the points in a ball of radius ε plus
 * half a leaf's width. In D dimensions a ball whose radius is the sum of the radii of two balls with a and b points
 * holds (a^(1/D) + b^(1/D))^D points. */
static double cost(const eb_estimate *estimate, const eb_context *context)
{
    const double n = (double)estimate->problem->left->n, d = (double)estimate->problem->left->d;
    const double within = 2 * eb_estimate_pairs(estimate, estimate->question->eps) / n + 1;
    const double dimension = fmax(eb_estimate_dimension(estimate), 1);
    const double met = pow(pow(within, 1 / dimension) + pow(EB_LEAF / 4.0, 1 / dimension), dimension);
    const double candidates = fmin(n, met);
    return (n * (POINT_S + COORDINATE_S * d) + searching(n, d, candidates / EB_LEAF, candidates)) /
           eb_deciding_threads(context);
}

static eb_code look(void *state, const eb_question *question, double *seconds, eb_status *status)
{
    const eb_boxes *boxes = state;
    const eb_share all = eb_share_rows(0, boxes->finder.problem->left->n);
    const size_t leaves = boxes->leaves.order.leaves, sampled = leaves < SAMPLED_LEAVES ? leaves : SAMPLED_LEAVES;
    eb_boxes_search search;
    eb_code failed = EB_OK;
    EB_TRY(eb_boxes_begin(boxes, question->eps, &all, &search, status));
    search.sampled = true;
    for (size_t k = 0; k < sampled && !failed; k++) {
        eb_leaf_marks found;
        failed = eb_boxes_find_leaf(&search, 0, (uint32_t)(k * leaves / sampled), &found, status);
    }
    const eb_effort effort = search.threads[0].effort;
    search.threads[0].effort = (eb_effort){0};
    eb_boxes_end(&search);
    const double n = (double)boxes->finder.problem->left->n, each = 1 / (double)sampled;
    *seconds = searching(n, (double)boxes->leaves.d, (double)effort.leaf_pairs * each,
                         (double)effort.leaves * EB_LEAF * each) /
               eb_deciding_threads(boxes->finder.context);
    return failed;
}

const eb_implementation eb_boxes_cpu = {
    .probe = eb_host_probe,
    .memory_needed = memory_needed,
    .open = open_state,
    .count = eb_collect_count,
    .join = eb_collect_join,
    .histogram = eb_collect_histogram,
    .distances = distances,
    .nearest_rows = eb_boxes_nearest,
    .close = close_state,
    .describe = describe,
};

const eb_way eb_way_boxes_cpu = {.name = "boxes", .run = &eb_boxes_cpu, .suits = suits, .cost = cost, .look = look};
