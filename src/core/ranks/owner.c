#include "core/ranks/owner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/ranks/part.h"

enum { LEAST_PARCEL = 256 };

/* Hits of one thread for one rank. */
typedef struct eb_parcel {
    eb_hit *hits; /* [parcel_hits], a letter's bytes; NULL: none */
    size_t count;
} parcel;

/* The product is near the rank; ranks without rows lie between. */
static unsigned owner_of(const eb_owner *o, size_t row)
{
    unsigned r = (unsigned)((double)(row - o->request.row_begin) * o->ranks_a_row);
    while (row < o->first[r])
        r--;
    while (row >= o->first[r + 1])
        r++;
    return r;
}

static bool is_row(const eb_owner_request *q, size_t row) { return row >= q->row_begin && row < q->row_end; }

/* If equal ranges are below the least, the last ranks get fewer rows or none. */
static size_t first_of(const eb_owner_request *q, unsigned rank)
{
    const size_t rows = q->row_end - q->row_begin, ranks = q->transport->ranks;
    if (rows / ranks >= q->least)
        return eb_first_owned(q->row_begin, q->row_end, rank, q->transport->ranks);
    return rank < rows / q->least + 1 ? q->row_begin + rank * q->least : q->row_end;
}

eb_code eb_owner_begin(const eb_owner_request *q, eb_owner *out, eb_status *status)
{
    const unsigned rank = q->transport->rank, ranks = q->transport->ranks;
    const eb_neighbours_request rows = {.n = q->n,
                                        .others = q->others,
                                        .self = q->self,
                                        .row_begin = first_of(q, rank),
                                        .row_end = first_of(q, rank + 1),
                                        .threads = q->threads + 1,
                                        .distances = q->kind.distance_bytes == sizeof(double)  ? EB_DISTANCES_F64
                                                     : q->kind.distance_bytes == sizeof(float) ? EB_DISTANCES_F32
                                                                                               : EB_DISTANCES_NONE,
                                        .exponent = -ilogb(q->kind.unit),
                                        .memory_limit = q->kind.memory_limit / q->transport->place.ranks_there};
    *out = (eb_owner){.request = *q, .parcel_hits = EB_HITS_AT_ONCE / ranks};
    if (out->parcel_hits < LEAST_PARCEL)
        out->parcel_hits = LEAST_PARCEL;
    out->parcel = calloc((size_t)q->threads * ranks, sizeof *out->parcel);
    if (!out->parcel)
        return eb_fail_memory(status, "pairs on their way", (size_t)q->threads * ranks * sizeof *out->parcel);
    out->first = malloc((ranks + 1) * sizeof *out->first);
    const eb_code failed = out->first ? eb_neighbours_builder_new(&rows, &out->builder, status)
                                      : eb_fail_memory(status, "the ranks' rows", (ranks + 1) * sizeof *out->first);
    if (failed) {
        free(out->first);
        free(out->parcel);
        return failed;
    }
    for (unsigned r = 0; r <= ranks; r++)
        out->first[r] = first_of(q, r);
    out->ranks_a_row = ranks / (double)(q->row_end - q->row_begin);
    (void)pthread_mutex_init(&out->lock, NULL);
    eb_condition_init(&out->changed);
    return EB_OK;
}

void eb_owner_end(eb_owner *o)
{
    const size_t parcels = (size_t)o->request.threads * o->request.transport->ranks;
    for (size_t k = 0; k < parcels; k++)
        if (o->parcel[k].hits)
            eb_letter_free(&(eb_letter){.bytes = (unsigned char *)o->parcel[k].hits});
    free(o->parcel);
    free(o->first);
    eb_neighbours_builder_free(o->builder);
    (void)pthread_mutex_destroy(&o->lock);
    (void)pthread_cond_destroy(&o->changed);
}

/* ---- hits on their way ---- */

static eb_code send_parcel(const eb_owner *o, unsigned to, parcel *p, eb_status *status)
{
    const eb_transport *t = o->request.transport;
    eb_letter letter = {.kind = EB_HITS,
                        .number = o->request.number,
                        .size = p->count * sizeof *p->hits,
                        .bytes = (unsigned char *)p->hits};
    *p = (parcel){.hits = NULL};
    return t->send(t->state, to, &letter, status);
}

static eb_code add_to_parcel(const eb_owner *o, unsigned thread, unsigned to, const eb_hit *hit, eb_status *status)
{
    parcel *p = &o->parcel[(size_t)thread * o->request.transport->ranks + to];
    if (!p->hits)
        p->hits = (void *)eb_letter_bytes(o->parcel_hits * sizeof *p->hits);
    if (!p->hits)
        return eb_fail_memory(status, "pairs on their way", o->parcel_hits * sizeof *p->hits);
    p->hits[p->count++] = *hit;
    return p->count == o->parcel_hits ? send_parcel(o, to, p, status) : EB_OK;
}

/* The rank's own hits go to the builder in batches. */
typedef struct own_batch {
    eb_hit hit[512];
    size_t count;
} own_batch;

static eb_code take_own(const eb_owner *o, unsigned thread, own_batch *b, eb_status *status)
{
    const eb_sink sink = eb_neighbours_builder_sink(o->builder);
    const size_t count = b->count;
    b->count = 0;
    return count ? sink.hits(sink.context, thread, b->hit, count, status) : EB_OK;
}

static eb_code pass_one(const eb_owner *o, unsigned thread, unsigned to, const eb_hit *hit, own_batch *own,
                        eb_status *status)
{
    if (to != o->request.transport->rank)
        return add_to_parcel(o, thread, to, hit, status);
    own->hit[own->count++] = *hit;
    return own->count == sizeof own->hit / sizeof own->hit[0] ? take_own(o, thread, own, status) : EB_OK;
}

