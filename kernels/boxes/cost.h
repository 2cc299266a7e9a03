/* cost: seconds that boxes take on a GPU, from what is known of a question before its list of leaves is made, and from
 * the list. Calibrated on a H200 (tests/bench/gpu.md), and carried over to others by their limits.
 */
#pragma once

#include <math.h>

#include "core/engine/way.h"
#include "kernels/boxes/shape.h"

/* Which problems boxes on a GPU take (eb_way). */
static inline eb_code eb_boxes_suit(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    if (!eb_is_self_join(problem))
        return eb_fail(status, EB_NO_ENGINE, "boxes on the GPU join a set with itself, not two sets");
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "boxes on the GPU have an order of their own, and take no other");
    return EB_OK;
}

/* What the verdicts take: reading leaves, from L2 mostly, then FP64's pipe. candidates: pairs of points whose s is
 * computed. Within a factor of two of what was measured; beyond 16 dimensions there are several passes. */
static inline double eb_boxes_verdicts(double leaf_pairs, double candidates, double d, const eb_device *device)
{
    const double f64 = device->limit[EB_LIMIT_F64], copy = device->limit[EB_LIMIT_COPY];
    const double operations_a_second = f64 > 0 ? f64 / 3.25 : 9.3e12, bytes_a_second = copy > 0 ? copy * 1.48 : 6.2e12;
    const double reading = leaf_pairs * d * EB_LEAF * sizeof(double) / bytes_a_second;
    return (reading + candidates * (2 * d + 1) / operations_a_second) * (d > 16 ? 1.9 : 1);
}

/* At least so many pairs of points are computed. 32 points do not lie closer together than in a ball; those of another
 * leaf that are within ε of a leaf's box are at least those within ε and half such a ball's radius of a point. */
static inline double eb_boxes_least_candidates(const eb_estimate *estimate)
{
    const double n = (double)estimate->problem->left->n, eps = estimate->question->eps;
    const double near = 2 * eb_estimate_pairs(estimate, eps) / n; /* others that a point has within ε */
    const double radius = near > 0 ? eps * pow(EB_LEAF / near, 1 / eb_estimate_dimension(estimate)) : 0;
    return fmin(fmax(eb_estimate_pairs(estimate, eps + radius / 2), EB_LEAF * n), estimate->pairs);
}

/* Of all leaf pairs, how many have boxes within ε of each other, as if the points filled a cube of the dimension they
 * have at this scale: L leaves halve it log2(L) / D times a side, and two of them are near where in none of its D sides
 * they are further apart than a leaf's width and ε. Uniform points of 4, 8 and 16 dimensions: 1.7, 39 and 100 %
 * (measured 1.5, 48, 98). */
static inline double eb_boxes_alive(const eb_estimate *estimate)
{
    const double n = (double)estimate->problem->left->n, wide = 2 * estimate->widest;
    const double dimension = fmax(eb_estimate_dimension(estimate), 1), leaves = fmax(n / EB_LEAF, 1);
    const double apart = wide > 0 ? pow(leaves, -1 / dimension) + estimate->question->eps / wide : 1;
    return apart < 1 ? pow(2 * apart - apart * apart, dimension) : 1;
}

/* A guess: of the pairs in leaf pairs that are near one in ten is computed (measured: 0.1 to 0.66). */
static inline double eb_boxes_guess(const eb_estimate *estimate, const eb_device *device)
{
    const double n = (double)estimate->problem->left->n, leaves = n / EB_LEAF, alive = eb_boxes_alive(estimate);
    const double d = (double)estimate->problem->left->d;
    return eb_boxes_verdicts(alive * leaves * leaves / 2, alive * estimate->pairs / 10, d, device);
}

/* Order, leaves and a list, at least: 0.3 ms a million points. */
static inline double eb_boxes_least(const eb_estimate *estimate, const eb_device *device)
{
    const double n = (double)estimate->problem->left->n, d = (double)estimate->problem->left->d;
    return 2e-4 + 3e-10 * n + eb_boxes_verdicts(0, eb_boxes_least_candidates(estimate), d, device);
}
