#include "core/ranks/keep/clusters.h"

#include <stdlib.h>

#include "core/ranks/keep/pairs.h"
#include "core/ranks/part.h"
#include "core/ranks/shared_open.h"
#include "core/ranks/shared_pairs.h"

typedef struct clustering {
    eb_shared *shared;
    size_t n;
    eb_question question;
    eb_share part; /* rank 0's */
    _Atomic uint32_t *counts;
    const eb_ranks_union *with;
} clustering;

static eb_code begin(eb_opened *opened, double eps, clustering *out, eb_packet *packet, eb_status *status)
{
    eb_shared *s = eb_shared_of(opened);
    const eb_share whole = eb_share_whole(&opened->problem);
    *out = (clustering){.shared = s,
                        .n = opened->problem.left->n,
                        .question = {.eps = eb_scaled_eps(eps, opened->scaling.exponent), .pairs_alone = true},
                        .part = eb_share_of_rank(&whole, 0, eb_ranks_count(s->ranks))};
    EB_TRY(eb_check_eps_reach(opened, eps, status));
    EB_TRY(eb_shared_choice(s, &out->question, &out->question.choice, status));
    *packet = eb_shared_packet(s);
    eb_put_question(packet, &out->question, &whole);
    return EB_OK;
}

/* ---- first pass: neighbour counts ---- */

static eb_code own_counts(void *context, eb_status *status)
{
    const clustering *c = context;
    return eb_count_ends(&c->shared->inner, &c->question, &c->part, c->counts, status);
}

static void add_count(void *context, uint32_t point, uint32_t value)
{
    const clustering *c = context;
    (void)atomic_fetch_add_explicit(&c->counts[point], value, memory_order_relaxed);
}

static eb_code other_counts(void *context, const eb_letter *letter, eb_status *status)
{
    const clustering *c = context;
    return eb_take_point_values(letter, c->n, add_count, context, status);
}

eb_code eb_ranks_count_neighbours(eb_opened *opened, double eps, uint32_t *counts, eb_status *status)
{
    clustering c;
    eb_packet packet;
    EB_TRY(begin(opened, eps, &c, &packet, status));
    c.counts = calloc(c.n, sizeof *c.counts);
    if (!c.counts) {
        eb_letter_free(&(eb_letter){.bytes = packet.bytes});
        return eb_fail_memory(status, "the points' neighbours", c.n * sizeof *c.counts);
    }
    eb_asked asked = {.shared = c.shared, .question = &c, .own = own_counts, .take = other_counts, .cut = true};
    const eb_code failed = eb_shared_ask(&asked, EB_ASK_NEIGHBOURS, &packet, status);
    for (size_t i = 0; i < c.n && !failed; i++)
        counts[i] = atomic_load_explicit(&c.counts[i], memory_order_relaxed);
    free(c.counts);
    return failed;
}

/* ---- second pass: core points ---- */

static eb_code own_union(void *context, eb_status *status)
{
    const clustering *c = context;
    const eb_ranks_union *with = c->with;
    eb_near *near = NULL;
    size_t count = 0;
    EB_TRY(eb_unite_ends(&c->shared->inner, &c->question, &c->part, with->core, with->forest, &near, &count, status));
    for (size_t k = 0; k < count; k++)
        with->near(with->context, near[k].point, near[k].core);
    free(near);
    return EB_OK;
}

static void unite(void *context, uint32_t point, uint32_t root)
{
    const clustering *c = context;
    eb_forest_unite(c->with->forest, point, root);
}

static eb_code other_near(const clustering *c, const eb_letter *letter, eb_status *status)
{
    const eb_near *near = (const eb_near *)(const void *)letter->bytes;
    for (size_t k = 0; k < letter->size / sizeof *near; k++) {
        if (near[k].point >= c->n || near[k].core >= c->n)
            return eb_fail(status, EB_INTERNAL, "rank %u tells of points %u and %u of %zu", letter->from, near[k].point,
                           near[k].core, c->n);
        c->with->near(c->with->context, near[k].point, near[k].core);
    }
    return EB_OK;
}

static eb_code other_union(void *context, const eb_letter *letter, eb_status *status)
{
    const clustering *c = context;
    if (letter->kind == EB_NEAR)
        return other_near(c, letter, status);
    return eb_take_point_values(letter, c->n, unite, context, status);
}

eb_code eb_ranks_unite(eb_opened *opened, const eb_ranks_union *with, eb_status *status)
{
    clustering c;
    eb_packet packet;
    EB_TRY(begin(opened, with->eps, &c, &packet, status));
    c.with = with;
    eb_pack(&packet, with->core, c.n / 8 + 1);
    eb_asked asked = {.shared = c.shared, .question = &c, .own = own_union, .take = other_union, .cut = true};
    return eb_shared_ask(&asked, EB_ASK_UNITE, &packet, status);
}
