#include "core/ranks/server/served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/pass.h"
#include "core/ranks/blocks/queries.h"
#include "core/ranks/part.h"
#include "core/ranks/server/clusters.h"
#include "core/ranks/server/nearest.h"
#include "core/ranks/server/rows.h"

/* ---- opening and closing ---- */

/* The device for this rank of its host: the ranks of a host take its GPUs in turns. */
static void name_device(const eb_server_request *request, eb_device_kind kind, char *name, size_t size)
{
    eb_device found;
    unsigned gpus = 0;
    if (kind == EB_DEVICE_CPU) {
        (void)snprintf(name, size, "cpu");
        return;
    }
    do
        (void)snprintf(name, size, "cuda:%u", gpus);
    while (gpus < 64 && !request->find(request->context, name, &found, NULL) && ++gpus);
    (void)snprintf(name, size, "cuda:%u", gpus ? request->transport->place.on_host % gpus : 0);
}

static eb_code read_setup(const eb_server_request *request, eb_packet *packet, eb_setup *out, eb_status *status)
{
    char text[EB_SPEC_TEXT], device[EB_DEVICE_NAME];
    double limit[EB_LIMITS];
    eb_spec spec;
    eb_unpack_text(packet, text, sizeof text);
    const eb_device_kind kind = (eb_device_kind)eb_unpack_u64(packet);
    const unsigned threads = (unsigned)eb_unpack_u64(packet), deciding = (unsigned)eb_unpack_u64(packet);
    const uint64_t memory_limit = eb_unpack_u64(packet);
    eb_unpack(packet, limit, sizeof limit);
    if (packet->failed)
        return eb_fail(status, EB_INTERNAL, "rank 0 gives a problem that is too short");
    EB_TRY(eb_spec_parse(text, NULL, &spec, status));
    name_device(request, kind, device, sizeof device);
    memcpy(spec.device, device, sizeof spec.device);
    EB_TRY(eb_setup_make(&spec, device, request->find, request->context, out, status));
    memcpy(out->device.limit, limit, sizeof limit); /* engines decide by them, on all ranks alike */
    out->resources = (eb_resources){.threads = threads ? threads : request->transport->place.cores,
                                    .memory_limit = memory_limit,
                                    .deciding = deciding};
    return EB_OK;
}

/* What came are this rank's blocks; these are the numbers of all points. */
static eb_code open_blocks(eb_holdings *has, size_t left, size_t right, eb_job *job, eb_served *s, eb_status *status)
{
    eb_blocks_request request = {.setup = &s->setup,
                                 .left = *s->problem.left,
                                 .right = *s->problem.right,
                                 .post = &has->post,
                                 .held = &has->points};
    s->whole[0] = request.left;
    s->whole[0].n = left;
    s->whole[1] = request.right;
    s->whole[1].n = right;
    s->whole[0].rows = s->whole[1].rows = NULL;
    request.problem = (eb_problem){.left = &s->whole[0], .right = &s->whole[eb_is_self_join(&s->problem) ? 0 : 1]};
    return eb_blocks_open(&request, job, &s->opened, status);
}

static eb_code open_problem(const eb_server_request *request, eb_holdings *has, eb_packet *packet, eb_job *job,
                            eb_served *s, eb_status *status)
{
    const uint64_t left = eb_unpack_u64(packet), right = eb_unpack_u64(packet);
    const bool blocks = eb_unpack_u64(packet) != 0;
    const uint64_t left_points = eb_unpack_u64(packet), right_points = eb_unpack_u64(packet);
    const eb_setup *const setup = &s->setup;
    EB_TRY(read_setup(request, packet, &s->setup, status));
    EB_TRY(eb_setups_prepare(&setup, 1, job, status));
    EB_TRY(eb_held_wait(&has->points, left, job, &s->problem.left, status));
    s->problem.right = s->problem.left;
    if (right != left)
        EB_TRY(eb_held_wait(&has->points, right, job, &s->problem.right, status));
    return blocks ? open_blocks(has, (size_t)left_points, (size_t)right_points, job, s, status)
                  : eb_problem_open_here(&s->setup, &s->problem, job, &s->opened, status);
}

eb_code eb_served_open(const eb_server_request *request, eb_holdings *has, const eb_letter *message, eb_job *job,
                       eb_served **list, eb_status *status)
{
    eb_packet packet = eb_packet_of(message);
    eb_served *s = calloc(1, sizeof *s);
    if (!s)
        return eb_fail_memory(status, "a problem", sizeof *s);
    s->number = eb_unpack_u64(&packet);
    s->keep = request->keep;
    s->next = *list;
    *list = s;
    if (!open_problem(request, has, &packet, job, s, &s->failure))
        s->failure.code = EB_OK;
    s->opened.context.job = NULL;
    s->opened.context.figures = NULL;
    return EB_OK;
}

