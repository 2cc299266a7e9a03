/* prediction: the overlap of an engine's result with the truth's, predicted from a sample of pairs near ε before any
 * join runs.
 *
 * A pair changes sides of ε if the engine's error e = d̂ − d is larger than its distance from ε. With D = d ln S/d ln ε,
 * the slope of the curve of selectivity, and errors of pairs near ε:
 *     overlap ≈ (1 − D·E[max(e, 0)]/ε) / (1 + D·E[max(−e, 0)]/ε)
 * of pairs: pairs pushed out over all, and pairs pulled in. Held to eleven sets and ten rungs
 * (tests/bench/precision_law.md): of 126 cases with 0.0002 ≤ 1 − overlap < 0.3 the prediction of 1 − overlap was within
 * 10 % in 70, within 25 % in 111, and outside of its band in three: FP16 sums, 0.25 to 0.46 of what is lost, of points
 * of which few have most of the pairs. Above 0.3 it is too high, and says no more than that the result is useless.
 *
 * The band is ± 25 % of 1 − overlap, ± 50 % where errors spread over more than a twentieth of ε: there the slope at ε
 * does not hold for all pairs that change sides. It is ± two standard errors if these are more, as where few queries
 * hold most of the pairs.
 * The standard error is that of the sample without one query after another (jackknife).
 */
#pragma once

#include "core/engine/problem.h"
#include "core/knn/best.h"

/* Pairs of sampled points whose true distance is near ε. */
typedef struct eb_near_pairs {
    const eb_dataset *dataset;
    double eps;
    size_t points;        /* sampled points: queries, their near points, and the points with the greatest coordinates */
    uint32_t *row;        /* [points] their rows of the dataset */
    eb_dataset some;      /* [points] copies of them */
    size_t queries;       /* the first so many of the points */
    uint64_t within;      /* pairs of a query and another point within ε */
    size_t kept;          /* nearest points kept of each query, for ranks.h */
    eb_near_row *nearest; /* [queries × kept] rows of the dataset and true distances, nearest first */
    struct eb_near_counts {
        double inner, outer; /* points within ε less a tenth, and within ε and a tenth */
    } *around;               /* [queries] */
    size_t count;            /* of pairs */
    struct eb_near_pair {
        uint32_t query, point; /* rows of `some` */
        double distance;       /* the truth's */
    } *pair;
    double slope; /* D; NAN if there are too few pairs */
} eb_near_pairs;

typedef struct eb_overlap_prediction {
    double overlap, low, high; /* of pairs; NAN: too few pairs */
    double bias, spread;       /* mean and standard deviation of e, as shares of ε */
    double inputs; /* share of Σe² that comes of rounding the points, not of the sums; NAN: the engine does not tell */
    bool exact;    /* e is 0 for every sampled pair */
    bool useless;  /* 1 − overlap is above EB_PREDICTION_MOST */
} eb_overlap_prediction;

#define EB_PREDICTION_MOST 0.3
#define EB_PREDICTION_BAND 0.25
#define EB_PREDICTION_WIDE 0.5 /* the band where the spread is above EB_PREDICTION_NARROW */
#define EB_PREDICTION_NARROW 0.05

/* Finds the pairs. truth: the setup of an exact engine. The same seed gives the same pairs. EB_BAD_VALUE unless ε > 0.
 * Free with eb_near_pairs_free, also after an error. */
eb_code eb_near_pairs_find(const eb_dataset *ds, double eps, const eb_setup *truth, uint64_t seed, eb_job *job,
                           eb_near_pairs *out, eb_status *status);
void eb_near_pairs_free(eb_near_pairs *pairs);

/* Predicts the overlap of an engine, which is opened on the sampled points alone. */
eb_code eb_overlap_predict(const eb_near_pairs *pairs, const eb_setup *setup, eb_job *job, eb_overlap_prediction *out,
                           eb_status *status);

/* share[k]: the share of the sampled points' squared movement by rounding that is in dimension k, [d]; NAN: nothing
 * moves, or the engine does not tell. */
eb_code eb_dimension_errors(const eb_near_pairs *pairs, const eb_setup *setup, eb_job *job, double *share,
                            eb_status *status);
