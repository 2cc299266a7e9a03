#include "core/ranks/queries/shared_queries.h"

#include <stdlib.h>
#include <string.h>

#include "core/ranks/blocks/queries.h"
#include "core/ranks/part.h"

/* Queries are shared if they are worth a message: so many coordinates of pairs. */
#define LEAST_COORDINATES 1e8

typedef struct queries {
    eb_shared *shared;
    const uint32_t *rows;
    size_t m, own; /* queries; rank 0's */
    unsigned ranks;
    double *out;   /* distances: [m × n] */
    uint64_t came; /* distances of other ranks */
    eb_bins *bins; /* [ranks] */
} queries;

static bool is_worth(const eb_shared *s, size_t m)
{
    const eb_problem *problem = &s->outer->problem;
    return m >= 2 && !s->blocks && /* rank 0 has all points, another rank its block */
           ((double)m * (double)problem->right->n * (double)problem->right->d >= LEAST_COORDINATES ||
            eb_ranks_eager(s->ranks));
}

static queries queries_of(eb_shared *s, const uint32_t *rows, size_t m)
{
    const unsigned ranks = eb_ranks_count(s->ranks);
    return (queries){.shared = s, .rows = rows, .m = m, .own = eb_first_of_rank(m, 1, ranks), .ranks = ranks};
}

static eb_code ask(eb_asked *asked, uint32_t kind, const queries *q, eb_status *status)
{
    eb_packet packet = eb_shared_packet(q->shared);
    eb_pack_u64(&packet, q->m);
    eb_pack(&packet, q->rows, q->m * sizeof *q->rows);
    return eb_shared_ask(asked, kind, &packet, status);
}

static eb_opened *alone(eb_shared *s)
{
    s->inner.context.job = s->outer->context.job;
    s->inner.context.figures = s->outer->context.figures;
    return &s->inner;
}

/* ---- distances ---- */

static eb_code own_distances(void *context, eb_status *status)
{
    const queries *q = context;
    return q->own ? eb_ask_distances(&q->shared->inner, q->rows, q->own, q->out, status) : EB_OK;
}

static eb_code take_rows(void *context, const eb_letter *message, eb_status *status)
{
    queries *q = context;
    eb_packet packet = eb_packet_of(message);
    const uint64_t all = (uint64_t)q->m * q->shared->outer->problem.right->n, first = eb_unpack_u64(&packet);
    const uint64_t count = (message->size - packet.at) / sizeof(double);
    if (packet.failed || first > all || count > all - first)
        return eb_fail(status, EB_INTERNAL, "rank %u gives distances from %llu on of %llu", message->from,
                       (unsigned long long)first, (unsigned long long)all);
    eb_unpack(&packet, q->out + first, (size_t)count * sizeof(double));
    q->came += count;
    return EB_OK;
}

eb_code eb_shared_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_shared *s = state;
    queries q = queries_of(s, rows, m);
    eb_asked asked = {.shared = s, .question = &q, .own = own_distances, .take = take_rows};
    /* A GPU computes distances faster than they travel. */
    if (!is_worth(s, m) || s->inner.setup->device.kind != EB_DEVICE_CPU)
        return eb_ask_distances(alone(s), rows, m, out, status);
    q.out = out;
    EB_TRY(ask(&asked, EB_ASK_DISTANCES, &q, status));
    const uint64_t others = (uint64_t)(m - q.own) * s->outer->problem.right->n;
    return q.came == others ? EB_OK
                            : eb_fail(status, EB_INTERNAL, "other ranks gave %llu of %llu distances",
                                      (unsigned long long)q.came, (unsigned long long)others);
}

/* ---- bins ---- */

static eb_code own_bins(void *context, eb_status *status)
{
    const queries *q = context;
    return eb_ask_bins(&q->shared->inner, q->rows, q->own, &q->bins[0], status);
}

static eb_code other_bins(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    const queries *q = context;
    const size_t m = eb_first_of_rank(q->m, from + 1, q->ranks) - eb_first_of_rank(q->m, from, q->ranks);
    return eb_unpack_bins(packet, from, m, &q->bins[from], status);
}

/* ---- bins of blocks: every rank has all queries and a part of the other points ---- */

static eb_code own_bins_of_block(void *context, eb_status *status)
{
    const queries *q = context;
    eb_packet packet = {.failed = false};
    eb_code failed = eb_blocks_pack(q->shared->stored.left, q->rows, q->m, &packet, status);
    eb_packet read = {.bytes = packet.bytes, .size = packet.size, .failed = packet.failed};
    if (!failed)
        failed = eb_blocks_bins(&q->shared->inner, &read, &q->bins[0], status);
    eb_letter_free(&(eb_letter){.bytes = packet.bytes});
    return failed;
}

static eb_code other_bins_of_block(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    const queries *q = context;
    return eb_unpack_bins(packet, from, q->m, &q->bins[from], status);
}

static eb_code ask_blocks(queries *q, eb_bins *out, eb_status *status)
{
    eb_asked asked = {.shared = q->shared, .question = q, .own = own_bins_of_block, .answer = other_bins_of_block};
    eb_packet packet = eb_shared_packet(q->shared);
    const eb_code failed = eb_blocks_pack(q->shared->stored.left, q->rows, q->m, &packet, status);
    if (failed) {
        eb_letter_free(&(eb_letter){.bytes = packet.bytes});
        return failed;
    }
    EB_TRY(eb_shared_ask(&asked, EB_ASK_BINS, &packet, status));
    return eb_blocks_sum(q->bins, q->ranks, q->m, out, status);
}

static eb_code ask_all(queries *q, eb_bins *out, eb_status *status)
{
    eb_asked asked = {.shared = q->shared, .question = q, .own = own_bins, .answer = other_bins};
    EB_TRY(ask(&asked, EB_ASK_BINS, q, status));
    return eb_bins_join(q->bins, q->ranks, out, status);
}

eb_code eb_shared_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    eb_shared *s = state;
    queries q = queries_of(s, rows, m);
    if (!s->blocks && !is_worth(s, m))
        return eb_ask_bins(alone(s), rows, m, out, status);
    q.bins = calloc(q.ranks, sizeof *q.bins);
    if (!q.bins)
        return eb_fail_memory(status, "the ranks' bins", q.ranks * sizeof *q.bins);
    const eb_code failed = s->blocks ? ask_blocks(&q, out, status) : ask_all(&q, out, status);
    for (unsigned r = 0; r < q.ranks; r++)
        eb_bins_free(&q.bins[r]);
    free(q.bins);
    return failed;
}