static void close_one(eb_served **at)
{
    eb_served *s = *at;
    *at = s->next;
    if (!s->failure.code)
        eb_problem_close(&s->opened);
    eb_neighbours_free(s->table);
    free(s);
}

static eb_served **find(eb_served **list, uint64_t number)
{
    while (*list && (*list)->number != number)
        list = &(*list)->next;
    return list;
}

void eb_served_close(eb_served **list, uint64_t number)
{
    eb_served **at = find(list, number);
    if (*at)
        close_one(at);
}

void eb_served_close_all(eb_served **list)
{
    while (*list)
        close_one(list);
}

/* ---- pairs ---- */

typedef eb_asked_here asked;

/* Calls the body for each part that this rank takes. */
static eb_code do_chunks(const asked *a, unsigned chunks, eb_chunk_body body, void *context, eb_status *status)
{
    const unsigned ranks = a->transport->ranks;
    eb_chunks run = eb_chunks_first(chunks, a->transport->rank, ranks);
    while (run.count > 0) {
        for (unsigned k = 0; k < run.count; k++) {
            if (chunks > ranks && k + 1 == run.count) /* it computes meanwhile */
                EB_TRY(eb_chunk_ask(a->transport, a->number, status));
            EB_TRY(body(context, run.first + k, status));
        }
        if (chunks == ranks)
            break;
        EB_TRY(eb_chunk_wait(a->transport, a->chunks, a->number, a->job, &run, status));
    }
    return EB_OK;
}

typedef struct counting {
    const asked *a;
    eb_question question;
    eb_share whole;
    unsigned chunks;
    uint64_t entries;
} counting;

static eb_code count_chunk(void *context, unsigned chunk, eb_status *status)
{
    counting *c = context;
    const eb_opened *opened = c->a->opened;
    const eb_share part = eb_share_of_rank(&c->whole, chunk, c->chunks);
    uint64_t entries = 0;
    EB_TRY(opened->run->count(opened->state, &c->question, &part, &entries, status));
    c->entries += entries;
    return EB_OK;
}

static eb_code count(const asked *a, eb_status *status)
{
    counting c = {.a = a};
    eb_get_whole_question(a, &c.question, &c.whole);
    c.chunks = (unsigned)eb_unpack_u64(a->packet);
    EB_TRY(do_chunks(a, c.chunks, count_chunk, &c, status));
    eb_pack_u64(a->result, c.entries);
    return EB_OK;
}

/* The hits that one thread has not sent yet. */
typedef struct parcel {
    _Alignas(64) eb_hit *hits; /* [EB_HITS_AT_ONCE], a message's bytes; NULL: none */
    size_t count;
} parcel;

typedef struct sending {
    const asked *of;
    parcel *thread; /* [threads] */
} sending;

static eb_code send_parcel(const sending *s, parcel *p, eb_status *status)
{
    eb_letter message = {.kind = EB_HITS,
                         .number = s->of->number,
                         .size = p->count * sizeof *p->hits,
                         .bytes = (unsigned char *)p->hits};
    const eb_transport *t = s->of->transport;
    *p = (parcel){.hits = NULL};
    return t->send(t->state, 0, &message, status);
}

static eb_code send_hits(void *context, unsigned thread, const eb_hit *hits, size_t number, eb_status *status)
{
    const sending *s = context;
    parcel *p = &s->thread[thread];
    while (number > 0) {
        if (!p->hits)
            p->hits = (void *)eb_letter_bytes(EB_HITS_AT_ONCE * sizeof *p->hits);
        if (!p->hits)
            return eb_fail_memory(status, "pairs on their way", EB_HITS_AT_ONCE * sizeof *p->hits);
        const size_t room = EB_HITS_AT_ONCE - p->count, now = number < room ? number : room;
        memcpy(p->hits + p->count, hits, now * sizeof *hits);
        p->count += now;
        hits += now;
        number -= now;
        if (p->count == EB_HITS_AT_ONCE)
            EB_TRY(send_parcel(s, p, status));
    }
    return EB_OK;
}

/* Every hit to rank 0. */
static eb_code join_hits(const asked *a, const eb_question *question, const eb_share *share, eb_status *status)
{
    const unsigned threads = a->opened->context.threads;
    sending s = {a, aligned_alloc(64, threads * sizeof *s.thread)};
    const eb_sink sink = {.context = &s, .hits = send_hits};
    if (!s.thread)
        return eb_fail_memory(status, "pairs on their way", threads * sizeof *s.thread);
    memset(s.thread, 0, threads * sizeof *s.thread);
    eb_code failed = a->opened->run->join(a->opened->state, question, share, &sink, status);
    for (unsigned t = 0; t < threads; t++) {
        if (!failed && s.thread[t].count)
            failed = send_parcel(&s, &s.thread[t], status);
        if (s.thread[t].hits)
            eb_letter_free(&(eb_letter){.bytes = (unsigned char *)s.thread[t].hits});
    }
    free(s.thread);
    return failed;
}

