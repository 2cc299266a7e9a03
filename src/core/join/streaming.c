#include "core/join/streaming.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/pool.h"
#include "core/join/neighbours_builder.h"
#include "core/team/team.h"

enum { ROWS_A_TASK = 64 };

typedef struct asking {
    const eb_streaming *streaming;
    eb_job *job;
    size_t others, first, last; /* right points; all rows of the call: first … last − 1 */
    eb_share share;             /* the present range of rows */
    unsigned threads;
    bool self;
    _Atomic bool passed; /* single hits were passed on */

    pthread_mutex_t lock; /* guards the members below */
    unsigned char *taken; /* [last − first] rows that were passed to row(); NULL: none came yet */
    eb_row_piece *pieces;
    unsigned filling;    /* calls of place() without their placed() */
    uint64_t held, room; /* bytes of all pieces, and their limit */
    uint64_t wanted;     /* bytes needed by rows that did not fit; 0: all fitted */
} asking;

/* ---- single hits ---- */

static eb_code take_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    asking *m = context;
    const size_t n = m->streaming->opened->problem.left->n;
    if (thread >= m->threads || m->taken)
        return eb_fail(status, EB_INTERNAL, "the engine gives pairs from thread %u of %u%s", thread, m->threads,
                       m->taken ? ", and whole rows as well" : "");
    for (size_t k = 0; k < count; k++)
        if (hits[k].i >= n || hits[k].j >= m->others || (m->self && hits[k].i == hits[k].j))
            return eb_fail(status, EB_INTERNAL, "the engine gives pair (%u, %u) of %zu points", hits[k].i, hits[k].j,
                           m->others);
    if (!atomic_load_explicit(&m->passed, memory_order_relaxed))
        atomic_store_explicit(&m->passed, true, memory_order_relaxed);
    return m->streaming->hits(m->streaming->context, thread, &m->share, hits, count, status);
}

/* ---- whole rows ---- */

static eb_code new_piece(asking *m, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_piece **out,
                         eb_status *status)
{
    const size_t width = m->streaming->squared ? sizeof(double) : 0;
    const size_t bytes = (size_t)offsets[rows] * (sizeof(uint32_t) + width);
    if (rows > 1 && m->held + bytes > m->room) {
        m->wanted = m->held + bytes;
        return eb_fail(status, EB_NO_MEMORY, "rows %zu to %zu need more memory than their buffer has", first_row,
                       first_row + rows);
    }
    return eb_row_piece_new(first_row, rows, offsets, width, bytes, out, status);
}

static eb_code check_rows(asking *m, size_t first_row, size_t rows, const uint64_t *offsets, eb_status *status)
{
    const size_t begin = m->share.row_begin, end = m->share.row_end;
    bool sound = first_row >= begin && first_row <= end && rows <= end - first_row && offsets[0] == 0;
    for (size_t r = 0; sound && r < rows; r++)
        sound = offsets[r + 1] >= offsets[r] && offsets[r + 1] - offsets[r] <= m->others;
    if (!sound)
        return eb_fail(status, EB_INTERNAL, "the engine gives %zu rows from row %zu on; asked for were %zu to %zu",
                       rows, first_row, begin, end);
    if (!m->taken)
        m->taken = calloc(m->last - m->first, 1);
    return m->taken ? EB_OK : eb_fail_memory(status, "rows on their way", m->last - m->first);
}

static eb_code place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                     eb_status *status)
{
    asking *m = context;
    eb_row_piece *p = NULL;
    (void)pthread_mutex_lock(&m->lock);
    eb_code failed = check_rows(m, first_row, rows, offsets, status);
    if (!failed)
        failed = new_piece(m, first_row, rows, offsets, &p, status);
    if (!failed) {
        p->next = m->pieces;
        m->pieces = p;
        m->held += p->bytes;
        m->filling++;
        *out =
            (eb_row_places){.columns = p->columns,
                            .distances = p->distances,
                            .distance_bytes = p->distances ? sizeof(double) : 0,
                            .fresh = eb_pool_is_fresh(p->columns) && (!p->distances || eb_pool_is_fresh(p->distances))};
    }
    (void)pthread_mutex_unlock(&m->lock);
    return failed;
}

typedef struct reading {
    asking *m;
    const eb_row_piece *p;
} reading;

static eb_code read_row(const asking *m, const eb_row_piece *p, size_t r, unsigned thread, eb_status *status)
{
    const uint64_t at = p->offsets[r];
    const double *s = p->distances;
    const eb_streamed_row row = {.row = (uint32_t)(p->first_row + r),
                                 .count = (size_t)(p->offsets[r + 1] - at),
                                 .columns = p->columns + at,
                                 .s = s ? s + at : NULL};
    for (size_t k = 0; k < row.count; k++)
        if (row.columns[k] >= m->others)
            return eb_fail(status, EB_INTERNAL, "the engine's row %u has column %u of %zu points", row.row,
                           row.columns[k], m->others);
    return m->streaming->row(m->streaming->context, thread, &row, status);
}

