#include "core/ranks/shared_pairs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/ranks/chunks.h"
#include "core/ranks/owner.h"
#include "core/ranks/part.h"

/* ---- questions ---- */

void eb_put_question(eb_packet *packet, const eb_question *question, const eb_share *share)
{
    eb_pack_f64(packet, question->eps);
    eb_pack_u64(packet, question->schedule.kind);
    eb_pack_u64(packet, question->expected);
    eb_pack_u64(packet, question->pairs_alone);
    eb_pack_u64(packet, question->choice);
    eb_pack_u64(packet, share->row_begin);
    eb_pack_u64(packet, share->row_end);
    eb_pack_u64(packet, share->part);
    eb_pack_u64(packet, share->parts);
}

typedef struct pairs {
    eb_shared *shared;
    const eb_question *question;
    eb_share part; /* rank 0's */
    const eb_share *whole;
    eb_chunk_source source; /* of a count's parts */
    uint64_t entries, others;
    const eb_sink *sink;
    pthread_mutex_t first; /* of the sink's thread 0, which the other ranks' hits share */
} pairs;

static eb_code count_chunk(void *context, unsigned chunk, eb_status *status)
{
    pairs *p = context;
    const eb_opened *inner = &p->shared->inner;
    const eb_share part = eb_share_of_rank(p->whole, chunk, p->source.chunks);
    uint64_t entries = 0;
    EB_TRY(inner->run->count(inner->state, p->question, &part, &entries, status));
    p->entries += entries;
    return EB_OK;
}

static eb_code own_count(void *context, eb_status *status)
{
    pairs *p = context;
    return eb_chunks_do(&p->source, count_chunk, p, status);
}

static eb_code give_chunk(void *context, const eb_letter *message, eb_status *status)
{
    pairs *p = context;
    return message->kind == EB_MORE ? eb_chunk_give(&p->source, eb_ranks_transport(p->shared->ranks), message, status)
                                    : EB_OK;
}

static eb_code other_count(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    pairs *p = context;
    (void)from;
    (void)status;
    p->others += eb_unpack_u64(packet);
    return EB_OK;
}

static pairs pairs_of(eb_shared *s, const eb_question *question, const eb_share *share)
{
    return (pairs){.shared = s,
                   .question = question,
                   .part = eb_share_of_rank(share, 0, eb_ranks_count(s->ranks)),
                   .whole = share};
}

eb_code eb_shared_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                        eb_status *status)
{
    eb_shared *s = state;
    const unsigned ranks = eb_ranks_count(s->ranks);
    eb_question chosen = *question;
    pairs p = pairs_of(s, &chosen, share);
    eb_asked asked =
        {.shared = s, .question = &p, .own = own_count, .take = give_chunk, .answer = other_count, .cut = true};
    EB_TRY(eb_shared_choice(s, question, &chosen.choice, status));
    eb_packet packet = eb_shared_packet(s);
    eb_chunks_begin(&p.source, s->blocks ? ranks : eb_chunks_for(&s->inner, share, ranks, eb_ranks_eager(s->ranks)),
                    ranks);
    eb_put_question(&packet, &chosen, share);
    eb_pack_u64(&packet, p.source.chunks);
    EB_TRY(eb_shared_ask(&asked, EB_ASK_COUNT, &packet, status));
    *entries = p.entries + p.others;
    return EB_OK;
}

/* ---- joins: every hit to rank 0 ---- */

static eb_code pass_hits(void *context, unsigned thread, const eb_hit *hits, size_t number, eb_status *status)
{
    pairs *p = context;
    if (thread > 0)
        return p->sink->hits(p->sink->context, thread, hits, number, status);
    (void)pthread_mutex_lock(&p->first);
    const eb_code failed = p->sink->hits(p->sink->context, 0, hits, number, status);
    (void)pthread_mutex_unlock(&p->first);
    return failed;
}

static eb_code own_join(void *context, eb_status *status)
{
    pairs *p = context;
    const eb_opened *inner = &p->shared->inner;
    const eb_sink sink = {.context = p, .hits = pass_hits};
    return inner->run->join(inner->state, p->question, &p->part, &sink, status);
}

static eb_code other_hits(void *context, const eb_letter *message, eb_status *status)
{
    return pass_hits(context, 0, (const eb_hit *)(const void *)message->bytes, message->size / sizeof(eb_hit), status);
}

