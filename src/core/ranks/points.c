#include "core/ranks/points.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/ranks/blocks/deal.h"

#define PIECE_BYTES ((size_t)4 << 20)

/* Points that no problem uses stay with the ranks for the next one, as far as they are few. */
#define UNUSED_BYTES ((size_t)256 << 20)
#define MOST_UNUSED 4u

/* ---- rank 0 ---- */

void eb_points_told_free(eb_points_told *told)
{
    free(told->told);
    (void)pthread_mutex_destroy(&told->lock);
}

void eb_points_told_begin(eb_points_told *told)
{
    *told = (eb_points_told){.count = 0};
    (void)pthread_mutex_init(&told->lock, NULL);
}

static void forget(eb_ranks *ranks, eb_points_told *told, size_t at)
{
    eb_packet packet = {.failed = false};
    eb_pack_u64(&packet, told->told[at].number);
    (void)eb_ranks_tell(ranks, EB_ASK_DROP, &packet, NULL);
    memmove(told->told + at, told->told + at + 1, (told->count - at - 1) * sizeof *told->told);
    told->count--;
}

/* Forgets points that no problem uses: unsealed ones, and the oldest while they are many. */
static void tidy(eb_ranks *ranks, eb_points_told *told, size_t most)
{
    size_t unused = 0, bytes = 0;
    for (size_t k = told->count; k-- > 0;) {
        const eb_told_points *p = &told->told[k];
        if (p->uses > 0)
            continue;
        unused++;
        bytes += p->bytes;
        if (p->sha256[0] == '\0' || unused > most || (unused > 1 && bytes > UNUSED_BYTES))
            forget(ranks, told, k);
    }
}

static bool is_same(const eb_told_points *told, const eb_dataset *points, bool blocks)
{
    return told->sha256[0] != '\0' && strcmp(told->sha256, points->sha256) == 0 && told->n == points->n &&
           told->d == points->d && told->rows == points->rows && told->blocks == blocks;
}

/* Where points go: all to rank 1, or a rank's block to it. */
typedef struct route {
    const eb_transport *transport;
    unsigned to;
    uint32_t head, piece; /* kinds of letters */
    uint64_t number;
    eb_rows rows;
} route;

static eb_code send_head(const route *r, const eb_dataset *points, eb_status *status)
{
    eb_packet packet = {.failed = false};
    eb_pack_u64(&packet, r->rows.end - r->rows.begin);
    eb_pack_u64(&packet, points->d);
    eb_pack_u64(&packet, points->dtype);
    eb_pack_f64(&packet, points->greatest);
    eb_pack_f64(&packet, points->least);
    eb_pack_text(&packet, points->sha256);
    return eb_packet_send(r->transport, r->to, r->head, r->number, &packet, status);
}

static eb_code send_rows(const route *r, const eb_dataset *points, eb_job *job, eb_status *status)
{
    const size_t row_bytes = points->d * eb_dtype_size(points->dtype),
                 rows = row_bytes < PIECE_BYTES ? PIECE_BYTES / row_bytes : 1;
    for (size_t first = r->rows.begin; first < r->rows.end; first += rows) {
        const size_t count = r->rows.end - first < rows ? r->rows.end - first : rows;
        eb_letter piece = {.kind = r->piece, .number = r->number, .size = count * row_bytes};
        piece.bytes = eb_letter_bytes(piece.size);
        if (!piece.bytes)
            return eb_fail_memory(status, "points on their way to other ranks", piece.size);
        for (size_t k = 0; k < count; k++)
            memcpy(piece.bytes + k * row_bytes, eb_row(points, first + k), row_bytes);
        EB_TRY(r->transport->send(r->transport->state, r->to, &piece, status));
        EB_TRY(eb_job_check(job, status));
    }
    return EB_OK;
}

/* After a failure the other rank has a part only; an empty piece says so. */
static eb_code send_on(const route *r, const eb_dataset *points, eb_job *job, eb_status *status)
{
    eb_code failed = send_head(r, points, status);
    if (!failed)
        failed = send_rows(r, points, job, status);
    if (failed)
        (void)r->transport->send(r->transport->state, r->to, &(eb_letter){.kind = r->piece, .number = r->number}, NULL);
    return failed;
}

