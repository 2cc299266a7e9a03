#include "core/cluster/dbscan.h"

#include <stdlib.h>

#include "core/cluster/gather.h"
#include "core/ranks/keep/clusters.h"
#include "core/ranks/ranks.h"

typedef struct clustering {
    eb_dbscan *out;
    eb_tree *forest; /* [n] */
    /* Core neighbours of points that are not core: those of point i are near[first[i]] … near[filled[i] − 1]. */
    uint64_t *first;          /* [n + 1] begin of the room for all its neighbours */
    _Atomic uint64_t *filled; /* [n] */
    uint32_t *near;
} clustering;

void eb_dbscan_free(eb_dbscan *found)
{
    free(found->label);
    free(found->neighbours);
    *found = (eb_dbscan){.n = 0};
}

/* ---- first pass: neighbour counts ---- */

static const char counting_phase[] = "counting neighbours", uniting_phase[] = "uniting core points";

/* Ranks send no pairs, but what they make of them. */
static eb_code count_pairs(eb_opened *opened, double eps, eb_gathering *g, eb_status *status)
{
    uint64_t none;
    const eb_ranks_grid asked = {.eps = &eps, .gathered = g, .most = UINT32_MAX, .left_out = &none};
    const eb_stream stream = {.eps = &eps,
                              .levels = 1,
                              .phase = counting_phase,
                              .both = true,
                              .consumer = eb_gather_counts,
                              .anew = eb_gather_anew,
                              .context = g};
    if (eb_ranks_of(opened) < 2)
        return eb_stream_run(opened, &stream, status);
    eb_job_phase(opened->context.job, counting_phase, g->n);
    return eb_ranks_gather_counts(opened, &asked, status);
}

eb_code eb_neighbour_counts(eb_opened *opened, double eps, uint32_t *counts, eb_status *status)
{
    eb_gathering g = {.n = opened->problem.left->n, .levels = 1};
    g.count = calloc(g.n, sizeof *g.count);
    if (!g.count)
        return eb_fail_memory(status, "the points' neighbours", g.n * sizeof *g.count);
    const eb_code failed = count_pairs(opened, eps, &g, status);
    for (size_t i = 0; i < g.n && !failed; i++)
        counts[i] = atomic_load_explicit(&g.count[i], memory_order_relaxed);
    free(g.count);
    return failed;
}

/* ---- second pass: core points ---- */

static void keep_near(clustering *c, uint32_t i, uint32_t core)
{
    c->near[atomic_fetch_add_explicit(&c->filled[i], 1, memory_order_relaxed)] = core;
}

static void unite_core(void *context, unsigned thread, const eb_link *links, size_t count)
{
    clustering *c = context;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = links[k].i, j = links[k].j;
        const bool core_i = eb_dbscan_is_core(c->out, i), core_j = eb_dbscan_is_core(c->out, j);
        if (core_i && core_j)
            (void)eb_forest_unite(c->forest, i, j);
        else if (core_i)
            keep_near(c, j, i);
        else if (core_j)
            keep_near(c, i, j);
    }
}

/* Clusters stay as they are: to unite points again changes nothing. */
static eb_code forget_near(void *context, eb_status *status)
{
    clustering *c = context;
    (void)status;
    for (size_t i = 0; i < c->out->n; i++)
        atomic_init(&c->filled[i], c->first[i]);
    return EB_OK;
}

static void take_near(void *context, uint32_t point, uint32_t core) { keep_near(context, point, core); }

static eb_code unite_by_ranks(clustering *c, eb_opened *opened, eb_status *status)
{
    const eb_dbscan *out = c->out;
    eb_gathering g = {.n = out->n, .levels = 1, .forest = c->forest, .core = malloc(out->n * sizeof *g.core)};
    const eb_ranks_grid asked = {.eps = &out->eps, .gathered = &g, .near = take_near, .context = c};
    if (!g.core)
        return eb_fail_memory(status, "the core points", out->n * sizeof *g.core);
    for (size_t i = 0; i < out->n; i++)
        g.core[i] = eb_dbscan_is_core(out, i) ? 0 : 1;
    eb_job_phase(opened->context.job, uniting_phase, out->n);
    const eb_code failed = eb_ranks_gather_core(opened, &asked, status);
    free(g.core);
    return failed;
}

