/* collect: collects the pairs that a CPU engine finds, as a number of table entries, as hits in a sink or as a distance
 * pass (engine.h). The state of such an engine begins with an eb_finder, and its eb_implementation names count, join
 * and histogram below.
 *
 * find() passes every pair i ≠ j within ε that has an end in the share's rows to eb_collect, from any of the context's
 * threads. A pair of a self-join is passed once, with either end as i. find() may pass more pairs: a pair without an
 * end in the rows is dropped; if only j is in the rows, i and j are exchanged. Self pairs are not passed:
 * eb_collect_count adds them.
 */
#pragma once

#include "core/engine/engine.h"

enum { EB_COLLECT_BATCH = 2048 };

/* The pairs that one thread has collected. Pairs are only counted if both hits and s are NULL. */
typedef struct eb_collected {
    _Alignas(64) uint64_t entries;
    size_t count;               /* pairs in the current batch */
    eb_hit *hits;               /* [EB_COLLECT_BATCH] for a sink */
    double *s;                  /* [EB_COLLECT_BATCH] for a distance pass */
    uint64_t *pairs;            /* [edges] counted so far, for a distance pass */
    struct eb_value_list *kept; /* [edges] distances kept so far, for a distance pass */
} eb_collected;

typedef struct eb_collector {
    eb_share share;
    bool self, some_rows; /* some_rows: the share has not all rows */
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

/* count, join and histogram of eb_implementation; state begins with an eb_finder. The question is checked before find()
 * is called. */
eb_code eb_collect_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                         eb_status *status);
eb_code eb_collect_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                        eb_status *status);
eb_code eb_collect_histogram(void *state, eb_distance_pass *pass, eb_status *status);

/* ---- for find() ---- */

/* True if neither distances nor the pairs' ends are wanted. */
static inline bool eb_only_counts(const eb_collector *c) { return !c->sink && !c->pass; }

static inline bool eb_is_row(const eb_collector *c, size_t point)
{
    return point - c->share.row_begin < c->share.row_end - c->share.row_begin;
}

/* Empties a thread's batch into the sink or the distance pass. */
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

/* Adds `count` values of s to a distance pass, which does not need the pairs' ends. */
eb_code eb_collect_distances(const eb_collector *c, unsigned thread, const double *s, size_t count, eb_status *status);

/* Adds table entries of pairs that are only counted. A self-join's pair makes an entry for each end that is a row. */
static inline void eb_collect_entries(const eb_collector *c, unsigned thread, uint64_t entries)
{
    c->thread[thread].entries += entries;
}
