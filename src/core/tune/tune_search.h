/* tune_search: one target's search for its order statistic, and the passes that all searches share. The inside of tune.
 *
 * A search knows an ε that is too small (floor) and, once a pass has counted so far, one that is large enough
 * (ceiling). Each pass looks into brackets (low, high]: keeps the distances inside when they are few enough, else
 * counts them in pieces.
 */
#pragma once

#include "core/tune/curve.h"
#include "core/tune/target.h"

typedef struct eb_search {
    eb_target *target;
    uint64_t rank;         /* u: the u-th smallest distance decides */
    double floor, ceiling; /* S(floor) < wanted ≤ S(ceiling), exact; floor < 0, ceiling NAN: not known */
    uint64_t floor_pairs, ceiling_pairs; /* unordered pairs within each */
    unsigned misses;                     /* passes that ended below the answer */
    double low, high;                    /* the bracket to look into next */
    double expected;                     /* unordered pairs inside it, at most, as far as known */
    bool cut;                            /* too many: count them in pieces */
    bool found;
} eb_search;

/* The edges of one pass over all searches that are not found. */
typedef struct eb_edges {
    size_t count;
    double *eps; /* [count], ascending */
    bool *keep;
    uint64_t *pairs;
    double **kept; /* freed with the rest */
} eb_edges;

/* How many unordered pairs S stands for: the least u ≥ 1 with 2u/n ≥ S, the quotient as reported, rounded once to
 * FP64. S in (0, n − 1]. */
uint64_t eb_pairs_wanted(double selectivity, size_t n);

/* Chooses the next bracket: from the curve at first, later from what passes counted. */
void eb_search_aim(eb_search *search, const eb_curve *curve);

/* Cuts the fullest brackets until what remains to be kept is within keep_limit distances. */
void eb_searches_limit(eb_search *searches, size_t count, uint64_t keep_limit);

eb_code eb_edges_make(const eb_search *searches, size_t count, eb_edges *out, eb_status *status);
void eb_edges_free(eb_edges *edges);
