/* ranks: whether an engine orders near points as the truth does, and what it finds at the ε at which it is proven to
 * miss nothing. Measured on the queries of a prediction's sample (prediction.h), each against all points.
 *
 * Only points that can matter are computed: by the engine's reach (eb_reach_eps) no other point can be as near as those
 * asked for. Equal distances are ordered by row, as in `knn`.
 */
#pragma once

#include "core/accuracy/prediction.h"

#define EB_RANKS_MOST_K 1000u

typedef struct eb_ranks {
    size_t queries, k;
    double recall;  /* share of the truth's k nearest that are among the engine's k nearest, mean over queries */
    double tau;     /* Kendall's tau of the truth's k nearest: pairs in the same order less pairs in the other, over
                       pairs whose true distances differ; mean over queries; NAN: all are equal */
    double rescore; /* nearest points of the engine that hold 99.9 % of the truth's k nearest, over k */
    double complete_eps; /* eb_complete_eps at the sample's ε; INFINITY: none is known */
    double price; /* pairs of queries that the engine finds at complete_eps over those of the truth at ε; NAN: none */
} eb_ranks;

/* k: 1 to EB_RANKS_MOST_K; fewer if there are fewer other points. */
eb_code eb_ranks_measure(const eb_near_pairs *sample, const eb_setup *setup, size_t k, eb_job *job, eb_ranks *out,
                         eb_status *status);