static eb_code join_hits(eb_shared *s, const eb_question *question, const eb_share *share, const eb_sink *sink,
                         eb_status *status)
{
    pairs p = pairs_of(s, question, share);
    eb_asked asked = {.shared = s, .question = &p, .own = own_join, .take = other_hits, .cut = true};
    eb_packet packet = eb_shared_packet(s);
    p.sink = sink;
    eb_put_question(&packet, question, share);
    eb_pack_u64(&packet, 0);
    (void)pthread_mutex_init(&p.first, NULL);
    const eb_code failed = eb_shared_ask(&asked, EB_ASK_JOIN, &packet, status);
    (void)pthread_mutex_destroy(&p.first);
    return failed;
}

/* ---- joins: every rank makes its rows, and gives them to rank 0 ---- */

typedef struct rows {
    eb_shared *shared;
    eb_asked asked; /* the first question */
    const eb_question *question;
    eb_share part; /* rank 0's */
    eb_owner owner;
    eb_neighbours *own;
    size_t begin, end;   /* rows of the join */
    uint64_t *offsets;   /* [end − begin + 1] first of each rank's own table, then of the whole one */
    uint64_t *base;      /* [ranks] entries before a rank's rows */
    uint64_t told, came; /* rows whose offsets have come; entries, columns and distances each */
    eb_row_places places;
} rows;

static size_t first_of(const rows *r, unsigned rank)
{
    return eb_first_owned(r->begin, r->end, rank, eb_ranks_count(r->shared->ranks)) - r->begin;
}

static eb_code own_rows(void *context, eb_status *status)
{
    rows *r = context;
    const eb_opened *inner = &r->shared->inner;
    const eb_sink sink = eb_owner_sink(&r->owner);
    r->owner.request.number = r->asked.number;
    EB_TRY(inner->run->join(inner->state, r->question, &r->part, &sink, status));
    EB_TRY(eb_owner_finish(&r->owner, inner->context.job, &r->own, status));
    eb_figures_add(inner->context.figures, &eb_figure_table, r->owner.build_s);
    r->asked.own_s -= r->owner.waited_s;
    for (size_t k = 0; k < r->own->rows; k++)
        r->offsets[k + 1] = r->own->offsets[k + 1];
    return EB_OK;
}

static eb_code take_offsets(rows *r, const eb_letter *letter, eb_status *status)
{
    eb_packet packet = eb_packet_of(letter);
    const uint64_t first = eb_unpack_u64(&packet), all = r->end - r->begin;
    const uint64_t count = (letter->size - packet.at) / sizeof *r->offsets;
    if (packet.failed || first < r->begin || first - r->begin > all || count > all - (first - r->begin))
        return eb_fail(status, EB_INTERNAL, "rank %u gives rows from %llu on in a join of rows %zu to %zu",
                       letter->from, (unsigned long long)first, r->begin, r->end);
    eb_unpack(&packet, r->offsets + (first - r->begin) + 1, (size_t)count * sizeof *r->offsets);
    r->told += count;
    return EB_OK;
}

static eb_code other_rows(void *context, const eb_letter *letter, eb_status *status)
{
    rows *r = context;
    return letter->kind == EB_OFFSETS ? take_offsets(r, letter, status) : eb_owner_take(&r->owner, letter, status);
}

/* Makes one row of offsets of those that begin anew with each rank. */
static void join_offsets(const rows *r)
{
    const unsigned ranks = eb_ranks_count(r->shared->ranks);
    uint64_t before = 0;
    for (unsigned rank = 0; rank < ranks; rank++) {
        const size_t first = first_of(r, rank), end = first_of(r, rank + 1);
        r->base[rank] = before;
        for (size_t k = first; k < end; k++)
            r->offsets[k + 1] += before;
        before = r->offsets[end];
    }
}

/* ---- their entries ---- */

static eb_code own_entries(void *context, eb_status *status)
{
    const rows *r = context;
    const size_t entries = (size_t)r->own->offsets[r->own->rows];
    (void)status;
    if (entries)
        memcpy(r->places.columns, r->own->columns, entries * sizeof *r->own->columns);
    if (entries && r->places.distance_bytes)
        memcpy(r->places.distances, r->own->any_distances, entries * r->places.distance_bytes);
    return EB_OK;
}

