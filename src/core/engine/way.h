/* way: one of several means to the same answer. An engine that has ways (kernels/exact) takes the cheapest that is
 * sound for its points and its ε; each is an implementation in a folder of its own and knows nothing of the others.
 *
 * Every way gives the truth's pairs, and the truth's squared distances bit for bit where the question wants any.
 */
#pragma once

#include "core/engine/engine.h"

/* What a sample of the points says of a question, before any way is opened (kernels/exact/estimate.h makes it). */
typedef struct eb_estimate {
    const eb_problem *problem;
    const eb_question *question;
    double pairs;           /* unordered pairs i < j of a self-join, pairs (left, right) of two sets: all there are */
    size_t count;           /* of sampled pairs */
    const double *distance; /* [count] theirs, ascending */
    double norm, widest; /* of the sampled points around about their mean: mean ‖x − c‖, largest |x_k − c_k| */
} eb_estimate;

/* Of all pairs, how many lie within ε, as far as the sample can tell. */
double eb_estimate_pairs(const eb_estimate *estimate, double eps);

/* As which power of ε that number grows from there on: the dimension that the points have at this scale, at most d. */
double eb_estimate_dimension(const eb_estimate *estimate);

typedef struct eb_way {
    const char *name;              /* "boxes": the value of the option `way` */
    const eb_implementation *run;  /* probe and describe as any engine's; its figures are its own */
    const eb_option_list *options; /* that its context is to have, all by default; NULL: those of the engine whose way
                                    * it is */

    /* Does it give the truth's answer for such points? Looks at type, n and d. EB_NO_ENGINE with the reason.
     * NULL: it suits all. */
    eb_code (*suits)(const eb_problem *problem, const eb_context *context, eb_status *status);

    /* Seconds that a question takes from its opening on, table apart, before it is opened; of a way that looks: at
     * least so many. NULL: only `look` tells. */
    double (*cost)(const eb_estimate *estimate, const eb_context *context);

    /* The same for a question, points being opened: what is made for it (a list of leaf pairs) is kept for when it is
     * asked. NULL: cost said it. */
    eb_code (*look)(void *state, const eb_question *question, double *seconds, eb_status *status);
} eb_way;
