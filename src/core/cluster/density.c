#include "core/cluster/density.h"

#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/cluster/forest.h"
#include "core/cluster/stream.h"

enum { POINTS_A_TASK = 1 << 15, KEPT_ROOTS = 256 };

/* Levels count from 0, the smallest ε. `levels` stands for "never". */
typedef struct grid {
    size_t n, levels, min_points;
    unsigned threads;
    eb_job *job;
    eb_density *out;
    _Atomic uint32_t *count;      /* [n × levels] pairs of a point that enter at this level */
    eb_tree *forest;              /* [levels × n] */
    uint32_t *core;               /* [n] level from which on the point is core */
    _Atomic uint32_t *reach;      /* [n] level from which on the point is not noise */
    _Atomic uint32_t *members[2]; /* [n] core points of each root's cluster; levels take turns */
    uint64_t *pairs;              /* [threads × levels] pairs that enter at this level */
} grid;

uint64_t eb_density_bytes(size_t n, size_t levels)
{
    const uint64_t most = UINT64_MAX / 16;
    return n > 0 && levels + 2 > most / n ? UINT64_MAX : 8 * (uint64_t)n * levels + 12 * (uint64_t)n;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- first pass: neighbours and components ---- */

/* A pair comes both ways. */
static void count_links(void *context, unsigned thread, const eb_link *links, size_t count)
{
    grid *g = context;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const eb_link *link = &links[k];
        (void)atomic_fetch_add_explicit(&g->count[link->i * g->levels + link->level], 1, memory_order_relaxed);
        if (link->i < link->j)
            eb_forest_unite(g->forest + link->level * g->n, link->i, link->j);
    }
}

/* Runs a body for each stretch of points. */
static eb_code for_all_points(grid *g, eb_parallel_body body, void *context, eb_status *status)
{
    return eb_parallel(g->threads, (g->n + POINTS_A_TASK - 1) / POINTS_A_TASK, body, context, g->job, status);
}

static size_t points_end(const grid *g, uint64_t task)
{
    const size_t begin = (size_t)task * POINTS_A_TASK;
    return g->n - begin < POINTS_A_TASK ? g->n : begin + POINTS_A_TASK;
}

static eb_code find_core_of(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    grid *g = context;
    uint64_t *pairs = g->pairs + thread * g->levels;
    (void)status;
    for (size_t i = (size_t)task * POINTS_A_TASK; i < points_end(g, task); i++) {
        uint64_t within = 1; /* the point itself */
        g->core[i] = (uint32_t)g->levels;
        for (size_t level = 0; level < g->levels; level++) {
            const uint32_t entering = atomic_load_explicit(&g->count[i * g->levels + level], memory_order_relaxed);
            within += entering;
            pairs[level] += entering;
            if (within >= g->min_points && g->core[i] == g->levels)
                g->core[i] = (uint32_t)level;
        }
        atomic_init(&g->reach[i], g->core[i]);
    }
    return EB_OK;
}

