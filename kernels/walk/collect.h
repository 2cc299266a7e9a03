/* collect: what becomes of the pairs that a CPU engine finds: a number of table entries, hits in a sink, or a distance
 * pass (engine.h). An engine's state begins with an eb_finder; count, join and histogram of its eb_implementation are
 * those below.
 *
 * find() hands over every pair i ≠ j within ε that touches the share's rows, of a self-join once, either way round,
 * from any of the context's threads. It may hand over more: a pair without an end in the rows is dropped; of one with a
 * single end there this end becomes i. Self pairs are not handed over: they are counted here.
 */
#pragma once

#include "core/engine/engine.h"

enum { EB_COLLECT_BATCH = 2048 };

/* One thread's. With neither hits nor s pairs are counted. */
typedef struct eb_collected {
    _Alignas(64) uint64_t entries;
    size_t count;               /* of a batch */
    eb_hit *hits;               /* [EB_COLLECT_BATCH] for a sink */
    double *s;                  /* [EB_COLLECT_BATCH] for a distance pass, */
    uint64_t *pairs;            /* [edges] and what it has by now */
    struct eb_value_list *kept; /* [edges] */
} eb_collected;

typedef struct eb_collector {
    eb_share share;
    bool self, some_rows; /* some_rows: not all */
    unsigned threads;
    const eb_sink *sink;
    eb_distance_pass *pass;
    double *thresholds;   /* [edges] fl(ε·ε) of each edge */
    eb_collected *thread; /* [threads] */
} eb_collector;

typedef struct eb_finder {
    const eb_problem *problem;
    const eb_context *context;
    eb_code (*find)(void *state, const eb_question *question, const eb_collector *to, eb_status *status);
} eb_finder;

/* As eb_implementation's; state begins with an eb_finder. The question is checked before find() has it. */
eb_code eb_collect_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                         eb_status *status);
eb_code eb_collect_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                        eb_status *status);
eb_code eb_collect_histogram(void *state, eb_distance_pass *pass, eb_status *status);

/* ---- for find() ---- */

/* Nobody looks at s or at which pairs they are. */
static inline bool eb_only_counts(const eb_collector *c) { return !c->sink && !c->pass; }

static inline bool eb_is_row(const eb_collector *c, size_t point)
{
    return point - c->share.row_begin < c->share.row_end - c->share.row_begin;
}

/* A thread's full batch, on to where it goes. */
eb_code eb_collect_batch(const eb_collector *c, unsigned thread, eb_status *status);

static inline eb_code eb_collect(const eb_collector *c, unsigned thread, eb_hit hit, eb_status *status)
{
    eb_collected *mine = &c->thread[thread];
    if (c->some_rows && !eb_is_row(c, hit.i)) {
        if (!c->self || !eb_is_row(c, hit.j))
            return EB_OK;
        hit = (eb_hit){.i = hit.j, .j = hit.i, .s = hit.s};
    }
    if (mine->hits)
        mine->hits[mine->count++] = hit;
    else if (mine->s)
        mine->s[mine->count++] = hit.s;
    else
        mine->entries += 1 + (uint64_t)(c->self && eb_is_row(c, hit.j));
    return mine->count == EB_COLLECT_BATCH ? eb_collect_batch(c, thread, status) : EB_OK;
}

/* A distance pass takes `count` values of s at once: nobody asks which pairs they belong to. */
eb_code eb_collect_distances(const eb_collector *c, unsigned thread, const double *s, size_t count, eb_status *status);

/* Of pairs that are only counted, the table entries that many make at once: of a self-join's pair one for each end that
 * is a row. */
static inline void eb_collect_entries(const eb_collector *c, unsigned thread, uint64_t entries)
{
    c->thread[thread].entries += entries;
}
