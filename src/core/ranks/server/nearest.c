#include "core/ranks/server/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "core/knn/heaps.h"

typedef struct searching {
    const eb_asked_here *a;
    eb_nearest_rows question; /* of this rank's queries; it owns `query`, `near` and `count` */
    size_t first;             /* of them among all */
    uint32_t *query;
} searching;

/* Lists the rank's queries by points. rows: of all queries; NULL: query q is point q. */
static eb_code list(searching *s, const unsigned char *rows, eb_status *status)
{
    const size_t points = s->a->opened->problem.left->n;
    s->query = malloc(points * sizeof *s->query);
    if (!s->query)
        return eb_fail_memory(status, "the queries", points * sizeof *s->query);
    for (size_t i = 0; i < points; i++)
        s->query[i] = EB_NO_POINT;
    for (size_t q = 0; q < s->question.queries; q++) {
        uint32_t row = (uint32_t)(s->first + q);
        if (rows)
            memcpy(&row, rows + (s->first + q) * sizeof row, sizeof row);
        if (row >= points)
            return eb_fail(status, EB_INTERNAL, "rank 0 asks for point %u of %zu", row, points);
        s->query[row] = (uint32_t)q;
    }
    s->question.query = s->query;
    return EB_OK;
}

static eb_code get_question(searching *s, eb_status *status)
{
    eb_packet *packet = s->a->packet;
    const eb_transport *transport = s->a->transport;
    const size_t points = s->a->opened->problem.left->n;
    s->question = (eb_nearest_rows){.k = (size_t)eb_unpack_u64(packet), .most = eb_unpack_f64(packet)};
    const size_t all = (size_t)eb_unpack_u64(packet);
    const bool listed = eb_unpack_u64(packet) != 0, nobody = eb_unpack_u64(packet) != 0;
    const unsigned char *rows = NULL;
    if (listed)
        rows = eb_unpack_bytes(packet, all <= SIZE_MAX / sizeof(uint32_t) ? all * sizeof(uint32_t) : SIZE_MAX);
    if (nobody)
        s->question.nobody = eb_unpack_bytes(packet, points);
    if (packet->failed || all > points || s->question.k == 0 || s->question.k > points)
        return eb_fail(status, EB_INTERNAL, "rank 0 asks for the nearest of too many queries, %zu", all);
    s->first = eb_first_of_rank(all, transport->rank, transport->ranks);
    s->question.queries = eb_first_of_rank(all, transport->rank + 1, transport->ranks) - s->first;
    return list(s, rows, status);
}

static eb_code send_answers(const searching *s, eb_status *status)
{
    const eb_nearest_rows *question = &s->question;
    const size_t at_once = question->k < EB_HITS_AT_ONCE ? EB_HITS_AT_ONCE / question->k : 1;
    for (size_t done = 0; done < question->queries; done += at_once) {
        const size_t now = question->queries - done < at_once ? question->queries - done : at_once;
        eb_packet packet = {.failed = false};
        eb_pack_u64(&packet, s->first + done);
        eb_pack_u64(&packet, now);
        eb_pack(&packet, question->count + done, now * sizeof *question->count);
        eb_pack(&packet, question->near + done * question->k, now * question->k * sizeof *question->near);
        EB_TRY(eb_packet_send(s->a->transport, 0, EB_NEAREST, s->a->number, &packet, status));
    }
    return EB_OK;
}

static eb_code search(searching *s, eb_status *status)
{
    const eb_opened *opened = s->a->opened;
    eb_nearest_rows *question = &s->question;
    const size_t room = question->queries ? question->queries : 1, entries = room * question->k;
    question->near = eb_near_room(room, question->k);
    question->count = calloc(room, sizeof *question->count);
    if (!question->near || !question->count)
        return eb_fail_memory(status, "the nearest", entries * sizeof *question->near);
    memset(question->near, 0, entries * sizeof *question->near); /* what no query fills is sent, too */
    EB_TRY(opened->run->nearest_rows(opened->state, question, status));
    return send_answers(s, status);
}

eb_code eb_served_nearest(const eb_asked_here *a, eb_status *status)
{
    searching s = {.a = a};
    if (!a->opened->run->nearest_rows)
        return eb_fail(status, EB_NO_ENGINE, "this rank joins");
    eb_code failed = get_question(&s, status);
    failed = failed ? failed : search(&s, status);
    free(s.question.near);
    free(s.question.count);
    free(s.query);
    return failed;
}