static eb_code find_core(grid *g, eb_status *status)
{
    uint64_t within = g->n;
    EB_TRY(for_all_points(g, find_core_of, g, status));
    for (size_t level = 0; level < g->levels; level++) {
        for (size_t thread = 0; thread < g->threads; thread++)
            within += g->pairs[thread * g->levels + level];
        g->out[level].pairs = within;
    }
    return EB_OK;
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

/* ---- what a finished pass says, level by level ---- */

typedef struct counting {
    grid *g;
    size_t level;
    bool clusters_too; /* not only components */
    _Atomic uint64_t roots, core, clusters, largest, noise;
} counting;

/* Core points counted for a few roots, so that threads seldom meet at the largest cluster's. */
typedef struct kept_counts {
    uint32_t root[KEPT_ROOTS], count[KEPT_ROOTS];
} kept_counts;

/* Returns the members that the cluster has by now. They are read after they are added: gcc 12 at -O1 adds the wrong
 * register to what atomic_fetch_add returns. */
static uint32_t hand_in(_Atomic uint32_t *members, kept_counts *kept, size_t at)
{
    const uint32_t count = kept->count[at];
    _Atomic uint32_t *member = &members[kept->root[at]];
    if (count == 0)
        return 0;
    kept->count[at] = 0;
    (void)atomic_fetch_add_explicit(member, count, memory_order_relaxed);
    return atomic_load_explicit(member, memory_order_relaxed);
}

static void add_member(_Atomic uint32_t *members, kept_counts *kept, uint32_t root, uint32_t *largest)
{
    const size_t at = root % KEPT_ROOTS;
    if (kept->root[at] != root) {
        const uint32_t size = hand_in(members, kept, at);
        *largest = size > *largest ? size : *largest;
        kept->root[at] = root;
    }
    kept->count[at]++;
}

static void raise_to(_Atomic uint64_t *value, uint64_t to)
{
    uint64_t is = atomic_load_explicit(value, memory_order_relaxed);
    while (to > is &&
           !atomic_compare_exchange_weak_explicit(value, &is, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void end_members(counting *c, kept_counts *kept, uint32_t largest)
{
    for (size_t at = 0; at < KEPT_ROOTS; at++) {
        const uint32_t size = hand_in(c->g->members[c->level % 2], kept, at);
        largest = size > largest ? size : largest;
    }
    raise_to(&c->largest, largest);
}

/* Points connected at one ε are connected at every larger one: unites them at the next level. The root of a cluster is
 * core itself, because only core points are united. */
static eb_code count_level(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    counting *c = context;
    grid *g = c->g;
    const bool last = c->level + 1 == g->levels;
    eb_tree *here = g->forest + c->level * g->n, *next = here + (last ? 0 : g->n);
    _Atomic uint32_t *members = g->members[c->level % 2], *other = g->members[(c->level + 1) % 2];
    kept_counts kept = {.count = {0}};
    uint64_t roots = 0, core = 0, clusters = 0, noise = 0;
    uint32_t largest = 0;
    (void)thread, (void)status;
    for (uint32_t i = (uint32_t)task * POINTS_A_TASK, end = (uint32_t)points_end(g, task); i < end; i++) {
        const uint32_t root = eb_forest_root(here, i);
        if (root != i && !last)
            eb_forest_unite(next, i, root);
        roots += root == i;
        noise += atomic_load_explicit(&g->reach[i], memory_order_relaxed) > c->level;
        atomic_store_explicit(&other[i], 0, memory_order_relaxed);
        if (g->core[i] > c->level || !c->clusters_too)
            continue;
        core++;
        clusters += root == i;
        add_member(members, &kept, root, &largest);
    }
    end_members(c, &kept, largest);
    c->roots += roots;
    c->core += core;
    c->clusters += clusters;
    c->noise += noise;
    return EB_OK;
}

/* The first pass gives the components, the last one the clusters. */
static eb_code count_levels(grid *g, bool first, bool last, eb_status *status)
{
    eb_job_phase(g->job, "counting clusters", g->levels);
    for (size_t level = 0; level < g->levels; level++) {
        eb_density *out = &g->out[level];
        counting c = {.g = g, .level = level, .clusters_too = last};
        EB_TRY(for_all_points(g, count_level, &c, status));
        if (first)
            out->components = c.roots;
        out->clusters = c.clusters;
        out->core = c.core;
        out->largest = c.largest;
        out->noise = c.noise;
        eb_job_advance(g->job, 1);
    }
    return EB_OK;
}

/* ---- both passes ---- */

static eb_code plant_some(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const grid *g = context;
    const size_t begin = (size_t)task * POINTS_A_TASK, end = points_end(g, task);
    (void)thread, (void)status;
    for (size_t level = 0; level < g->levels; level++)
        for (size_t i = begin; i < end; i++)
            atomic_init(&g->forest[level * g->n + i], (uint32_t)i);
    for (size_t i = begin; i < end; i++)
        atomic_init(&g->members[0][i], 0);
    return EB_OK;
}

/* Clusters and `reach` stay as they are: the same pairs again change nothing. */
static eb_code forget_counts(void *context, eb_status *status)
{
    grid *g = context;
    (void)status;
    for (size_t k = 0; k < g->n * g->levels; k++)
        atomic_init(&g->count[k], 0);
    return EB_OK;
}

static eb_code keep_all(void *context, eb_status *status)
{
    (void)context, (void)status;
    return EB_OK;
}

static eb_code pass_over(grid *g, eb_opened *opened, const double *eps, const char *phase, bool both,
                         eb_link_consumer consumer, eb_status *status)
{
    const eb_stream stream = {.eps = eps,
                              .levels = g->levels,
                              .phase = phase,
                              .both = both,
                              .consumer = consumer,
                              .anew = both ? forget_counts : keep_all, /* pairs are counted when they come both ways */
                              .context = g};
    EB_TRY(for_all_points(g, plant_some, g, status));
    return eb_stream_run(opened, &stream, status);
}

static eb_code find(grid *g, eb_opened *opened, const double *eps, unsigned *passes, eb_status *status)
{
    EB_TRY(pass_over(g, opened, eps, "counting neighbours", true, count_links, status));
    *passes = 1;
    EB_TRY(find_core(g, status));
    EB_TRY(count_levels(g, true, g->min_points <= 2, status));
    if (g->min_points <= 2)
        return EB_OK;
    EB_TRY(pass_over(g, opened, eps, "uniting core points", false, unite_core, status));
    *passes = 2;
    return count_levels(g, false, true, status);
}

eb_code eb_density_find(eb_opened *opened, const double *eps, size_t levels, size_t min_points, eb_density *out,
                        unsigned *passes, eb_status *status)
{
    size_t n = opened->problem.left->n;
    *passes = 0;
    if (min_points == 0 || levels == 0)
        return eb_fail(status, EB_USAGE, "minpts counts the point itself, so it is 1 or more, and there must be an ε");
    grid g = {.n = n,
              .levels = levels,
              .min_points = min_points,
              .threads = opened->context.threads ? opened->context.threads : 1,
              .job = opened->context.job,
              .out = out};
    g.count = calloc(n * levels, sizeof *g.count);
    g.forest = calloc(n * levels, sizeof *g.forest);
    g.core = calloc(n, sizeof *g.core);
    g.reach = calloc(n, sizeof *g.reach);
    g.members[0] = calloc(n, sizeof *g.members[0]);
    g.members[1] = g.count; /* not needed any more when members are counted */
    g.pairs = calloc(g.threads * levels, sizeof *g.pairs);
    eb_code failed = EB_OK;
    for (size_t level = 0; level < levels; level++)
        out[level] = (eb_density){.eps = eps[level]};
    if (g.count && g.forest && g.core && g.reach && g.members[0] && g.pairs)
        failed = find(&g, opened, eps, passes, status);
    else
        failed = eb_fail_memory(status, "the grid of ε", eb_density_bytes(n, levels));
    free(g.count);
    free(g.forest);
    free(g.core);
    free(g.reach);
    free(g.members[0]);
    free(g.pairs);
    return failed;
}