static eb_code join(const asked *a, eb_status *status)
{
    eb_question question;
    eb_share share;
    eb_get_question(a, &question, &share);
    eb_neighbours_free(*a->table);
    *a->table = NULL;
    return eb_unpack_u64(a->packet) ? eb_served_rows(a, &question, &share, status)
                                    : join_hits(a, &question, &share, status);
}

/* ---- distances ---- */

/* Sends values with a number in front of each message: an interval, or with `places` the first value's place. */
static eb_code send_values(const asked *a, uint32_t kind, uint64_t number, bool places, const double *values,
                           size_t count, eb_status *status)
{
    for (size_t done = 0; done < count; done += EB_VALUES_AT_ONCE) {
        const size_t now = count - done < EB_VALUES_AT_ONCE ? count - done : EB_VALUES_AT_ONCE;
        eb_packet packet = {.failed = false};
        eb_pack_u64(&packet, number + (places ? done : 0));
        eb_pack(&packet, values + done, now * sizeof *values);
        EB_TRY(eb_packet_send(a->transport, 0, kind, a->number, &packet, status));
    }
    return EB_OK;
}

typedef struct passing {
    const asked *a;
    eb_distance_pass own; /* what this rank's parts have */
    unsigned chunks;
} passing;

static eb_code pass_chunk(void *context, unsigned chunk, eb_status *status)
{
    passing *p = context;
    const eb_opened *opened = p->a->opened;
    return eb_pass_ask_part(opened->run, opened->state, &p->own, chunk, p->chunks, status);
}

/* Distances are sent at the end: each message costs the ranks some time (tests/bench/plan.md). */
static eb_code do_pass(passing *p, eb_status *status)
{
    const asked *a = p->a;
    eb_code failed = do_chunks(a, p->chunks, pass_chunk, p, status);
    for (size_t k = 0; k < p->own.edges; k++) {
        if (!failed && p->own.kept[k])
            failed = send_values(a, EB_VALUES, k, false, p->own.kept[k], (size_t)p->own.pairs[k], status);
        eb_pack_u64(a->result, p->own.pairs[k]);
    }
    return failed;
}

static eb_code histogram(const asked *a, eb_status *status)
{
    const unsigned choice = (unsigned)eb_unpack_u64(a->packet), chunks = (unsigned)eb_unpack_u64(a->packet);
    const unsigned part = (unsigned)eb_unpack_u64(a->packet), parts = (unsigned)eb_unpack_u64(a->packet);
    const size_t edges = (size_t)eb_unpack_u64(a->packet), room = edges ? edges : 1;
    if (a->packet->failed || edges > a->packet->size)
        return eb_fail(status, EB_INTERNAL, "rank 0 gives a pass that is too short");
    double *eps = calloc(room, sizeof *eps);
    bool *keep = calloc(room, sizeof *keep);
    const eb_distance_pass whole =
        {.part = part, .parts = parts, .choice = choice, .edges = edges, .eps = eps, .keep = keep};
    passing p = {.a = a, .chunks = chunks};
    for (size_t k = 0; k < edges && eps && keep; k++) {
        eps[k] = eb_unpack_f64(a->packet);
        keep[k] = eb_unpack_u64(a->packet) != 0;
    }
    eb_code failed = eps && keep ? eb_pass_part(&whole, 0, 1, &p.own, status)
                                 : eb_fail_memory(status, "a pass's intervals", edges * sizeof *eps);
    failed = failed ? failed : do_pass(&p, status);
    eb_pass_part_free(&p.own);
    free(eps);
    free(keep);
    return failed;
}

/* This rank's queries; the caller frees *out. */
static eb_code get_queries(const asked *a, uint32_t **out, size_t *first, size_t *count, eb_status *status)
{
    const size_t m = (size_t)eb_unpack_u64(a->packet);
    const unsigned char *rows = eb_unpack_bytes(a->packet, m <= SIZE_MAX / 4 ? m * sizeof **out : SIZE_MAX);
    if (!rows)
        return eb_fail(status, EB_INTERNAL, "rank 0 gives fewer queries than %zu", m);
    *first = eb_first_of_rank(m, a->transport->rank, a->transport->ranks);
    *count = eb_first_of_rank(m, a->transport->rank + 1, a->transport->ranks) - *first;
    *out = malloc((*count ? *count : 1) * sizeof **out);
    if (!*out)
        return eb_fail_memory(status, "queries", *count * sizeof **out);
    memcpy(*out, rows + *first * sizeof **out, *count * sizeof **out);
    return EB_OK;
}

