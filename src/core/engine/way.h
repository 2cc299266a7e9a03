/* way: one of several implementations with the same answer. An engine with ways (kernels/exact) takes the cheapest one
 * that is correct for its points and ε. Each way has a folder of its own and does not depend on the others.
 *
 * Every way gives the exact FP64 pairs, and, unless the question needs pairs only, the exact squared distances bit for
 * bit.
 */
#pragma once

#include "core/engine/engine.h"

/* A sample of the points, taken for a question before any way is opened (kernels/exact/estimate.h makes it). */
typedef struct eb_estimate {
    const eb_problem *problem;
    const eb_question *question;
    double pairs;           /* number of all pairs: i < j in a self-join, (left, right) for two sets */
    size_t count;           /* number of sampled pairs */
    const double *distance; /* [count] their distances, ascending */
    double norm, widest;    /* of the sampled points, c about their mean: mean ‖x − c‖, largest |x_k − c_k| */
} eb_estimate;

/* Estimated number of pairs within ε. */
double eb_estimate_pairs(const eb_estimate *estimate, double eps);

/* The power of ε with which the number of pairs grows at the question's ε: the dimension of the points at this scale,
 * at most d. */
double eb_estimate_dimension(const eb_estimate *estimate);

typedef struct eb_way {
    const char *name;              /* "boxes": the value of the option `way` */
    const eb_implementation *run;  /* probe and describe as in any engine; it has figures of its own */
    const eb_option_list *options; /* its context gets these, with default values; NULL: it gets the engine's */

    /* Checks that the way gives exact answers for points of this type, n and d. EB_NO_ENGINE with the reason. NULL: it
     * always does. */
    eb_code (*suits)(const eb_problem *problem, const eb_context *context, eb_status *status);

    /* Predicted seconds of opening and answering, without the table; a lower bound if the way has `look`. Called before
     * opening. NULL: only `look` predicts. */
    double (*cost)(const eb_estimate *estimate, const eb_context *context);

    /* Predicted seconds of a question to the opened way. Keeps what it makes (a list of leaf pairs) for the answer.
     * NULL: cost is the prediction. */
    eb_code (*look)(void *state, const eb_question *question, double *seconds, eb_status *status);
} eb_way;
