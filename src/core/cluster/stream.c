#include "core/cluster/stream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/join/streaming.h"
#include "core/tune/tune.h"

enum { LINKS = 512 };

typedef struct streaming {
    const eb_stream *stream;
    const eb_dataset *points; /* as the engine has them */
    double *threshold;        /* [levels] pair test of each level: s ≤ threshold */
    uint32_t *first;          /* [keys] from first_key on: where the search for a level begins */
    size_t first_key;
    const eb_share *part;          /* of eb_stream_part */
    _Atomic uint64_t lower, upper; /* entries of rows before and after the diagonal */
} streaming;

/* ---- levels ---- */

/* The sign, exponent and first four fraction bits of a double; a greater double ≥ 0 has no smaller key. */
static size_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (size_t)(bits >> 48);
}

static void forget_levels(const streaming *m)
{
    free(m->first);
    free(m->threshold);
}

/* For each key from that of the smallest threshold to that of the largest: the first level whose threshold has this key
 * or a greater one. */
static eb_code index_levels(streaming *m, eb_status *status)
{
    const size_t levels = m->stream->levels, keys = key_of(m->threshold[levels - 1]) - key_of(m->threshold[0]) + 1;
    m->first = malloc(keys * sizeof *m->first);
    m->first_key = key_of(m->threshold[0]);
    if (!m->first)
        return eb_fail_memory(status, "the grid", keys * sizeof *m->first);
    for (size_t key = 0, level = 0; key < keys; key++) {
        while (level + 1 < levels && key_of(m->threshold[level]) < m->first_key + key)
            level++;
        m->first[key] = (uint32_t)level;
    }
    return EB_OK;
}

/* Leaves to forget_levels what it has allocated, after a failure too. */
static eb_code make_levels(streaming *m, int exponent, eb_status *status)
{
    const eb_stream *stream = m->stream;
    m->threshold = calloc(stream->levels, sizeof *m->threshold);
    if (!m->threshold)
        return eb_fail_memory(status, "the grid", stream->levels * sizeof *m->threshold);
    for (size_t k = 0; k < stream->levels; k++)
        m->threshold[k] = eb_squared_threshold(eb_scaled_eps(stream->eps[k], exponent));
    return index_levels(m, status);
}

/* The first level whose threshold is not below s, at most the last one. */
static uint32_t level_of_s(const streaming *m, double s)
{
    const uint32_t last = (uint32_t)m->stream->levels - 1;
    if (!(s > m->threshold[0]))
        return 0;
    if (s > m->threshold[last])
        return last;
    uint32_t level = m->first[key_of(s) - m->first_key];
    while (m->threshold[level] < s)
        level++;
    return level;
}

/* ---- links on their way to the consumer ---- */

typedef struct links {
    eb_link link[LINKS];
    size_t count;
} links;

static void flush(const streaming *m, unsigned thread, links *l)
{
    if (l->count > 0)
        m->stream->consumer(m->stream->context, thread, l->link, l->count);
    l->count = 0;
}

static void add(const streaming *m, unsigned thread, links *l, eb_link link)
{
    l->link[l->count++] = link;
    if (l->count == LINKS)
        flush(m, thread, l);
}

/* ---- single hits ---- */

/* If only some rows are asked for, a pair with one end outside them comes again with the other end's rows. */
static bool comes_again(const eb_share *share, const eb_hit *hit)
{
    return hit->j < hit->i && (hit->j < share->row_begin || hit->j >= share->row_end);
}

static eb_code take_hits(void *context, unsigned thread, const eb_share *share, const eb_hit *hits, size_t count,
                         eb_status *status)
{
    const streaming *m = context;
    links l;
    l.count = 0; /* only the count: the array is large */
    (void)status;
    for (size_t k = 0; k < count; k++) {
        const eb_hit *hit = &hits[k];
        if (comes_again(share, hit))
            continue;
        const uint32_t level = m->stream->levels > 1 ? level_of_s(m, hit->s) : 0;
        add(m, thread, &l, (eb_link){hit->i, hit->j, level});
        if (m->stream->both)
            add(m, thread, &l, (eb_link){hit->j, hit->i, level});
    }
    flush(m, thread, &l);
    return EB_OK;
}

/* ---- whole rows ---- */

/* Unless pairs come both ways, takes a row's pairs with later points; earlier points have the others in their rows. */
static eb_code take_row(void *context, unsigned thread, const eb_streamed_row *row, eb_status *status)
{
    streaming *m = context;
    links l;
    l.count = 0;
    uint64_t behind = 0, self = 0;
    const uint32_t i = row->row;
    const bool both = m->stream->both;
    for (size_t k = 0; k < row->count; k++) {
        const uint32_t j = row->columns[k];
        self += j == i;
        behind += j > i;
        if (j > i || (both && j < i))
            add(m, thread, &l, (eb_link){i, j, row->s ? level_of_s(m, row->s[k]) : 0});
    }
    flush(m, thread, &l);
    (void)atomic_fetch_add_explicit(&m->upper, behind, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&m->lower, row->count - behind - self, memory_order_relaxed);
    return self == 1 ? EB_OK
                     : eb_fail(status, EB_INTERNAL, "the engine's row %u has the point itself %llu times", i,
                               (unsigned long long)self);
}

/* ---- the stream ---- */

static eb_code begin_anew(void *context, eb_status *status)
{
    streaming *m = context;
    m->lower = m->upper = 0;
    return m->stream->anew(m->stream->context, status);
}

static eb_code ask_all(streaming *m, eb_opened *opened, eb_status *status)
{
    const eb_stream *stream = m->stream;
    const eb_question question = {.eps = stream->eps[stream->levels - 1], .pairs_alone = stream->levels == 1};
    const eb_streaming join = {.opened = opened,
                               .squared = stream->levels > 1,
                               .room = stream->room,
                               .hits = take_hits,
                               .row = take_row,
                               .anew = stream->anew ? begin_anew : NULL,
                               .context = m,
                               .phase = stream->phase};
    eb_job_phase(opened->context.job, stream->phase, m->points->n);
    EB_TRY(eb_stream_rows(&join, &question, 0, m->points->n, status));
    if (m->lower != m->upper)
        return eb_fail(status, EB_INTERNAL, "%s found %llu pairs before the diagonal and %llu behind it",
                       opened->setup->engine->name, (unsigned long long)m->lower, (unsigned long long)m->upper);
    return EB_OK;
}

eb_code eb_stream_run(eb_opened *opened, const eb_stream *stream, eb_status *status)
{
    if (!eb_is_self_join(&opened->problem) || stream->levels == 0)
        return eb_fail(status, EB_INTERNAL, "pairs of two sets, or at no ε, are not streamed");
    EB_TRY(eb_sweep_check(opened, stream->eps, stream->levels, status));
    streaming m = {.stream = stream, .points = opened->problem.left};
    eb_code failed = make_levels(&m, opened->scaling.exponent, status);
    if (!failed)
        failed = ask_all(&m, opened, status);
    forget_levels(&m);
    return failed;
}

/* ---- a part ---- */

static eb_code take_part(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const streaming *m = context;
    return take_hits(context, thread, m->part, hits, count, status);
}

eb_code eb_stream_part(const eb_opened *opened, const eb_question *question, const eb_share *part,
                       const eb_stream *stream, eb_status *status)
{
    streaming m = {.stream = stream, .points = opened->problem.left, .part = part};
    const eb_sink sink = {.context = &m, .hits = take_part};
    eb_code failed = make_levels(&m, 0, status);
    if (!failed)
        failed = opened->run->join(opened->state, question, part, &sink, status);
    forget_levels(&m);
    return failed;
}