static eb_code other_entries(void *context, const eb_letter *letter, eb_status *status)
{
    rows *r = context;
    eb_packet packet = eb_packet_of(letter);
    const bool distances = eb_unpack_u64(&packet) != 0;
    const uint64_t first = eb_unpack_u64(&packet), size = letter->size - packet.at;
    const size_t width = distances ? r->places.distance_bytes : sizeof *r->places.columns;
    const uint64_t begin = r->base[letter->from] * width, end = r->offsets[first_of(r, letter->from + 1)] * width;
    if (packet.failed || first > end - begin || size > end - begin - first)
        return eb_fail(status, EB_INTERNAL, "rank %u gives more entries than it has told", letter->from);
    eb_unpack(&packet, (char *)(distances ? r->places.distances : (void *)r->places.columns) + begin + first,
              (size_t)size);
    r->came += size;
    return EB_OK;
}

static eb_code fetch_entries(rows *r, eb_status *status)
{
    const uint64_t all = r->offsets[r->end - r->begin], own = r->own->offsets[r->own->rows];
    const uint64_t expected = (all - own) * (sizeof *r->places.columns + r->places.distance_bytes);
    eb_asked asked = {.shared = r->shared, .question = r, .own = own_entries, .take = other_entries};
    eb_packet packet = eb_shared_packet(r->shared);
    r->came = 0;
    EB_TRY(eb_shared_ask(&asked, EB_ASK_ROWS, &packet, status));
    return r->came == expected ? EB_OK
                               : eb_fail(status, EB_INTERNAL, "other ranks gave %llu of %llu bytes of their rows",
                                         (unsigned long long)r->came, (unsigned long long)expected);
}

static eb_code place_rows(rows *r, const eb_sink *sink, eb_status *status)
{
    const size_t others = r->end - r->begin - r->own->rows;
    if (r->told != others)
        return eb_fail(status, EB_INTERNAL, "other ranks gave %llu of %zu rows", (unsigned long long)r->told, others);
    join_offsets(r);
    EB_TRY(sink->place(sink->context, r->begin, r->end - r->begin, r->offsets, &r->places, status));
    EB_TRY(fetch_entries(r, status));
    return sink->placed(sink->context, status);
}

static eb_code ask_rows(rows *r, const eb_share *share, const eb_sink *sink, eb_status *status)
{
    eb_packet packet = eb_shared_packet(r->shared);
    r->asked = (eb_asked){.shared = r->shared, .question = r, .own = own_rows, .take = other_rows, .cut = true};
    eb_put_question(&packet, r->question, share);
    eb_pack_u64(&packet, 1);
    eb_pack_u64(&packet, sink->kind->distance_bytes);
    eb_pack_f64(&packet, sink->kind->unit);
    eb_pack_u64(&packet, sink->kind->memory_limit);
    EB_TRY(eb_shared_ask(&r->asked, EB_ASK_JOIN, &packet, status));
    return place_rows(r, sink, status);
}

static eb_code join_rows(eb_shared *s, const eb_question *question, const eb_share *share, const eb_sink *sink,
                         eb_status *status)
{
    const eb_problem *problem = &s->outer->problem;
    const size_t count = share->row_end - share->row_begin;
    rows r = {.shared = s,
              .question = question,
              .part = eb_share_of_rank(share, 0, eb_ranks_count(s->ranks)),
              .begin = share->row_begin,
              .end = share->row_end};
    const eb_owner_request request = {.transport = eb_ranks_transport(s->ranks),
                                      .n = problem->left->n,
                                      .others = problem->right->n,
                                      .self = eb_is_self_join(problem),
                                      .row_begin = share->row_begin,
                                      .row_end = share->row_end,
                                      .threads = s->inner.context.threads,
                                      .kind = *sink->kind};
    r.offsets = calloc(count + 1, sizeof *r.offsets);
    r.base = calloc(eb_ranks_count(s->ranks), sizeof *r.base);
    eb_code failed =
        r.offsets && r.base ? EB_OK : eb_fail_memory(status, "the rows' places", count * sizeof *r.offsets);
    if (!failed)
        failed = eb_owner_begin(&request, &r.owner, status);
    if (!failed) {
        failed = ask_rows(&r, share, sink, status);
        eb_owner_end(&r.owner);
    }
    eb_neighbours_free(r.own);
    free(r.offsets);
    free(r.base);
    return failed;
}

/* A part of a share has pairs of all rows. */
eb_code eb_shared_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                       eb_status *status)
{
    eb_question chosen = *question;
    EB_TRY(eb_shared_choice(state, question, &chosen.choice, status));
    return sink->kind && share->parts == 1 && share->row_end > share->row_begin
               ? join_rows(state, &chosen, share, sink, status)
               : join_hits(state, &chosen, share, sink, status);
}