static eb_code bins(const asked *a, eb_status *status)
{
    uint32_t *rows;
    size_t first, count;
    eb_bins b;
    if (eb_is_in_blocks(a->opened)) {
        EB_TRY(eb_blocks_bins(a->opened, a->packet, &b, status));
    } else {
        EB_TRY(get_queries(a, &rows, &first, &count, status));
        const eb_code failed = eb_ask_bins(a->opened, rows, count, &b, status);
        free(rows);
        if (failed)
            return failed;
    }
    eb_pack_bins(a->result, &b);
    eb_bins_free(&b);
    return EB_OK;
}

#define DISTANCES_BYTES ((size_t)64 << 20)

static eb_code distances(const asked *a, eb_status *status)
{
    uint32_t *rows;
    size_t first, count;
    const size_t n = a->opened->problem.right->n, fitting = DISTANCES_BYTES / (n * sizeof(double)) + 1;
    EB_TRY(get_queries(a, &rows, &first, &count, status));
    const size_t batch = count < fitting ? count : fitting;
    double *s = malloc((batch ? batch : 1) * n * sizeof *s);
    eb_code failed = s ? EB_OK : eb_fail_memory(status, "the queries' distances", batch * n * sizeof *s);
    for (size_t done = 0; done < count && !failed; done += batch) {
        const size_t now = count - done < batch ? count - done : batch;
        failed = eb_ask_distances(a->opened, rows + done, now, s, status);
        if (!failed)
            failed = send_values(a, EB_ROWS, (uint64_t)(first + done) * n, true, s, now * n, status);
    }
    free(s);
    free(rows);
    return failed;
}

/* ---- any question ---- */

static eb_code answer(const asked *a, uint32_t kind, eb_status *status)
{
    switch (kind) {
    case EB_ASK_COUNT: return count(a, status);
    case EB_ASK_JOIN: return join(a, status);
    case EB_ASK_ROWS: return eb_served_give_rows(a, status);
    case EB_ASK_KEEP: return eb_served_keep(a, status);
    case EB_ASK_NEIGHBOURS: return eb_served_neighbours(a, status);
    case EB_ASK_UNITE: return eb_served_unite(a, status);
    case EB_ASK_HISTOGRAM: return histogram(a, status);
    case EB_ASK_BINS: return bins(a, status);
    case EB_ASK_DISTANCES: return distances(a, status);
    case EB_ASK_NEAREST: return eb_served_nearest(a, status);
    default: return eb_fail(status, EB_INTERNAL, "rank 0 asks question %u, which is unknown here", kind);
    }
}

static void put_figures(eb_packet *to, const eb_figures *figures, const eb_opened *opened)
{
    const eb_figure *kernel = eb_figures_find(figures, eb_figure_kernel.key);
    eb_pack_f64(to, kernel ? kernel->value : 0);
    eb_pack_u64(to, figures->count);
    for (size_t k = 0; k < figures->count; k++) {
        eb_pack_text(to, figures->figure[k].key);
        eb_pack_f64(to, figures->figure[k].value);
    }
    eb_pack_text(to, opened->run->describe ? opened->run->describe(opened->state) : "");
}

eb_code eb_served_answer(const eb_transport *transport, eb_exchange *exchange, eb_chunk_box *chunks,
                         const eb_letter *message, eb_job *job, eb_served *list, eb_packet *result, eb_status *status)
{
    eb_packet packet = eb_packet_of(message), own = {.failed = false};
    eb_served *s = *find(&list, eb_unpack_u64(&packet));
    eb_figures figures = {.count = 0};
    if (!s)
        return eb_fail(status, EB_INTERNAL, "rank 0 asks about a problem that is not open");
    if (s->failure.code)
        return eb_fail(status, s->failure.code, "%s", s->failure.message);
    eb_opened *opened = &s->opened;
    const asked a = {transport, exchange, chunks, message->number, opened, job, s->keep, &s->table, &packet, &own};
    opened->context.job = job;
    opened->context.figures = &figures;
    eb_blocks_number(opened, message->number);
    const eb_code failed = answer(&a, message->kind, status);
    opened->context.job = NULL;
    opened->context.figures = NULL;
    if (!failed)
        put_figures(result, &figures, opened);
    eb_pack(result, own.bytes, own.size);
    result->failed |= own.failed;
    eb_letter_free(&(eb_letter){.bytes = own.bytes});
    return failed;
}
