#include "core/ranks/queries/shared_nearest.h"

#include <stdlib.h>
#include <string.h>

#include "core/knn/best.h"
#include "core/ranks/part.h"

typedef struct searching {
    eb_shared *shared;
    const eb_nearest_rows *question;
    size_t own;     /* rank 0's queries */
    uint32_t *mine; /* [points] the query that each point is, if it is rank 0's */
    uint64_t came;  /* queries that other ranks have answered */
} searching;

static eb_code search_own(void *context, eb_status *status)
{
    const searching *s = context;
    const eb_opened *inner = &s->shared->inner;
    eb_nearest_rows question = *s->question;
    question.queries = s->own;
    question.query = s->mine;
    return inner->run->nearest_rows(inner->state, &question, status);
}

static eb_code take_answers(void *context, const eb_letter *message, eb_status *status)
{
    searching *s = context;
    const eb_nearest_rows *question = s->question;
    eb_packet packet = eb_packet_of(message);
    const uint64_t first = eb_unpack_u64(&packet), count = eb_unpack_u64(&packet);
    if (packet.failed || first > question->queries || count > question->queries - first ||
        packet.size - packet.at != count * (sizeof *question->count + question->k * sizeof *question->near))
        return eb_fail(status, EB_INTERNAL, "rank %u gives the nearest of queries from %llu on of %zu", message->from,
                       (unsigned long long)first, question->queries);
    eb_unpack(&packet, question->count + first, (size_t)count * sizeof *question->count);
    eb_unpack(&packet, question->near + first * question->k, (size_t)count * question->k * sizeof *question->near);
    s->came += count;
    return EB_OK;
}

static void pack_question(eb_packet *packet, const eb_nearest_rows *question, size_t points)
{
    eb_pack_u64(packet, question->k);
    eb_pack_f64(packet, question->most);
    eb_pack_u64(packet, question->queries);
    eb_pack_u64(packet, question->rows != NULL);
    eb_pack_u64(packet, question->nobody != NULL);
    if (question->rows)
        eb_pack(packet, question->rows, question->queries * sizeof *question->rows);
    if (question->nobody)
        eb_pack(packet, question->nobody, points);
}

static eb_code ask(searching *s, eb_status *status)
{
    const eb_nearest_rows *question = s->question;
    const size_t points = s->shared->outer->problem.left->n;
    eb_asked asked = {.shared = s->shared, .question = s, .own = search_own, .take = take_answers};
    eb_packet packet = eb_shared_packet(s->shared);
    for (size_t i = 0; i < points; i++)
        s->mine[i] = question->query[i] < s->own ? question->query[i] : EB_NO_POINT;
    pack_question(&packet, question, points);
    EB_TRY(eb_shared_ask(&asked, EB_ASK_NEAREST, &packet, status));
    const uint64_t others = question->queries - s->own;
    return s->came == others ? EB_OK
                             : eb_fail(status, EB_INTERNAL, "other ranks answered %llu of %llu queries",
                                       (unsigned long long)s->came, (unsigned long long)others);
}

eb_code eb_shared_nearest(void *state, const eb_nearest_rows *question, eb_status *status)
{
    eb_shared *shared = state;
    const size_t points = shared->outer->problem.left->n;
    searching s = {.shared = shared,
                   .question = question,
                   .own = eb_first_of_rank(question->queries, 1, eb_ranks_count(shared->ranks))};
    if (shared->blocks || shared->inner.setup->device.kind != EB_DEVICE_CPU)
        return eb_fail(status, EB_NO_ENGINE, "ranks join here");
    s.mine = malloc(points * sizeof *s.mine);
    const eb_code failed = s.mine ? ask(&s, status) : eb_fail_memory(status, "the queries", points * sizeof *s.mine);
    free(s.mine);
    return failed;
}
