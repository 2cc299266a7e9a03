#include "core/ranks/shared_pass.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/pass.h"

typedef struct values {
    double *value;
    size_t count, room;
} values;

typedef struct passing {
    eb_shared *shared;
    eb_distance_pass own; /* rank 0's part */
    const eb_distance_pass *pass;
    uint64_t *others; /* [edges] pairs of the other ranks */
    values *kept;     /* [edges] their distances */
} passing;

static eb_code own_pass(void *context, eb_status *status)
{
    passing *p = context;
    const eb_opened *inner = &p->shared->inner;
    return inner->run->histogram(inner->state, &p->own, status);
}

static eb_code take_values(void *context, const eb_letter *message, eb_status *status)
{
    passing *p = context;
    eb_packet packet = eb_packet_of(message);
    const uint64_t interval = eb_unpack_u64(&packet);
    const size_t count = (message->size - packet.at) / sizeof(double);
    if (packet.failed || interval >= p->pass->edges)
        return eb_fail(status, EB_INTERNAL, "rank %u gives distances of interval %llu of %zu", message->from,
                       (unsigned long long)interval, p->pass->edges);
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
    for (size_t k = 0; k < p->pass->edges; k++)
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
        {.shared = p->shared, .question = p, .own = own_pass, .take = take_values, .answer = other_pass, .cut = true};
    eb_packet packet = eb_shared_packet(p->shared);
    eb_pack_u64(&packet, p->own.choice);
    eb_pack_u64(&packet, pass->part);
    eb_pack_u64(&packet, pass->parts ? pass->parts : 1);
    eb_pack_u64(&packet, pass->edges);
    for (size_t k = 0; k < pass->edges; k++) {
        eb_pack_f64(&packet, pass->eps[k]);
        eb_pack_u64(&packet, pass->keep[k]);
    }
    EB_TRY(eb_shared_ask(&asked, EB_ASK_HISTOGRAM, &packet, status));
    eb_code failed = eb_pass_add(pass, &p->own, status);
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
    passing p = {.shared = s, .pass = pass};
    eb_pass_clear(pass);
    if (edges == 0)
        return EB_OK;
    eb_code failed = eb_pass_part(pass, 0, eb_ranks_count(s->ranks), &p.own, status);
    p.others = calloc(edges, sizeof *p.others);
    p.kept = calloc(edges, sizeof *p.kept);
    if (!failed && !(p.others && p.kept))
        failed = eb_fail_memory(status, "a pass's intervals", edges * sizeof *p.kept);
    failed = failed ? failed : eb_shared_choice(s, &question, &p.own.choice, status);
    failed = failed ? failed : ask(&p, pass, status);
    for (size_t k = 0; k < edges && p.kept; k++)
        free(p.kept[k].value);
    eb_pass_part_free(&p.own);
    free(p.others);
    free(p.kept);
    return failed;
}
