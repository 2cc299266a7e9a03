/* gather: what DBSCAN keeps of the pairs of a grid of ε: counts of neighbours, and which points are connected. One
 * process gathers all pairs (stream.h); of several ranks each gathers those of its part, and rank 0 merges what they
 * have (core/ranks/keep/clusters.h).
 *
 * Levels count from 0, the smallest ε. `levels` stands for "never".
 */
#pragma once

#include "core/cluster/forest.h"
#include "core/cluster/stream.h"

typedef struct eb_gathering {
    size_t n, levels;
    _Atomic uint32_t *count; /* [n × levels] pairs of a point that enter at this level */
    eb_tree *forest;         /* [levels × n] points united at this level; NULL: only counts are wanted */
    uint32_t *core;          /* [n] level from which on the point is core */
    _Atomic uint32_t *reach; /* [n] level from which on the point is not noise; begins as `core` */
} eb_gathering;

/* Consumers of links (stream.h), with a gathering as their context. The first one counts pairs, which come both ways,
 * and unites their ends. The second one unites core points and lowers `reach`; the same pairs again change nothing. */
void eb_gather_counts(void *gathering, unsigned thread, const eb_link *links, size_t count);
void eb_gather_core(void *gathering, unsigned thread, const eb_link *links, size_t count);

/* Brings the counts back to where no pair has come: an eb_stream's anew(). */
eb_code eb_gather_anew(void *gathering, eb_status *status);

/* Lowers a point's `reach` to a level. */
void eb_gather_reach(const eb_gathering *gathering, uint32_t point, uint32_t level);
