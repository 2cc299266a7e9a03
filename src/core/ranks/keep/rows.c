#include "core/ranks/keep/rows.h"

#include <math.h>
#include <string.h>

#include "core/ranks/owner.h"
#include "core/ranks/part.h"
#include "core/ranks/shared_open.h"
#include "core/ranks/shared_pairs.h"

typedef struct keeping {
    eb_shared *shared;
    const eb_keep_plan *plan;
    eb_question question;
    eb_share part; /* rank 0's */
    eb_asked asked;
    eb_owner owner;
    eb_kept *kept; /* [ranks] */
} keeping;

/* ---- rank 0's own rows ---- */

static eb_code keep_own(const keeping *k, const eb_neighbours *rows, eb_status *status)
{
    const eb_keep_plan *plan = k->plan;
    const eb_context *context = &k->shared->inner.context;
    return rows->rows
               ? plan->keep(plan->order, plan->order_size, rows, context->threads, context->job, &k->kept[0], status)
               : EB_OK;
}

static eb_code own_rows(void *context, eb_status *status)
{
    keeping *k = context;
    const eb_opened *inner = &k->shared->inner;
    const eb_sink sink = eb_owner_sink(&k->owner);
    eb_neighbours *rows = NULL;
    k->owner.request.number = k->asked.number;
    EB_TRY(inner->run->join(inner->state, &k->question, &k->part, &sink, status));
    EB_TRY(eb_owner_finish(&k->owner, inner->context.job, &rows, status));
    eb_figures_add(inner->context.figures, &eb_figure_table, k->owner.build_s);
    k->asked.own_s -= k->owner.waited_s;
    const eb_code failed = keep_own(k, rows, status);
    eb_neighbours_free(rows);
    return failed;
}

/* ---- the others' ---- */

static eb_code other_hits(void *context, const eb_letter *letter, eb_status *status)
{
    keeping *k = context;
    return eb_owner_take(&k->owner, letter, status);
}

static eb_code other_kept(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    const keeping *k = context;
    const uint64_t size = eb_unpack_u64(packet);
    eb_kept *told = &k->kept[from];
    if (size > sizeof told->bytes)
        return eb_fail(status, EB_INTERNAL, "rank %u tells %llu bytes of its rows", from, (unsigned long long)size);
    eb_unpack(packet, told->bytes, (size_t)size);
    told->size = packet->failed ? 0 : (size_t)size;
    return EB_OK;
}

static eb_code ask(keeping *k, const eb_share *share, const eb_row_kind *kind, eb_status *status)
{
    eb_packet packet = eb_shared_packet(k->shared);
    k->asked = (eb_asked){.shared = k->shared,
                          .question = k,
                          .own = own_rows,
                          .take = other_hits,
                          .answer = other_kept,
                          .cut = true};
    eb_put_question(&packet, &k->question, share);
    eb_pack_u64(&packet, kind->distance_bytes);
    eb_pack_f64(&packet, kind->unit);
    eb_pack_u64(&packet, kind->memory_limit);
    eb_pack_u64(&packet, k->plan->least);
    eb_pack_u64(&packet, k->plan->order_size);
    eb_pack(&packet, k->plan->order, k->plan->order_size);
    return eb_shared_ask(&k->asked, EB_ASK_KEEP, &packet, status);
}

eb_code eb_rows_keep(eb_opened *opened, const eb_keep_plan *plan, eb_kept *kept, eb_status *status)
{
    eb_shared *s = eb_shared_of(opened);
    const eb_problem *problem = &opened->problem;
    const eb_share share = eb_share_rows(plan->row_begin, plan->row_end);
    const unsigned ranks = eb_ranks_count(s->ranks);
    keeping k = {.shared = s, .plan = plan, .part = eb_share_of_rank(&share, 0, ranks), .kept = kept};
    const eb_owner_request request = {.transport = eb_ranks_transport(s->ranks),
                                      .n = problem->left->n,
                                      .others = problem->right->n,
                                      .self = eb_is_self_join(problem),
                                      .row_begin = plan->row_begin,
                                      .row_end = plan->row_end,
                                      .least = plan->least,
                                      .threads = s->inner.context.threads,
                                      .kind = {.distance_bytes = eb_distances_width(plan->distances),
                                               .unit = ldexp(1, -opened->scaling.exponent),
                                               .memory_limit = plan->memory_limit}};
    for (unsigned r = 0; r < ranks; r++)
        kept[r].size = 0;
    k.question = (eb_question){.eps = eb_scaled_eps(plan->eps, opened->scaling.exponent),
                               .expected = plan->expected,
                               .pairs_alone = plan->distances == EB_DISTANCES_NONE};
    EB_TRY(eb_check_eps_reach(opened, plan->eps, status));
    EB_TRY(eb_shared_choice(s, &k.question, &k.question.choice, status));
    EB_TRY(eb_owner_begin(&request, &k.owner, status));
    const eb_code failed = ask(&k, &share, &request.kind, status);
    eb_owner_end(&k.owner);
    return failed;
}
