#include "core/cluster/stream.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/base/pool.h"

enum { LINKS = 512, ROWS_A_TASK = 64 };

/* Rows an engine is writing, or has written. */
typedef struct piece {
    struct piece *next;
    size_t first_row, rows, bytes;
    uint64_t *offsets; /* [rows + 1] */
    uint32_t *columns;
    double *distances; /* NULL: one level, nobody looks at them */
} piece;

typedef struct streaming {
    const eb_stream *stream;
    const eb_dataset *points; /* as the engine has them */
    eb_job *job;
    size_t n, begin, end; /* the rows that are asked for */
    unsigned threads;
    double unit;
    double *threshold;    /* [levels] s ≤ threshold: the pair test */
    unsigned char *taken; /* [n] rows that went on already; NULL: no rows came yet */

    pthread_mutex_t lock; /* what is below */
    piece *pieces;
    unsigned filling;
    uint64_t held, room;           /* bytes of pieces, and how many there may be */
    uint64_t wanted;               /* by rows that had no room; 0: all had */
    _Atomic uint64_t lower, upper; /* entries of rows before and behind the diagonal */
} streaming;

/* ---- levels ---- */

/* The first value that is not below x. */
static size_t first_not_below(const double *value, size_t count, double x)
{
    size_t below = 0, above = count;
    while (below < above) {
        size_t middle = below + (above - below) / 2;
        if (value[middle] < x)
            below = middle + 1;
        else
            above = middle;
    }
    return below;
}

static uint32_t last_at_most(const streaming *m, size_t level)
{
    size_t last = m->stream->levels - 1;
    return (uint32_t)(level < last ? level : last);
}

static uint32_t level_of_s(const streaming *m, double s)
{
    return last_at_most(m, first_not_below(m->threshold, m->stream->levels, s));
}

/* √s rounds to an ε of the grid also for the s next above its threshold. */
static uint32_t level_of_distance(const streaming *m, double distance, uint32_t i, uint32_t j)
{
    size_t level = first_not_below(m->stream->eps, m->stream->levels, distance);
    if (level < m->stream->levels && m->stream->eps[level] <= distance)
        return level_of_s(m, eb_truth_distance2(m->points, i, j));
    return last_at_most(m, level);
}

/* ---- single hits ---- */

/* Where less than all rows are asked for, a pair with one end among them comes again with those of the other. */
static bool comes_again(const streaming *m, const eb_hit *hit)
{
    return hit->j < hit->i && (hit->j < m->begin || hit->j >= m->end);
}

static eb_code take_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    streaming *m = context;
    eb_link links[LINKS];
    size_t filled = 0;
    if (thread >= m->threads || m->taken)
        return eb_fail(status, EB_INTERNAL, "the engine gives pairs from thread %u of %u%s", thread, m->threads,
                       m->taken ? ", and whole rows as well" : "");
    for (size_t k = 0; k < count; k++) {
        const eb_hit *hit = &hits[k];
        if (hit->i >= m->n || hit->j >= m->n || hit->i == hit->j)
            return eb_fail(status, EB_INTERNAL, "the engine gives pair (%u, %u) of %zu points", hit->i, hit->j, m->n);
        if (comes_again(m, hit))
            continue;
        links[filled++] = (eb_link){hit->i, hit->j, m->stream->levels > 1 ? level_of_s(m, hit->s) : 0};
        if (filled == LINKS) {
            m->stream->consumer(m->stream->context, thread, links, filled);
            filled = 0;
        }
    }
    if (filled > 0)
        m->stream->consumer(m->stream->context, thread, links, filled);
    return EB_OK;
}

/* ---- whole rows ---- */

static void free_piece(piece *p)
{
    free(p->offsets);
    eb_pool_give(p->columns);
    eb_pool_give(p->distances);
    free(p);
}

static eb_code new_piece(streaming *m, size_t first_row, size_t rows, const uint64_t *offsets, piece **out,
                         eb_status *status)
{
    bool told = m->stream->levels > 1;
    size_t entries = (size_t)offsets[rows], bytes = entries * (sizeof(uint32_t) + (told ? sizeof(double) : 0));
    if (rows > 1 && m->held + bytes > m->room) {
        m->wanted = m->held + bytes;
        return eb_fail(status, EB_NO_MEMORY, "rows %zu to %zu take more than the room that they are read in", first_row,
                       first_row + rows);
    }
    piece *p = calloc(1, sizeof *p);
    if (!p)
        return eb_fail_memory(status, "rows on their way", sizeof *p);
    *p = (piece){.first_row = first_row,
                 .rows = rows,
                 .bytes = bytes,
                 .offsets = malloc((rows + 1) * sizeof *offsets),
                 .columns = eb_pool_take(entries * sizeof(uint32_t)),
                 .distances = told ? eb_pool_take(entries * sizeof(double)) : NULL};
    if (!p->offsets || !p->columns || (told && !p->distances)) {
        free_piece(p);
        return eb_fail_memory(status, "rows on their way", bytes);
    }
    memcpy(p->offsets, offsets, (rows + 1) * sizeof *offsets);
    *out = p;
    return EB_OK;
}

