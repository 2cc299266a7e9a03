#include "core/cluster/density.h"

#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/cluster/gather.h"
#include "core/ranks/keep/clusters.h"
#include "core/ranks/ranks.h"

enum { POINTS_A_TASK = 1 << 15, KEPT_ROOTS = 256 };

typedef struct grid {
    eb_gathering of;
    size_t min_points;
    unsigned threads;
    eb_job *job;
    eb_density *out;
    _Atomic uint32_t *members[2]; /* [n] core points of each root's cluster; levels take turns */
    uint64_t *pairs;              /* [threads × levels] pairs that enter at this level */
    uint64_t *left_out;           /* [levels] the same, of pairs of other ranks that are not among the counts */
} grid;

uint64_t eb_density_bytes(size_t n, size_t levels)
{
    const uint64_t most = UINT64_MAX / 16;
    return n > 0 && levels + 2 > most / n ? UINT64_MAX : 8 * (uint64_t)n * levels + 12 * (uint64_t)n;
}

/* ---- what the first pass says of each point ---- */

/* Runs a body for each stretch of points. */
static eb_code for_all_points(grid *g, eb_parallel_body body, void *context, eb_status *status)
{
    return eb_parallel(g->threads, (g->of.n + POINTS_A_TASK - 1) / POINTS_A_TASK, body, context, g->job, status);
}

static size_t points_end(const grid *g, uint64_t task)
{
    const size_t begin = (size_t)task * POINTS_A_TASK;
    return g->of.n - begin < POINTS_A_TASK ? g->of.n : begin + POINTS_A_TASK;
}

static eb_code find_core_of(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    grid *g = context;
    uint64_t *pairs = g->pairs + thread * g->of.levels;
    (void)status;
    for (size_t i = (size_t)task * POINTS_A_TASK; i < points_end(g, task); i++) {
        uint64_t within = 1; /* the point itself */
        g->of.core[i] = (uint32_t)g->of.levels;
        for (size_t level = 0; level < g->of.levels; level++) {
            const uint32_t entering =
                atomic_load_explicit(&g->of.count[i * g->of.levels + level], memory_order_relaxed);
            within += entering;
            pairs[level] += entering;
            if (within >= g->min_points && g->of.core[i] == g->of.levels)
                g->of.core[i] = (uint32_t)level;
        }
        atomic_init(&g->of.reach[i], g->of.core[i]);
    }
    return EB_OK;
}

static eb_code find_core(grid *g, eb_status *status)
{
    uint64_t within = g->of.n;
    EB_TRY(for_all_points(g, find_core_of, g, status));
    for (size_t level = 0; level < g->of.levels; level++) {
        within += g->left_out[level];
        for (size_t thread = 0; thread < g->threads; thread++)
            within += g->pairs[thread * g->of.levels + level];
        g->out[level].pairs = within;
    }
    return EB_OK;
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
    const bool last = c->level + 1 == g->of.levels;
    eb_tree *here = g->of.forest + c->level * g->of.n, *next = here + (last ? 0 : g->of.n);
    _Atomic uint32_t *members = g->members[c->level % 2], *other = g->members[(c->level + 1) % 2];
    kept_counts kept = {.count = {0}};
    uint64_t roots = 0, core = 0, clusters = 0, noise = 0;
    uint32_t largest = 0;
    (void)thread, (void)status;
    for (uint32_t i = (uint32_t)task * POINTS_A_TASK, end = (uint32_t)points_end(g, task); i < end; i++) {
        const uint32_t root = eb_forest_root(here, i);
        if (root != i && !last)
            (void)eb_forest_unite(next, i, root);
        roots += root == i;
        noise += atomic_load_explicit(&g->of.reach[i], memory_order_relaxed) > c->level;
        atomic_store_explicit(&other[i], 0, memory_order_relaxed);
        if (g->of.core[i] > c->level || !c->clusters_too)
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
    eb_job_phase(g->job, "counting clusters", g->of.levels);
    for (size_t level = 0; level < g->of.levels; level++) {
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
    for (size_t level = 0; level < g->of.levels; level++)
        for (size_t i = begin; i < end; i++)
            atomic_init(&g->of.forest[level * g->of.n + i], (uint32_t)i);
    for (size_t i = begin; i < end; i++)
        atomic_init(&g->members[0][i], 0);
    return EB_OK;
}

/* The same core points again change nothing. */
static eb_code keep_all(void *context, eb_status *status)
{
    (void)context, (void)status;
    return EB_OK;
}

static eb_code ask_ranks(grid *g, eb_opened *opened, const double *eps, const char *phase, bool first,
                         eb_status *status)
{
    const uint64_t enough = g->min_points - 1;
    const eb_ranks_grid asked = {.eps = eps,
                                 .gathered = &g->of,
                                 .most = enough < UINT32_MAX ? (uint32_t)enough : UINT32_MAX,
                                 .left_out = g->left_out};
    eb_job_phase(g->job, phase, g->of.n);
    return first ? eb_ranks_gather_counts(opened, &asked, status) : eb_ranks_gather_core(opened, &asked, status);
}

/* The first pass counts pairs, which come both ways; the second unites core points. */
static eb_code pass_over(grid *g, eb_opened *opened, const double *eps, bool first, eb_status *status)
{
    const eb_stream stream = {.eps = eps,
                              .levels = g->of.levels,
                              .phase = first ? "counting neighbours" : "uniting core points",
                              .both = first,
                              .consumer = first ? eb_gather_counts : eb_gather_core,
                              .anew = first ? eb_gather_anew : keep_all,
                              .context = &g->of};
    EB_TRY(for_all_points(g, plant_some, g, status));
    return eb_ranks_of(opened) > 1 ? ask_ranks(g, opened, eps, stream.phase, first, status)
                                   : eb_stream_run(opened, &stream, status);
}

static eb_code find(grid *g, eb_opened *opened, const double *eps, unsigned *passes, eb_status *status)
{
    EB_TRY(pass_over(g, opened, eps, true, status));
    *passes = 1;
    EB_TRY(find_core(g, status));
    EB_TRY(count_levels(g, true, g->min_points <= 2, status));
    if (g->min_points <= 2)
        return EB_OK;
    EB_TRY(pass_over(g, opened, eps, false, status));
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
    grid g = {.of = {.n = n, .levels = levels},
              .min_points = min_points,
              .threads = opened->context.threads ? opened->context.threads : 1,
              .job = opened->context.job,
              .out = out};
    g.of.count = calloc(n * levels, sizeof *g.of.count);
    g.of.forest = calloc(n * levels, sizeof *g.of.forest);
    g.of.core = calloc(n, sizeof *g.of.core);
    g.of.reach = calloc(n, sizeof *g.of.reach);
    g.members[0] = calloc(n, sizeof *g.members[0]);
    g.members[1] = g.of.count; /* not needed any more when members are counted */
    g.pairs = calloc(g.threads * levels, sizeof *g.pairs);
    g.left_out = calloc(levels, sizeof *g.left_out);
    eb_code failed = EB_OK;
    for (size_t level = 0; level < levels; level++)
        out[level] = (eb_density){.eps = eps[level]};
    if (g.of.count && g.of.forest && g.of.core && g.of.reach && g.members[0] && g.pairs && g.left_out)
        failed = find(&g, opened, eps, passes, status);
    else
        failed = eb_fail_memory(status, "the grid of ε", eb_density_bytes(n, levels));
    free(g.of.count);
    free(g.of.forest);
    free(g.of.core);
    free(g.of.reach);
    free(g.members[0]);
    free(g.pairs);
    free(g.left_out);
    return failed;
}
