#include "core/ranks/server/clusters.h"

#include <stdlib.h>

#include "core/ranks/keep/pairs.h"

/* Points near core points in a message, at most. */
enum { NEAR_AT_ONCE = 1 << 17 };

typedef struct grid {
    const eb_asked_here *a;
    eb_question question;
    eb_share share;
    double *eps;        /* [levels] as the engine has it */
    uint64_t *left_out; /* [levels] */
    eb_gathering of;
} grid;

/* The caller frees what *out has with free_grid, after a failure too. */
static eb_code get_grid(const eb_asked_here *a, grid *out, eb_status *status)
{
    *out = (grid){.a = a, .of = {.n = a->opened->problem.left->n}};
    eb_get_question(a, &out->question, &out->share);
    const size_t levels = (size_t)eb_unpack_u64(a->packet);
    if (a->packet->failed || levels == 0 || levels > a->packet->size)
        return eb_fail(status, EB_INTERNAL, "rank 0 gives a grid that is too short");
    out->of.levels = levels;
    out->eps = calloc(levels, sizeof *out->eps);
    if (!out->eps)
        return eb_fail_memory(status, "the grid", levels * sizeof *out->eps);
    eb_unpack(a->packet, out->eps, levels * sizeof *out->eps);
    return EB_OK;
}

static void free_grid(grid *g)
{
    free(g->eps);
    free(g->left_out);
    free(g->of.count);
    free(g->of.forest);
    free(g->of.core);
    free(g->of.reach);
}

static eb_code plant(grid *g, eb_status *status)
{
    const size_t n = g->of.n, levels = g->of.levels;
    g->of.forest = calloc(n * levels, sizeof *g->of.forest);
    if (!g->of.forest)
        return eb_fail_memory(status, "the clusters at each ε", 4 * (uint64_t)n * levels);
    eb_forest_plant(g->of.forest, n, levels);
    return EB_OK;
}

static eb_code stream_part(grid *g, bool both, eb_link_consumer consumer, eb_status *status)
{
    const eb_stream stream = {.eps = g->eps,
                              .levels = g->of.levels,
                              .both = both,
                              .consumer = consumer,
                              .context = &g->of};
    return eb_stream_part(g->a->opened, &g->question, &g->share, &stream, status);
}

static eb_code send_forests(const grid *g, eb_status *status)
{
    EB_TRY(eb_thin_forests(&g->of, g->a->opened->context.threads, g->a->job, status));
    return eb_send_roots(g->a->transport, g->a->number, &g->of, status);
}

static eb_code on_grid(const eb_asked_here *a, eb_code (*work)(grid *g, eb_status *status), eb_status *status)
{
    grid g;
    eb_code failed = get_grid(a, &g, status);
    if (!failed)
        failed = work(&g, status);
    free_grid(&g);
    return failed;
}

/* ---- first pass: neighbour counts ---- */

static eb_code count_pairs(grid *g, eb_status *status)
{
    const eb_asked_here *a = g->a;
    const size_t n = g->of.n, levels = g->of.levels;
    const uint32_t most = (uint32_t)eb_unpack_u64(a->packet);
    const bool unites = eb_unpack_u64(a->packet) != 0;
    g->left_out = calloc(levels, sizeof *g->left_out);
    g->of.count = calloc(n * levels, sizeof *g->of.count);
    if (!g->left_out || !g->of.count)
        return eb_fail_memory(status, "the points' neighbours at each ε", 4 * (uint64_t)n * levels);
    if (unites)
        EB_TRY(plant(g, status));
    EB_TRY(stream_part(g, true, eb_gather_counts, status));
    eb_clip_counts(&g->of, most, g->left_out);
    eb_pack(a->result, g->left_out, levels * sizeof *g->left_out);
    EB_TRY(eb_send_counts(a->transport, a->number, &g->of, status));
    return unites ? send_forests(g, status) : EB_OK;
}

eb_code eb_served_neighbours(const eb_asked_here *a, eb_status *status) { return on_grid(a, count_pairs, status); }

/* ---- second pass: core points ---- */

static eb_code send_near(const eb_asked_here *a, const eb_near *near, size_t count, eb_status *status)
{
    for (size_t done = 0; done < count; done += NEAR_AT_ONCE) {
        const size_t now = count - done < NEAR_AT_ONCE ? count - done : NEAR_AT_ONCE;
        eb_packet packet = {.failed = false};
        eb_pack(&packet, near + done, now * sizeof *near);
        EB_TRY(eb_packet_send(a->transport, 0, EB_NEAR, a->number, &packet, status));
    }
    return EB_OK;
}

/* The points whose reach the part's pairs have lowered. */
static eb_code send_reach(const grid *g, eb_status *status)
{
    const eb_asked_here *a = g->a;
    eb_packet packet = {.failed = false};
    for (uint32_t i = 0; i < g->of.n; i++) {
        const eb_near near = {i, atomic_load_explicit(&g->of.reach[i], memory_order_relaxed)};
        if (near.to < g->of.core[i])
            eb_pack(&packet, &near, sizeof near);
        if (packet.size == NEAR_AT_ONCE * sizeof near)
            EB_TRY(eb_packet_send(a->transport, 0, EB_NEAR, a->number, &packet, status));
    }
    return packet.size || packet.failed ? eb_packet_send(a->transport, 0, EB_NEAR, a->number, &packet, status) : EB_OK;
}

static eb_code unite_near(grid *g, eb_status *status)
{
    const eb_asked_here *a = g->a;
    eb_near *near = NULL;
    size_t count = 0;
    EB_TRY(eb_unite_ends(a->opened, &g->question, &g->share, &g->of, &near, &count, status));
    eb_code failed = eb_send_roots(a->transport, a->number, &g->of, status);
    if (!failed)
        failed = send_near(a, near, count, status);
    free(near);
    return failed;
}

static eb_code unite_reach(grid *g, eb_status *status)
{
    const size_t n = g->of.n;
    g->of.reach = malloc(n * sizeof *g->of.reach);
    if (!g->of.reach)
        return eb_fail_memory(status, "the noise", n * sizeof *g->of.reach);
    for (size_t i = 0; i < n; i++)
        atomic_init(&g->of.reach[i], g->of.core[i]);
    EB_TRY(stream_part(g, false, eb_gather_core, status));
    EB_TRY(send_reach(g, status));
    return send_forests(g, status);
}

static eb_code unite_core(grid *g, eb_status *status)
{
    const bool near = eb_unpack_u64(g->a->packet) != 0;
    g->of.core = malloc(g->of.n * sizeof *g->of.core);
    if (!g->of.core)
        return eb_fail_memory(status, "the core points", g->of.n * sizeof *g->of.core);
    EB_TRY(eb_unpack_levels(g->a->packet, &g->of, status));
    EB_TRY(plant(g, status));
    return near ? unite_near(g, status) : unite_reach(g, status);
}

eb_code eb_served_unite(const eb_asked_here *a, eb_status *status) { return on_grid(a, unite_core, status); }