static eb_code unite_all(clustering *c, eb_opened *opened, eb_status *status)
{
    const eb_stream stream = {.eps = &c->out->eps,
                              .levels = 1,
                              .phase = uniting_phase,
                              .consumer = unite_core,
                              .anew = forget_near,
                              .context = c};
    return eb_ranks_of(opened) > 1 ? unite_by_ranks(c, opened, status) : eb_stream_run(opened, &stream, status);
}

/* Allocates room for the neighbours of points that are not core. */
static eb_code make_room(clustering *c, uint64_t memory_limit, eb_status *status)
{
    const eb_dbscan *out = c->out;
    uint64_t entries = 0;
    for (size_t i = 0; i < out->n; i++) {
        c->first[i] = entries;
        atomic_init(&c->filled[i], entries);
        entries += eb_dbscan_is_core(out, i) ? 0 : out->neighbours[i];
    }
    c->first[out->n] = entries;
    uint64_t bytes = entries * sizeof *c->near;
    if (memory_limit && bytes > memory_limit)
        return eb_fail(status, EB_NO_MEMORY,
                       "the neighbours of points that are not core at minpts=%zu need %llu bytes; the limit is %llu",
                       out->min_points, (unsigned long long)bytes, (unsigned long long)memory_limit);
    c->near = malloc(bytes ? bytes : 1);
    return c->near ? EB_OK : eb_fail_memory(status, "neighbours of points that are not core", bytes);
}

/* ---- labels ---- */

static void label_core(clustering *c)
{
    eb_dbscan *out = c->out;
    for (size_t i = 0; i < out->n; i++) {
        out->label[i] = EB_NOISE;
        if (!eb_dbscan_is_core(out, i))
            continue;
        uint32_t root = eb_forest_root(c->forest, (uint32_t)i); /* smallest of its cluster: labelled already */
        out->label[i] = root == i ? (int32_t)out->clusters++ : out->label[root];
        out->core++;
    }
}

static void label_others(clustering *c)
{
    eb_dbscan *out = c->out;
    for (size_t i = 0; i < out->n; i++) {
        const uint64_t end = atomic_load_explicit(&c->filled[i], memory_order_relaxed);
        int32_t label = EB_NOISE;
        if (eb_dbscan_is_core(out, i))
            continue;
        for (uint64_t k = c->first[i]; k < end; k++) {
            int32_t near = out->label[c->near[k]];
            label = label == EB_NOISE || near < label ? near : label;
        }
        out->label[i] = label;
        out->border += label != EB_NOISE;
        out->noise += label == EB_NOISE;
    }
}

static eb_code find(clustering *c, eb_opened *opened, uint64_t memory_limit, eb_status *status)
{
    eb_dbscan *out = c->out;
    EB_TRY(eb_neighbour_counts(opened, out->eps, out->neighbours, status));
    out->pairs = out->n;
    for (size_t i = 0; i < out->n; i++)
        out->pairs += out->neighbours[i];
    EB_TRY(make_room(c, memory_limit, status));
    eb_forest_plant(c->forest, out->n, 1);
    EB_TRY(unite_all(c, opened, status));
    out->passes = 2;
    label_core(c);
    label_others(c);
    return EB_OK;
}

eb_code eb_dbscan_find(eb_opened *opened, double eps, size_t min_points, uint64_t memory_limit, eb_dbscan *out,
                       eb_status *status)
{
    size_t n = opened->problem.left->n;
    *out = (eb_dbscan){.n = n, .min_points = min_points, .eps = eps};
    if (min_points == 0)
        return eb_fail(status, EB_USAGE, "minpts counts the point itself, so it is 1 or more");
    out->label = calloc(n, sizeof *out->label);
    out->neighbours = calloc(n, sizeof *out->neighbours);
    clustering c = {.out = out};
    c.forest = calloc(n, sizeof *c.forest);
    c.first = calloc(n + 1, sizeof *c.first);
    c.filled = calloc(n, sizeof *c.filled);
    eb_code failed = out->label && out->neighbours && c.forest && c.first && c.filled
                         ? find(&c, opened, memory_limit, status)
                         : eb_fail_memory(status, "the labels", 28 * (uint64_t)n);
    free(c.forest);
    free(c.first);
    free(c.filled);
    free(c.near);
    if (failed)
        eb_dbscan_free(out);
    return failed;
}
