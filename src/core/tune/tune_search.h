/* tune_search: the search for one target's order statistic, and the passes that all searches share. Used inside tune
 * only.
 *
 * A search knows an ε that is too small (floor) and, after a pass has counted that far, an ε that is large enough
 * (ceiling). Each pass covers brackets (low, high]. It keeps the distances inside a bracket if they are few enough,
 * else it counts them in pieces. A little beyond a bracket it counts too, which shows the gap after an answer at the
 * bracket's end.
 */
#pragma once

#include "core/tune/curve.h"

typedef struct eb_search {
    eb_target *target;
    uint64_t rank;                       /* u: the u-th smallest distance is the answer */
    double floor, ceiling;               /* S(floor) < wanted ≤ S(ceiling), exact; unknown: floor < 0, ceiling NAN */
    uint64_t floor_pairs, ceiling_pairs; /* unordered pairs within floor and ceiling */
    unsigned misses;                     /* passes that ended below the answer */
    double low, high;                    /* the next bracket */
    double expected;                     /* estimated most unordered pairs inside the bracket */
    bool cut;                            /* too many pairs to keep: count in pieces */
    bool found;
} eb_search;

/* The number of unordered pairs that S stands for: the smallest u ≥ 1 with 2u/n ≥ S, with the quotient rounded once to
 * FP64 as in reports. S in (0, n − 1]. */
uint64_t eb_pairs_wanted(double selectivity, size_t n);

/* Chooses the next bracket: first from the curve, later from what passes counted. */
void eb_search_aim(eb_search *search, const eb_curve *curve);

/* Marks the fullest brackets as cut until the distances to keep are within keep_limit. */
void eb_searches_limit(eb_search *searches, size_t count, uint64_t keep_limit);

/* One pass over all open searches: its edges, and room for its results. Freed with eb_pass_free. */
eb_code eb_pass_make(const eb_search *searches, size_t count, eb_distance_pass *out, eb_status *status);
void eb_pass_free(eb_distance_pass *pass);