/* Skips rows that were passed on before their range ran out of room and was repeated. */
static eb_code read_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const reading *now = context;
    const size_t first = (size_t)task * ROWS_A_TASK, left = now->p->rows - first;
    const size_t end = first + (left < ROWS_A_TASK ? left : ROWS_A_TASK);
    for (size_t r = first; r < end; r++) {
        unsigned char *taken = &now->m->taken[now->p->first_row + r - now->m->first];
        if (!*taken)
            EB_TRY(read_row(now->m, now->p, r, thread, status));
        *taken = 1;
    }
    return EB_OK;
}

static eb_code read_pieces(asking *m, eb_status *status)
{
    eb_code failed = EB_OK;
    while (m->pieces) {
        eb_row_piece *p = m->pieces;
        reading now = {.m = m, .p = p};
        if (!failed)
            failed =
                eb_parallel(m->threads, (p->rows + ROWS_A_TASK - 1) / ROWS_A_TASK, read_rows, &now, m->job, status);
        m->pieces = p->next;
        m->held -= p->bytes;
        eb_row_piece_free(p);
    }
    return failed;
}

static eb_code placed(void *context, eb_status *status)
{
    asking *m = context;
    (void)pthread_mutex_lock(&m->lock);
    eb_code failed = --m->filling == 0 ? read_pieces(m, status) : EB_OK;
    (void)pthread_mutex_unlock(&m->lock);
    return failed;
}

/* ---- ranges of rows ---- */

static eb_code ask(asking *m, const eb_question *question, eb_status *status)
{
    const eb_sink sink = {.context = m, .hits = take_hits, .place = place, .placed = placed};
    m->wanted = 0;
    m->filling = 0;
    eb_code failed = eb_ask_join(m->streaming->opened, question, &m->share, &sink, status);
    while (m->pieces) { /* left by a range that failed */
        eb_row_piece *p = m->pieces;
        m->pieces = p->next;
        eb_row_piece_free(p);
    }
    m->held = 0;
    return failed;
}

/* The number of rows of a shorter range, from the bytes that the last one needed. */
static size_t fewer(const asking *m, size_t rows)
{
    const size_t half = rows / 2; /* at least 1, since a single row always fits */
    const double fitting = (double)rows * (double)m->room / (double)m->wanted * 0.8;
    if (fitting >= (double)half)
        return half;
    return fitting > 1 ? (size_t)fitting : 1;
}

/* After a team has lost a device: *begin becomes the row from which on the others are asked. */
static eb_code go_back(asking *m, size_t *begin, eb_status *status)
{
    if (atomic_load(&m->passed)) { /* nobody knows which of its pairs the lost device has passed on */
        EB_TRY(m->streaming->anew(m->streaming->context, status));
        *begin = m->first;
    }
    atomic_store(&m->passed, false);
    eb_job_phase(m->job, m->streaming->phase, m->last - *begin);
    return EB_OK;
}

/* True if the range failed because a device was lost, and the others can go on. */
static bool can_go_back(asking *m)
{
    const eb_opened *opened = m->streaming->opened;
    return eb_team_can_ask_again(opened->run, opened->state) && (!atomic_load(&m->passed) || m->streaming->anew);
}

static eb_code ask_all(asking *m, const eb_question *question, eb_status *status)
{
    size_t rows = m->last - m->first, begin = m->first;
    while (begin < m->last) {
        EB_TRY(eb_job_check(m->job, status));
        const size_t end = m->last - begin < rows ? m->last : begin + rows;
        m->share = eb_share_rows(begin, end);
        const eb_code failed = ask(m, question, status);
        if (!failed) {
            begin = end;
        } else if (can_go_back(m)) {
            EB_TRY(go_back(m, &begin, status));
        } else {
            if (failed != EB_NO_MEMORY || m->wanted == 0 || end - begin == 1)
                return failed;
            rows = fewer(m, end - begin);
            eb_job_phase(m->job, m->streaming->phase, m->last - begin);
        }
    }
    for (size_t i = m->first; m->taken && i < m->last; i++)
        if (!m->taken[i - m->first])
            return eb_fail(status, EB_INTERNAL, "%s gave no row %zu", m->streaming->opened->setup->engine->name, i);
    return EB_OK;
}

/* On the CPU the engine's memory limit is one of host memory (core/engine/budget.h), so it bounds the room too. */
static uint64_t room_of(const eb_streaming *streaming)
{
    const uint64_t room = streaming->room ? streaming->room : EB_STREAMING_ROOM,
                   limit = streaming->opened->context.memory_limit;
    return streaming->opened->setup->device.kind == EB_DEVICE_CPU && limit > 0 && limit < room ? limit : room;
}

eb_code eb_stream_rows(const eb_streaming *streaming, const eb_question *question, size_t begin, size_t end,
                       eb_status *status)
{
    const eb_opened *opened = streaming->opened;
    asking m = {.streaming = streaming,
                .job = opened->context.job,
                .others = opened->problem.right->n,
                .first = begin,
                .last = end,
                .threads = opened->context.threads,
                .self = eb_is_self_join(&opened->problem),
                .room = room_of(streaming)};
    if (pthread_mutex_init(&m.lock, NULL) != 0)
        return eb_fail_memory(status, "rows on their way", sizeof m);
    const eb_code failed = ask_all(&m, question, status);
    (void)pthread_mutex_destroy(&m.lock);
    free(m.taken);
    return failed;
}