static eb_code pass_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const eb_owner *o = context;
    const eb_owner_request *q = &o->request;
    own_batch own = {.count = 0};
    if (thread >= q->threads)
        return eb_fail(status, EB_INTERNAL, "the engine's thread %u of %u gives pairs", thread, q->threads);
    for (size_t k = 0; k < count; k++) {
        const eb_hit *hit = &hits[k];
        if (!is_row(q, hit->i))
            return eb_fail(status, EB_INTERNAL, "the engine gives pair (%u, %u) in a join of rows %zu to %zu", hit->i,
                           hit->j, q->row_begin, q->row_end);
        const unsigned first = owner_of(o, hit->i);
        EB_TRY(pass_one(o, thread, first, hit, &own, status));
        if (!q->self || !is_row(q, hit->j))
            continue;
        const unsigned second = owner_of(o, hit->j);
        if (second != first)
            EB_TRY(pass_one(o, thread, second, hit, &own, status));
    }
    return take_own(o, thread, &own, status);
}

eb_sink eb_owner_sink(eb_owner *owner) { return (eb_sink){.context = owner, .hits = pass_hits}; }

/* ---- hits of others ---- */

eb_code eb_owner_take(eb_owner *o, const eb_letter *letter, eb_status *status)
{
    const eb_sink sink = eb_neighbours_builder_sink(o->builder);
    eb_code failed = EB_OK;
    if (letter->kind == EB_HITS)
        failed = sink.hits(sink.context, o->request.threads, (const eb_hit *)(const void *)letter->bytes,
                           letter->size / sizeof(eb_hit), status);
    (void)pthread_mutex_lock(&o->lock);
    o->ends += letter->kind == EB_HITS_END;
    if (failed && !o->failure.code)
        o->failure = *status;
    (void)pthread_cond_broadcast(&o->changed);
    (void)pthread_mutex_unlock(&o->lock);
    return failed;
}

static eb_code wait_for_ends(eb_owner *o, eb_job *job, eb_status *status)
{
    eb_code failed = EB_OK;
    (void)pthread_mutex_lock(&o->lock);
    while (!failed && !o->failure.code && o->ends + 1 < o->request.transport->ranks) {
        const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
        (void)pthread_cond_timedwait(&o->changed, &o->lock, &until);
        failed = eb_job_check(job, status);
    }
    if (!failed && o->failure.code)
        failed = eb_fail(status, o->failure.code, "%s", o->failure.message);
    (void)pthread_mutex_unlock(&o->lock);
    return failed;
}

eb_code eb_owner_finish(eb_owner *o, eb_job *job, eb_neighbours **out, eb_status *status)
{
    const eb_transport *t = o->request.transport;
    eb_packet none = {.failed = false};
    for (unsigned thread = 0; thread < o->request.threads; thread++)
        for (unsigned to = 0; to < t->ranks; to++) {
            parcel *p = &o->parcel[(size_t)thread * t->ranks + to];
            if (p->count)
                EB_TRY(send_parcel(o, to, p, status));
        }
    EB_TRY(eb_packet_send_all(t, EB_HITS_END, o->request.number, &none, status));
    const double start_s = eb_now_s();
    EB_TRY(wait_for_ends(o, job, status));
    const double ended_s = eb_now_s();
    const eb_code failed = eb_neighbours_builder_finish(o->builder, job, out, status);
    o->waited_s = ended_s - start_s;
    o->build_s = eb_now_s() - ended_s;
    return failed;
}

/* ---- letters that come early ---- */

typedef struct eb_early {
    struct eb_early *next;
    eb_letter letter;
} early;

void eb_exchange_begin(eb_exchange *exchange)
{
    *exchange = (eb_exchange){.owner = NULL};
    (void)pthread_mutex_init(&exchange->lock, NULL);
}

void eb_exchange_end(eb_exchange *exchange)
{
    for (early *e = exchange->early, *next; e; e = next) {
        next = e->next;
        eb_letter_free(&e->letter);
        free(e);
    }
    (void)pthread_mutex_destroy(&exchange->lock);
}

/* Letters of one rank stay in their order. */
static void keep(eb_exchange *exchange, eb_letter *letter)
{
    early **at = &exchange->early, *e = malloc(sizeof *e);
    while (*at)
        at = &(*at)->next;
    if (e) { /* without memory the join waits in vain, until it is cancelled */
        *e = (early){.letter = *letter};
        letter->bytes = NULL;
        *at = e;
    }
}

void eb_exchange_take(eb_exchange *exchange, eb_letter *letter)
{
    eb_status unused;
    (void)pthread_mutex_lock(&exchange->lock);
    if (exchange->owner && exchange->owner->request.number == letter->number)
        (void)eb_owner_take(exchange->owner, letter, &unused);
    else if (letter->number > exchange->newest)
        keep(exchange, letter);
    (void)pthread_mutex_unlock(&exchange->lock);
    eb_letter_free(letter);
}

void eb_exchange_join(eb_exchange *exchange, eb_owner *owner)
{
    eb_status unused;
    const uint64_t number = owner->request.number;
    (void)pthread_mutex_lock(&exchange->lock);
    exchange->owner = owner;
    exchange->newest = number;
    for (early **at = &exchange->early, *e; (e = *at) != NULL;) {
        if (e->letter.number > number) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        if (e->letter.number == number)
            (void)eb_owner_take(owner, &e->letter, &unused);
        eb_letter_free(&e->letter);
        free(e);
    }
    (void)pthread_mutex_unlock(&exchange->lock);
}

void eb_exchange_leave(eb_exchange *exchange)
{
    (void)pthread_mutex_lock(&exchange->lock);
    exchange->owner = NULL;
    (void)pthread_mutex_unlock(&exchange->lock);
}
