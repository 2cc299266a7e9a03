#include "core/cluster/density.h"

#include <stdlib.h>

#include "core/cluster/forest.h"
#include "core/cluster/stream.h"

/* Levels count from 0, the smallest ε. `levels` stands for "never". */
typedef struct grid {
    size_t n, levels, min_points;
    eb_density *out;
    _Atomic uint32_t *count; /* [n × levels] pairs of a point that enter at this level */
    eb_tree *forest;         /* [levels × n] */
    uint32_t *core;          /* [n] level from which on the point is core */
    _Atomic uint32_t *reach; /* [n] level from which on the point is not noise */
    uint32_t *members;       /* [n] */
} grid;

uint64_t eb_density_bytes(size_t n, size_t levels)
{
    const uint64_t most = UINT64_MAX / 16;
    return n > 0 && levels + 2 > most / n ? UINT64_MAX : 8 * (uint64_t)n * levels + 12 * (uint64_t)n;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- first pass: neighbours and components ---- */

static void count_links(void *context, unsigned thread, const eb_link *links, size_t count)
{
    grid *g = context;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const eb_link *link = &links[k];
        (void)atomic_fetch_add_explicit(&g->count[link->i * g->levels + link->level], 1, memory_order_relaxed);
        (void)atomic_fetch_add_explicit(&g->count[link->j * g->levels + link->level], 1, memory_order_relaxed);
        eb_forest_unite(g->forest + link->level * g->n, link->i, link->j);
    }
}

/* Points connected at one ε are connected at every larger one. */
static void hand_on(grid *g)
{
    for (size_t level = 1; level < g->levels; level++) {
        eb_tree *before = g->forest + (level - 1) * g->n, *here = g->forest + level * g->n;
        for (size_t i = 0; i < g->n; i++)
            eb_forest_unite(here, (uint32_t)i, eb_forest_root(before, (uint32_t)i));
    }
}

static void count_components(grid *g)
{
    for (size_t level = 0; level < g->levels; level++) {
        eb_tree *forest = g->forest + level * g->n;
        for (size_t i = 0; i < g->n; i++)
            g->out[level].components += eb_forest_root(forest, (uint32_t)i) == i;
    }
}

static void find_core(grid *g)
{
    for (size_t i = 0; i < g->n; i++) {
        uint64_t within = 1; /* the point itself */
        g->core[i] = (uint32_t)g->levels;
        for (size_t level = 0; level < g->levels; level++) {
            within += atomic_load_explicit(&g->count[i * g->levels + level], memory_order_relaxed);
            g->out[level].pairs += within;
            if (within >= g->min_points && g->core[i] == g->levels)
                g->core[i] = (uint32_t)level;
        }
        atomic_init(&g->reach[i], g->core[i]);
    }
}

/* ---- second pass: clusters and noise ---- */

static void lower_to(_Atomic uint32_t *value, uint32_t to)
{
    uint32_t is = atomic_load_explicit(value, memory_order_relaxed);
    while (to < is &&
           !atomic_compare_exchange_weak_explicit(value, &is, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void unite_core(void *context, unsigned thread, const eb_link *links, size_t count)
{
    grid *g = context;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = links[k].i, j = links[k].j;
        const uint32_t from_i = later(links[k].level, g->core[i]), from_j = later(links[k].level, g->core[j]);
        const uint32_t level = later(from_i, from_j);
        lower_to(&g->reach[j], from_i);
        lower_to(&g->reach[i], from_j);
        if (level < g->levels)
            eb_forest_unite(g->forest + level * g->n, i, j);
    }
}

/* The root of a cluster is core itself, because only core points are united. */
static void count_clusters(grid *g)
{
    for (size_t level = 0; level < g->levels; level++) {
        eb_density *out = &g->out[level];
        eb_tree *forest = g->forest + level * g->n;
        for (size_t i = 0; i < g->n; i++)
            g->members[i] = 0;
        for (size_t i = 0; i < g->n; i++) {
            out->noise += atomic_load_explicit(&g->reach[i], memory_order_relaxed) > level;
            if (g->core[i] > level)
                continue;
            uint32_t root = eb_forest_root(forest, (uint32_t)i);
            out->core++;
            out->clusters += root == i;
            out->largest = ++g->members[root] > out->largest ? g->members[root] : out->largest;
        }
    }
}

/* ---- both passes ---- */

static eb_code pass_over(grid *g, eb_opened *opened, const double *eps, const char *phase, eb_link_consumer consumer,
                         eb_status *status)
{
    const eb_stream stream = {.eps = eps, .levels = g->levels, .phase = phase, .consumer = consumer, .context = g};
    eb_forest_plant(g->forest, g->n, g->levels);
    EB_TRY(eb_stream_run(opened, &stream, status));
    hand_on(g);
    return EB_OK;
}

static eb_code find(grid *g, eb_opened *opened, const double *eps, unsigned *passes, eb_status *status)
{
    EB_TRY(pass_over(g, opened, eps, "counting neighbours", count_links, status));
    *passes = 1;
    count_components(g);
    find_core(g);
    if (g->min_points > 2) {
        EB_TRY(pass_over(g, opened, eps, "uniting core points", unite_core, status));
        *passes = 2;
    }
    count_clusters(g);
    return EB_OK;
}

eb_code eb_density_find(eb_opened *opened, const double *eps, size_t levels, size_t min_points, eb_density *out,
                        unsigned *passes, eb_status *status)
{
    size_t n = opened->problem.left->n;
    *passes = 0;
    if (min_points == 0 || levels == 0)
        return eb_fail(status, EB_USAGE, "minpts counts the point itself, so it is 1 or more, and there must be an ε");
    grid g = {.n = n, .levels = levels, .min_points = min_points, .out = out};
    g.count = calloc(n * levels, sizeof *g.count);
    g.forest = calloc(n * levels, sizeof *g.forest);
    g.core = calloc(n, sizeof *g.core);
    g.reach = calloc(n, sizeof *g.reach);
    g.members = calloc(n, sizeof *g.members);
    eb_code failed = EB_OK;
    for (size_t level = 0; level < levels; level++)
        out[level] = (eb_density){.eps = eps[level]};
    if (g.count && g.forest && g.core && g.reach && g.members)
        failed = find(&g, opened, eps, passes, status);
    else
        failed = eb_fail_memory(status, "the grid of ε", eb_density_bytes(n, levels));
    free(g.count);
    free(g.forest);
    free(g.core);
    free(g.reach);
    free(g.members);
    return failed;
}