static eb_code check_rows(streaming *m, size_t first_row, size_t rows, const uint64_t *offsets, eb_status *status)
{
    bool sound = first_row >= m->begin && first_row <= m->end && rows <= m->end - first_row && offsets[0] == 0;
    for (size_t r = 0; sound && r < rows; r++)
        sound = offsets[r + 1] >= offsets[r] && offsets[r + 1] - offsets[r] <= m->n;
    if (!sound)
        return eb_fail(status, EB_INTERNAL, "the engine gives %zu rows from row %zu on; asked for were %zu to %zu",
                       rows, first_row, m->begin, m->end);
    if (!m->taken)
        m->taken = calloc(m->n, 1);
    return m->taken ? EB_OK : eb_fail_memory(status, "rows on their way", m->n);
}

static eb_code place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                     eb_status *status)
{
    streaming *m = context;
    piece *p = NULL;
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
                            .unit = m->unit,
                            .fresh = eb_pool_is_fresh(p->columns) && (!p->distances || eb_pool_is_fresh(p->distances))};
    }
    (void)pthread_mutex_unlock(&m->lock);
    return failed;
}

typedef struct reading {
    streaming *m;
    const piece *p;
} reading;

/* One row: its pairs with the points behind it; those before it have them in theirs. */
static eb_code read_row(streaming *m, const piece *p, size_t r, unsigned thread, eb_status *status)
{
    eb_link links[LINKS];
    size_t filled = 0;
    uint64_t behind = 0, self = 0;
    const uint32_t i = (uint32_t)(p->first_row + r);
    for (uint64_t k = p->offsets[r]; k < p->offsets[r + 1]; k++) {
        const uint32_t j = p->columns[k];
        if (j >= m->n)
            return eb_fail(status, EB_INTERNAL, "the engine's row %u has column %u of %zu points", i, j, m->n);
        self += j == i;
        if (j <= i)
            continue;
        links[filled++] = (eb_link){i, j, p->distances ? level_of_distance(m, p->distances[k], i, j) : 0};
        behind++;
        if (filled == LINKS) {
            m->stream->consumer(m->stream->context, thread, links, filled);
            filled = 0;
        }
    }
    if (filled > 0)
        m->stream->consumer(m->stream->context, thread, links, filled);
    (void)atomic_fetch_add_explicit(&m->upper, behind, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&m->lower, p->offsets[r + 1] - p->offsets[r] - behind - self, memory_order_relaxed);
    return self == 1 ? EB_OK
                     : eb_fail(status, EB_INTERNAL, "the engine's row %u has the point itself %llu times", i,
                               (unsigned long long)self);
}

/* A row that went on before its range had no room is not taken twice. */
static eb_code read_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const reading *now = context;
    const size_t first = (size_t)task * ROWS_A_TASK, left = now->p->rows - first;
    const size_t end = first + (left < ROWS_A_TASK ? left : ROWS_A_TASK);
    for (size_t r = first; r < end; r++) {
        unsigned char *taken = &now->m->taken[now->p->first_row + r];
        if (!*taken)
            EB_TRY(read_row(now->m, now->p, r, thread, status));
        *taken = 1;
    }
    return EB_OK;
}

static eb_code read_pieces(streaming *m, eb_status *status)
{
    eb_code failed = EB_OK;
    while (m->pieces) {
        piece *p = m->pieces;
        reading now = {.m = m, .p = p};
        if (!failed)
            failed =
                eb_parallel(m->threads, (p->rows + ROWS_A_TASK - 1) / ROWS_A_TASK, read_rows, &now, m->job, status);
        m->pieces = p->next;
        m->held -= p->bytes;
        free_piece(p);
    }
    return failed;
}

static eb_code placed(void *context, eb_status *status)
{
    streaming *m = context;
    (void)pthread_mutex_lock(&m->lock);
    eb_code failed = --m->filling == 0 ? read_pieces(m, status) : EB_OK;
    (void)pthread_mutex_unlock(&m->lock);
    return failed;
}

/* ---- ranges of rows ---- */

