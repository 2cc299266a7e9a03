#include "core/ranks/shared_pass.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/pass.h"
#include "core/ranks/chunks.h"

typedef struct values {
    double *value;
    size_t count, room;
} values;

typedef struct passing {
    eb_shared *shared;
    eb_distance_pass pass;  /* the caller's, with rank 0's choice; gets rank 0's parts while the others make theirs */
    eb_chunk_source source; /* of its parts */
    uint64_t *others;       /* [edges] pairs of the other ranks */
    values *kept;           /* [edges] their distances */
} passing;

static eb_code pass_chunk(void *context, unsigned chunk, eb_status *status)
{
    passing *p = context;
    const eb_opened *inner = &p->shared->inner;
    return eb_pass_ask_part(inner->run, inner->state, &p->pass, chunk, p->source.chunks, status);
}

static eb_code own_pass(void *context, eb_status *status)
{
    passing *p = context;
    return eb_chunks_do(&p->source, pass_chunk, p, status);
}

static eb_code take_letter(void *context, const eb_letter *message, eb_status *status)
{
    passing *p = context;
    if (message->kind == EB_MORE)
        return eb_chunk_give(&p->source, eb_ranks_transport(p->shared->ranks), message, status);
    eb_packet packet = eb_packet_of(message);
    const uint64_t interval = eb_unpack_u64(&packet);
    const size_t count = (message->size - packet.at) / sizeof(double);
    if (packet.failed || interval >= p->pass.edges)
        return eb_fail(status, EB_INTERNAL, "rank %u gives distances of interval %llu of %zu", message->from,
                       (unsigned long long)interval, p->pass.edges);
    values *to = &p->kept[interval];
    if (to->count + count > to->room) {
        const size_t room = 2 * to->room > to->count + count ? 2 * to->room : to->count + count;
        double *grown = realloc(to->value, room * sizeof *grown);
        if (!grown)
            return eb_fail_memory(status, "the distances inside the brackets", room * sizeof *grown);
        to->value = grown;
        to->room = room;
    }
    eb_unpack(&packet, to->value + to->count, count * sizeof(double));
    to->count += count;
    return EB_OK;
}

static eb_code other_pass(void *context, unsigned from, eb_packet *packet, eb_status *status)
{
    const passing *p = context;
    (void)from;
    (void)status;
    for (size_t k = 0; k < p->pass.edges; k++)
        p->others[k] += eb_unpack_u64(packet);
    return EB_OK;
}

/* The distances of the other ranks came in pieces. */
static eb_code add_others(passing *p, eb_distance_pass *pass, eb_status *status)
{
    eb_distance_pass others;
    eb_code failed = eb_pass_part(pass, 0, 1, &others, status);
    for (size_t k = 0; k < pass->edges && !failed; k++) {
        others.pairs[k] = p->others[k];
        if (!pass->keep[k])
            continue;
        others.kept[k] = p->kept[k].value;
        p->kept[k].value = NULL;
        if (p->kept[k].count != p->others[k])
            failed = eb_fail(status, EB_INTERNAL, "other ranks gave %zu of %llu distances", p->kept[k].count,
                             (unsigned long long)p->others[k]);
    }
    failed = failed ? failed : eb_pass_add(pass, &others, status);
    eb_pass_part_free(&others);
    return failed;
}

static eb_code ask(passing *p, eb_distance_pass *pass, eb_status *status)
{
    eb_asked asked =
        {.shared = p->shared, .question = p, .own = own_pass, .take = take_letter, .answer = other_pass, .cut = true};
    eb_packet packet = eb_shared_packet(p->shared);
    eb_pack_u64(&packet, p->pass.choice);
    eb_pack_u64(&packet, p->source.chunks);
    eb_pack_u64(&packet, pass->part);
    eb_pack_u64(&packet, pass->parts ? pass->parts : 1);
    eb_pack_u64(&packet, pass->edges);
    for (size_t k = 0; k < pass->edges; k++) {
        eb_pack_f64(&packet, pass->eps[k]);
        eb_pack_u64(&packet, pass->keep[k]);
    }
    eb_code failed = eb_shared_ask(&asked, EB_ASK_HISTOGRAM, &packet, status);
    failed = failed ? failed : add_others(p, pass, status);
    if (failed)
        eb_pass_drop(pass);
    return failed;
}

eb_code eb_shared_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_shared *s = state;
    const size_t edges = pass->edges;
    const eb_question question = {.eps = edges ? pass->eps[edges - 1] : 0, .choice = pass->choice};
    const eb_share whole = eb_pass_share(pass, s->outer->problem.left->n);
    const unsigned ranks = eb_ranks_count(s->ranks);
    passing p = {.shared = s, .pass = *pass};
    eb_pass_clear(pass);
    if (edges == 0)
        return EB_OK;
    eb_chunks_begin(&p.source, s->blocks ? ranks : eb_chunks_for(&s->inner, &whole, ranks, eb_ranks_eager(s->ranks)),
                    ranks);
    p.others = calloc(edges, sizeof *p.others);
    p.kept = calloc(edges, sizeof *p.kept);
    eb_code failed = p.others && p.kept ? EB_OK : eb_fail_memory(status, "a pass's intervals", edges * sizeof *p.kept);
    failed = failed ? failed : eb_shared_choice(s, &question, &p.pass.choice, status);
    failed = failed ? failed : ask(&p, pass, status);
    for (size_t k = 0; k < edges && p.kept; k++)
        free(p.kept[k].value);
    free(p.others);
    free(p.kept);
    return failed;
}