/* If a block does not arrive, the others are of no use. */
static eb_code send_blocks(const eb_transport *transport, uint64_t number, const eb_dataset *points, eb_job *job,
                           eb_status *status)
{
    eb_code failed = EB_OK;
    route r = {.transport = transport, .head = EB_BLOCK_HEAD, .piece = EB_BLOCK_PIECE, .number = number};
    for (r.to = 1; r.to < transport->ranks && !failed; r.to++) {
        r.rows = eb_block_of(points->n, r.to, transport->ranks);
        failed = send_on(&r, points, job, status);
    }
    for (unsigned to = 1; to + 1 < r.to && failed; to++)
        (void)transport->send(transport->state, to, &(eb_letter){.kind = r.piece, .number = number}, NULL);
    return failed;
}

static eb_code send_points(eb_ranks *ranks, eb_points_told *told, const eb_dataset *points, bool blocks, eb_job *job,
                           eb_status *status)
{
    const eb_transport *transport = eb_ranks_transport(ranks);
    const uint64_t number = told->last + 1;
    if (!eb_array_grow(&told->told, told->count, &told->room, sizeof *told->told, 4))
        return eb_fail_memory(status, "the list of points", 2 * told->room * sizeof *told->told);
    told->last = number;
    eb_told_points *p = &told->told[told->count];
    *p = (eb_told_points){.number = number,
                          .blocks = blocks,
                          .n = points->n,
                          .d = points->d,
                          .bytes =
                              points->n * points->d * eb_dtype_size(points->dtype) / (blocks ? transport->ranks : 1),
                          .rows = points->rows,
                          .uses = 1};
    memcpy(p->sha256, points->sha256, sizeof p->sha256);
    told->count++;
    eb_job_aside(job, "sending the points to the other ranks");
    const route all = {transport, 1, EB_POINTS_HEAD, EB_POINTS_PIECE, number, {0, points->n}};
    const eb_code failed =
        blocks ? send_blocks(transport, number, points, job, status) : send_on(&all, points, job, status);
    eb_job_aside(job, NULL);
    told->count -= failed != EB_OK;
    return failed;
}

static eb_code share(eb_ranks *ranks, eb_points_told *told, const eb_dataset *points, bool blocks, eb_job *job,
                     uint64_t *number, eb_status *status)
{
    for (size_t k = 0; k < told->count; k++)
        if (is_same(&told->told[k], points, blocks)) {
            const eb_told_points found = told->told[k];
            memmove(told->told + k, told->told + k + 1, (told->count - k - 1) * sizeof *told->told);
            told->told[told->count - 1] = found;
            told->told[told->count - 1].uses++;
            *number = found.number;
            return EB_OK;
        }
    tidy(ranks, told, MOST_UNUSED - 1);
    EB_TRY(send_points(ranks, told, points, blocks, job, status));
    *number = told->last;
    return EB_OK;
}

eb_code eb_points_share(eb_ranks *ranks, const eb_dataset *points, bool blocks, eb_job *job, uint64_t *number,
                        eb_status *status)
{
    eb_points_told *told = eb_ranks_kept(ranks);
    (void)pthread_mutex_lock(&told->lock);
    const eb_code failed = share(ranks, told, points, blocks, job, number, status);
    (void)pthread_mutex_unlock(&told->lock);
    return failed;
}

void eb_points_leave(eb_ranks *ranks, uint64_t number)
{
    eb_points_told *told = eb_ranks_kept(ranks);
    (void)pthread_mutex_lock(&told->lock);
    for (size_t k = 0; k < told->count; k++)
        told->told[k].uses -= told->told[k].number == number;
    tidy(ranks, told, MOST_UNUSED);
    (void)pthread_mutex_unlock(&told->lock);
}

/* ---- the other ranks ---- */

void eb_held_begin(eb_held_points *held)
{
    *held = (eb_held_points){.first = NULL};
    (void)pthread_mutex_init(&held->lock, NULL);
    eb_condition_init(&held->arrived);
}