static eb_code ask(streaming *m, eb_opened *opened, eb_status *status)
{
    const eb_question question = {.eps = m->stream->eps[m->stream->levels - 1], .pairs_alone = m->stream->levels == 1};
    const eb_share share = eb_share_rows(m->begin, m->end);
    const eb_sink sink = {.context = m, .hits = take_hits, .place = place, .placed = placed};
    m->wanted = 0;
    m->filling = 0;
    eb_code failed = eb_ask_join(opened, &question, &share, &sink, status);
    while (m->pieces) { /* of a range that failed half way */
        piece *p = m->pieces;
        m->pieces = p->next;
        free_piece(p);
    }
    m->held = 0;
    return failed;
}

/* How many of the rows may fit, as those that did not were: always fewer. */
static size_t fewer(const streaming *m, size_t rows)
{
    const size_t half = rows / 2; /* at least 1: a single row always has room */
    const double fitting = (double)rows * (double)m->room / (double)m->wanted * 0.8;
    if (fitting >= (double)half)
        return half;
    return fitting > 1 ? (size_t)fitting : 1;
}

static eb_code ask_all(streaming *m, eb_opened *opened, eb_status *status)
{
    size_t rows = m->n;
    eb_job_phase(m->job, m->stream->phase, m->n);
    for (m->begin = 0; m->begin < m->n; m->begin = m->end) {
        for (;;) {
            EB_TRY(eb_job_check(m->job, status));
            m->end = m->n - m->begin < rows ? m->n : m->begin + rows;
            eb_code failed = ask(m, opened, status);
            if (!failed)
                break;
            if (failed != EB_NO_MEMORY || m->wanted == 0 || m->end - m->begin == 1)
                return failed;
            rows = fewer(m, m->end - m->begin);
            eb_job_phase(m->job, m->stream->phase, m->n - m->begin);
        }
    }
    for (size_t i = 0; m->taken && i < m->n; i++)
        if (!m->taken[i])
            return eb_fail(status, EB_INTERNAL, "%s gave no row %zu", opened->setup->engine->name, i);
    if (m->lower != m->upper)
        return eb_fail(status, EB_INTERNAL, "%s found %llu pairs before the diagonal and %llu behind it",
                       opened->setup->engine->name, (unsigned long long)m->lower, (unsigned long long)m->upper);
    return EB_OK;
}

static eb_code check_grid(const eb_opened *opened, const eb_stream *stream, eb_status *status)
{
    if (!eb_is_self_join(&opened->problem) || stream->levels == 0)
        return eb_fail(status, EB_INTERNAL, "pairs of two sets, or at no ε, are not streamed");
    for (size_t k = 0; k < stream->levels; k++) {
        if (!(stream->eps[k] >= 0) || !isfinite(stream->eps[k]))
            return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", stream->eps[k]);
        if (k > 0 && !(stream->eps[k] > stream->eps[k - 1]))
            return eb_fail(status, EB_USAGE, "the ε of a grid must ascend; found %.17g after %.17g", stream->eps[k],
                           stream->eps[k - 1]);
        EB_TRY(eb_check_eps_reach(opened, stream->eps[k], status));
    }
    return EB_OK;
}

/* On the CPU the engine's limit is the host's (core/engine/budget.h). */
static uint64_t room_of(const eb_opened *opened, const eb_stream *stream)
{
    const uint64_t room = stream->room ? stream->room : EB_STREAM_ROOM, limit = opened->context.memory_limit;
    return opened->setup->device.kind == EB_DEVICE_CPU && limit > 0 && limit < room ? limit : room;
}

eb_code eb_stream_run(eb_opened *opened, const eb_stream *stream, eb_status *status)
{
    EB_TRY(check_grid(opened, stream, status));
    streaming m = {.stream = stream,
                   .points = opened->problem.left,
                   .job = opened->context.job,
                   .n = opened->problem.left->n,
                   .threads = opened->context.threads,
                   .unit = ldexp(1, -opened->scaling.exponent),
                   .room = room_of(opened, stream)};
    m.threshold = malloc(stream->levels * sizeof *m.threshold);
    if (!m.threshold || pthread_mutex_init(&m.lock, NULL) != 0) {
        free(m.threshold);
        return eb_fail_memory(status, "the grid", stream->levels * sizeof *m.threshold);
    }
    for (size_t k = 0; k < stream->levels; k++)
        m.threshold[k] = eb_squared_threshold(eb_scaled_eps(stream->eps[k], opened->scaling.exponent));
    eb_code failed = ask_all(&m, opened, status);
    (void)pthread_mutex_destroy(&m.lock);
    free(m.threshold);
    free(m.taken);
    return failed;
}
