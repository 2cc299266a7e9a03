/* cost: the common part of the filters' cost estimates, before a filter is opened. Plain C. */
#pragma once

#include <math.h>

#include "core/engine/way.h"
#include "kernels/filters/grouping.h"

/* Fewer close pairs in the sample than this show no clusters. */
#define EB_COST_CLOSE_PAIRS 8

/* Estimates the seconds of the products. `seconds`: the time for the products of all pairs; groups that rule most pairs
 * out shorten it (groups.cuh). Making the groups takes 1.2 ms at 512 dimensions. row_bytes: size of a rounded point. */
static inline double eb_cost_of_products(const eb_estimate *estimate, const eb_context *context, double row_bytes,
                                         double seconds)
{
    const double eps = estimate->question->eps, points = sqrt(2 * estimate->pairs);
    const double near = eb_estimate_pairs(estimate, (double)EB_GROUPING_NEAR * eps),
                 close = eb_estimate_pairs(estimate, (double)EB_GROUPING_CLOSE * eps);
    const double seen = close * (double)estimate->count / estimate->pairs;
    if (!eb_is_self_join(estimate->problem) || context->memory_limit || !eb_grouping_is_faster(points, row_bytes) ||
        seen < EB_COST_CLOSE_PAIRS || !eb_grouping_helps(estimate->pairs, near, close))
        return seconds;
    return fmin(seconds, 6e-4 + 3e-9 * points + eb_grouping_leaves(estimate->pairs, near) * seconds);
}
