#include "core/ranks/keep/clusters.h"

#include <stdlib.h>

#include "core/ranks/keep/pairs.h"
#include "core/ranks/part.h"
#include "core/ranks/shared_open.h"
#include "core/ranks/shared_pairs.h"
#include "core/tune/tune.h"

typedef struct clustering {
    eb_shared *shared;
    eb_question question;
    eb_share part; /* rank 0's */
    const eb_ranks_grid *grid;
    bool counts; /* the first pass */
    double *eps; /* [levels] as the engine has it */
} clustering;

/* The caller frees out->eps. */
static eb_code begin(eb_opened *opened, const eb_ranks_grid *grid, clustering *out, eb_status *status)
{
    eb_shared *s = eb_shared_of(opened);
    const eb_share whole = eb_share_whole(&opened->problem);
    const size_t levels = grid->gathered->levels;
    *out = (clustering){.shared = s, .part = eb_share_of_rank(&whole, 0, eb_ranks_count(s->ranks)), .grid = grid};
    EB_TRY(eb_sweep_check(opened, grid->eps, levels, status));
    out->eps = calloc(levels, sizeof *out->eps);
    if (!out->eps)
        return eb_fail_memory(status, "the grid", levels * sizeof *out->eps);
    for (size_t k = 0; k < levels; k++)
        out->eps[k] = eb_scaled_eps(grid->eps[k], opened->scaling.exponent);
    out->question = (eb_question){.eps = out->eps[levels - 1], .pairs_alone = levels == 1};
    return eb_shared_choice(s, &out->question, &out->question.choice, status);
}

static eb_packet packet_of(const clustering *c)
{
    eb_packet packet = eb_shared_packet(c->shared);
    const eb_share whole = eb_share_whole(&c->shared->outer->problem);
    const size_t levels = c->grid->gathered->levels;
    eb_put_question(&packet, &c->question, &whole);
    eb_pack_u64(&packet, levels);
    eb_pack(&packet, c->eps, levels * sizeof *c->eps);
    return packet;
}

static eb_code stream_own(const clustering *c, bool both, eb_link_consumer consumer, eb_status *status)
{
    const eb_gathering *g = c->grid->gathered;
    const eb_stream stream = {.eps = c->eps,
                              .levels = g->levels,
                              .both = both,
                              .consumer = consumer,
                              .context = c->grid->gathered};
    return eb_stream_part(&c->shared->inner, &c->question, &c->part, &stream, status);
}

/* ---- what other ranks have gathered ---- */

static void add_count(void *context, uint64_t at, uint32_t value)
{
    const eb_gathering *g = context;
    (void)atomic_fetch_add_explicit(&g->count[at], value, memory_order_relaxed);
}

static void unite(void *context, uint64_t at, uint32_t root)
{
    const eb_gathering *g = context;
    (void)eb_forest_unite(g->forest + at / g->n * g->n, (uint32_t)(at % g->n), root);
}

static eb_code take_near(const eb_ranks_grid *grid, const eb_letter *letter, eb_status *status)
{
    const eb_gathering *g = grid->gathered;
    const eb_near *near = (const eb_near *)(const void *)letter->bytes;
    for (size_t k = 0; k < letter->size / sizeof *near; k++) {
        if (near[k].point >= g->n || near[k].to >= (grid->near ? g->n : g->levels))
            return eb_fail(status, EB_INTERNAL, "rank %u tells that point %u of %zu is near to %u", letter->from,
                           near[k].point, g->n, near[k].to);
        if (grid->near)
            grid->near(grid->context, near[k].point, near[k].to);
        else
            eb_gather_reach(g, near[k].point, near[k].to);
    }
    return EB_OK;
}

static eb_code take_letter(void *context, const eb_letter *letter, eb_status *status)
{
    const clustering *c = context;
    eb_gathering *g = c->grid->gathered;
    if (letter->kind == EB_NEAR && !c->counts)
        return take_near(c->grid, letter, status);
    if (letter->kind == EB_COUNTS && c->counts)
        return eb_take_values(letter, g, add_count, g, status);
    if (letter->kind == EB_ROOTS && g->forest)
        return eb_take_values(letter, g, unite, g, status);
    return eb_fail(status, EB_INTERNAL, "rank %u sends letter %u, which was not asked for", letter->from, letter->kind);
}

/* ---- first pass: neighbour counts ---- */

static eb_code own_counts(void *context, eb_status *status)
{
    return stream_own(context, true, eb_gather_counts, status);
}

static eb_code other_counts(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    const clustering *c = context;
    (void)from, (void)status;
    for (size_t level = 0; level < c->grid->gathered->levels; level++)
        c->grid->left_out[level] += eb_unpack_u64(packet);
    return EB_OK;
}

eb_code eb_ranks_gather_counts(eb_opened *opened, const eb_ranks_grid *grid, eb_status *status)
{
    clustering c;
    eb_asked asked = {.question = &c, .own = own_counts, .take = take_letter, .answer = other_counts, .cut = true};
    eb_code failed = begin(opened, grid, &c, status);
    if (!failed) {
        eb_packet packet = packet_of(&c);
        eb_pack_u64(&packet, grid->most);
        eb_pack_u64(&packet, grid->gathered->forest != NULL);
        for (size_t level = 0; level < grid->gathered->levels; level++)
            grid->left_out[level] = 0;
        asked.shared = c.shared;
        c.counts = true;
        failed = eb_shared_ask(&asked, EB_ASK_NEIGHBOURS, &packet, status);
    }
    free(c.eps);
    return failed;
}

/* ---- second pass: core points ---- */

static eb_code own_union(void *context, eb_status *status)
{
    const clustering *c = context;
    const eb_ranks_grid *grid = c->grid;
    eb_near *near = NULL;
    size_t count = 0;
    if (!grid->near)
        return stream_own(c, false, eb_gather_core, status);
    EB_TRY(eb_unite_ends(&c->shared->inner, &c->question, &c->part, grid->gathered, &near, &count, status));
    for (size_t k = 0; k < count; k++)
        grid->near(grid->context, near[k].point, near[k].to);
    free(near);
    return EB_OK;
}

eb_code eb_ranks_gather_core(eb_opened *opened, const eb_ranks_grid *grid, eb_status *status)
{
    clustering c;
    eb_asked asked = {.question = &c, .own = own_union, .take = take_letter, .cut = true};
    eb_code failed = begin(opened, grid, &c, status);
    if (!failed) {
        eb_packet packet = packet_of(&c);
        eb_pack_u64(&packet, grid->near != NULL);
        eb_pack_levels(&packet, grid->gathered);
        asked.shared = c.shared;
        failed = eb_shared_ask(&asked, EB_ASK_UNITE, &packet, status);
    }
    free(c.eps);
    return failed;
}