static eb_held **find(eb_held_points *held, uint64_t number)
{
    eb_held **at = &held->first;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static void drop(eb_held **at)
{
    eb_held *h = *at;
    *at = h->next;
    free(h->rows);
    free(h);
}

void eb_held_drop(eb_held_points *held, uint64_t number)
{
    (void)pthread_mutex_lock(&held->lock);
    eb_held **at = find(held, number);
    if (*at)
        drop(at);
    (void)pthread_mutex_unlock(&held->lock);
}

size_t eb_held_bytes(eb_held_points *held)
{
    size_t bytes = 0;
    (void)pthread_mutex_lock(&held->lock);
    for (const eb_held *h = held->first; h; h = h->next)
        bytes += h->rows ? h->bytes : 0;
    (void)pthread_mutex_unlock(&held->lock);
    return bytes;
}

void eb_held_give_up(eb_held_points *held)
{
    (void)pthread_mutex_lock(&held->lock);
    held->ending = true;
    (void)pthread_cond_broadcast(&held->arrived);
    (void)pthread_mutex_unlock(&held->lock);
}

void eb_held_end(eb_held_points *held)
{
    while (held->first)
        drop(&held->first);
    (void)pthread_mutex_destroy(&held->lock);
    (void)pthread_cond_destroy(&held->arrived);
}

static eb_code begin_points(eb_held_points *held, const eb_letter *m, eb_status *status)
{
    eb_packet packet = eb_packet_of(m);
    eb_held *h = calloc(1, sizeof *h);
    if (!h)
        return eb_fail_memory(status, "points", sizeof *h);
    h->number = m->number;
    h->points.n = (size_t)eb_unpack_u64(&packet);
    h->points.d = (size_t)eb_unpack_u64(&packet);
    h->points.dtype = (eb_dtype)eb_unpack_u64(&packet);
    h->points.greatest = eb_unpack_f64(&packet);
    h->points.least = eb_unpack_f64(&packet);
    eb_unpack_text(&packet, h->points.sha256, sizeof h->points.sha256);
    h->points.stride = h->points.d * eb_dtype_size(h->points.dtype);
    h->bytes = h->points.n * h->points.stride;
    h->rows = malloc(h->bytes ? h->bytes : 1);
    h->points.rows = h->rows;
    (void)pthread_mutex_lock(&held->lock);
    h->next = held->first;
    held->first = h; /* without memory too: who waits for the points is told */
    (void)pthread_cond_broadcast(&held->arrived);
    (void)pthread_mutex_unlock(&held->lock);
    return EB_OK;
}

static void add_piece(eb_held_points *held, const eb_letter *m)
{
    (void)pthread_mutex_lock(&held->lock);
    eb_held *h = *find(held, m->number);
    (void)pthread_mutex_unlock(&held->lock);
    if (m->size == 0)
        eb_held_drop(held, m->number);
    if (m->size == 0 || !h || !h->rows || m->size > h->bytes - h->arrived)
        return;
    memcpy(h->rows + h->arrived, m->bytes, m->size);
    (void)pthread_mutex_lock(&held->lock);
    h->arrived += m->size;
    if (h->arrived == h->bytes)
        (void)pthread_cond_broadcast(&held->arrived);
    (void)pthread_mutex_unlock(&held->lock);
}

eb_code eb_held_take(eb_held_points *held, const eb_transport *transport, eb_letter *m, eb_status *status)
{
    const bool own = m->kind == EB_BLOCK_HEAD || m->kind == EB_BLOCK_PIECE;
    eb_code failed = EB_OK;
    if (m->kind == EB_POINTS_HEAD || m->kind == EB_BLOCK_HEAD)
        failed = begin_points(held, m, status);
    else
        add_piece(held, m);
    if (failed || own || transport->rank + 1 == transport->ranks) {
        eb_letter_free(m);
        return failed;
    }
    return transport->send(transport->state, transport->rank + 1, m, status);
}

eb_code eb_held_wait(eb_held_points *held, uint64_t number, eb_job *job, const eb_dataset **out, eb_status *status)
{
    eb_code failed = EB_OK;
    const eb_held *h;
    (void)pthread_mutex_lock(&held->lock);
    while (!failed && (!(h = *find(held, number)) || (h->rows && h->arrived < h->bytes))) {
        const struct timespec until = eb_time_after(EB_JOB_LOOK_S);
        (void)pthread_cond_timedwait(&held->arrived, &held->lock, &until);
        failed = held->ending ? eb_fail(status, EB_CANCELLED, "interrupted") : eb_job_check(job, status);
    }
    if (!failed && !h->rows)
        failed = eb_fail_memory(status, "the points", h->bytes);
    if (!failed)
        *out = &h->points;
    (void)pthread_mutex_unlock(&held->lock);
    return failed;
}
