#include "core/ranks/shared_pass.h"

#include <stdlib.h>
#include <string.h>

#include "core/ranks/part.h"

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

/* Puts an interval's distances of rank 0 and of the others into one array. */
static eb_code add_up(passing *p, eb_distance_pass *pass, size_t k, eb_status *status)
{
    const size_t own = (size_t)p->own.pairs[k], others = p->kept[k].count;
    pass->pairs[k] = p->own.pairs[k] + p->others[k];
    if (!pass->keep[k])
        return EB_OK;
    if (others != p->others[k])
        return eb_fail(status, EB_INTERNAL, "other ranks gave %zu of %llu distances", others,
                       (unsigned long long)p->others[k]);
    double *all = realloc(p->own.kept[k], (own + others ? own + others : 1) * sizeof *all);
    if (!all)
        return eb_fail_memory(status, "the distances inside the brackets", (own + others) * sizeof *all);
    if (others)
        memcpy(all + own, p->kept[k].value, others * sizeof *all);
    p->own.kept[k] = NULL;
    pass->kept[k] = all;
    free(p->kept[k].value);
    p->kept[k].value = NULL;
    return EB_OK;
}

static eb_code ask(passing *p, eb_distance_pass *pass, eb_status *status)
{
    eb_asked asked =
        {.shared = p->shared, .question = p, .own = own_pass, .take = take_values, .answer = other_pass, .cut = true};
    eb_packet packet = eb_shared_packet(p->shared);
    eb_code failed = EB_OK;
    eb_pack_u64(&packet, p->own.choice);
    eb_pack_u64(&packet, pass->part);
    eb_pack_u64(&packet, pass->parts ? pass->parts : 1);
    eb_pack_u64(&packet, pass->edges);
    for (size_t k = 0; k < pass->edges; k++) {
        eb_pack_f64(&packet, pass->eps[k]);
        eb_pack_u64(&packet, pass->keep[k]);
    }
    EB_TRY(eb_shared_ask(&asked, EB_ASK_HISTOGRAM, &packet, status));
    for (size_t k = 0; k < pass->edges && !failed; k++)
        failed = add_up(p, pass, k, status);
    for (size_t k = 0; k < pass->edges && failed; k++) {
        free(pass->kept[k]);
        pass->kept[k] = NULL;
    }
    return failed;
}

eb_code eb_shared_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_shared *s = state;
    const size_t edges = pass->edges;
    const unsigned parts = pass->parts ? pass->parts : 1;
    const eb_question question = {.eps = edges ? pass->eps[edges - 1] : 0, .choice = pass->choice};
    passing p = {.shared = s, .own = *pass, .pass = pass};
    for (size_t k = 0; k < edges; k++)
        pass->kept[k] = NULL;
    if (edges == 0)
        return EB_OK;
    EB_TRY(eb_shared_choice(s, &question, &p.own.choice, status));
    p.own.part = pass->part * eb_ranks_count(s->ranks);
    p.own.parts = parts * eb_ranks_count(s->ranks);
    p.own.pairs = calloc(edges, sizeof *p.own.pairs);
    p.own.kept = calloc(edges, sizeof *p.own.kept);
    p.others = calloc(edges, sizeof *p.others);
    p.kept = calloc(edges, sizeof *p.kept);
    eb_code failed = p.own.pairs && p.own.kept && p.others && p.kept
                         ? ask(&p, pass, status)
                         : eb_fail_memory(status, "a pass's intervals", edges * sizeof *p.kept);
    for (size_t k = 0; k < edges && p.own.kept && p.kept; k++) {
        free(p.own.kept[k]);
        free(p.kept[k].value);
    }
    free(p.own.pairs);
    free(p.own.kept);
    free(p.others);
    free(p.kept);
    return failed;
}
