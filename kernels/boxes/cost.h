/* cost: estimates the seconds that a join by boxes takes on a GPU, before its list of leaf pairs is made or from the
 * list. Calibrated on an H200 (tests/bench/gpu.md); other GPUs are scaled by their measured limits.
 */
#pragma once

#include <math.h>

#include "core/engine/way.h"
#include "kernels/boxes/shape.h"

/* EB_OK if boxes on a GPU can answer this problem (eb_way). */
static inline eb_code eb_boxes_suit(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    if (!eb_is_self_join(problem))
        return eb_fail(status, EB_NO_ENGINE, "boxes on the GPU join a set with itself, not two sets");
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "boxes on the GPU have an order of their own, and take no other");
    return EB_OK;
}

/* Seconds of the verdicts: leaves are read, mostly from L2, then the FP64 pipe is the limit. candidates: pairs of
 * points whose s is computed. Measured times were within a factor of two. More than 16 dimensions take several passes.
 */
static inline double eb_boxes_verdicts(double leaf_pairs, double candidates, double d, const eb_device *device)
{
    const double f64 = device->limit[EB_LIMIT_F64], copy = device->limit[EB_LIMIT_COPY];
    const double operations_a_second = f64 > 0 ? f64 / 3.25 : 9.3e12, bytes_a_second = copy > 0 ? copy * 1.48 : 6.2e12;
    const double reading = leaf_pairs * d * EB_LEAF * sizeof(double) / bytes_a_second;
    return (reading + candidates * (2 * d + 1) / operations_a_second) * (d > 16 ? 1.9 : 1);
}

/* A lower bound of the candidates. A leaf's 32 points are at best packed in a ball; the points within ε of the leaf's
 * box are at least those within ε and half the ball's radius of a point. */
static inline double eb_boxes_least_candidates(const eb_estimate *estimate)
{
    const double n = (double)estimate->problem->left->n, eps = estimate->question->eps;
    const double near = 2 * eb_estimate_pairs(estimate, eps) / n; /* other points within ε of a point */
    const double radius = near > 0 ? eps * pow(EB_LEAF / near, 1 / eb_estimate_dimension(estimate)) : 0;
    return fmin(fmax(eb_estimate_pairs(estimate, eps + radius / 2), EB_LEAF * n), estimate->pairs);
}

/* The fraction of leaf pairs whose boxes are within ε of each other, if the points filled a cube of the dimension D
 * that they have at this scale. L leaves halve each side log2(L) / D times. Two leaves are near if along each of the D
 * sides they are at most a leaf's width and ε apart. Uniform points of 4, 8 and 16 dimensions: 1.7, 39 and 100 %
 * (measured 1.5, 48, 98). */
static inline double eb_boxes_alive(const eb_estimate *estimate)
{
    const double n = (double)estimate->problem->left->n, wide = 2 * estimate->widest;
    const double dimension = fmax(eb_estimate_dimension(estimate), 1), leaves = fmax(n / EB_LEAF, 1);
    const double apart = wide > 0 ? pow(leaves, -1 / dimension) + estimate->question->eps / wide : 1;
    return apart < 1 ? pow(2 * apart - apart * apart, dimension) : 1;
}

/* A guess of the seconds: it assumes that one in ten of the pairs in near leaf pairs is computed (measured: 0.1 to
 * 0.66). */
static inline double eb_boxes_guess(const eb_estimate *estimate, const eb_device *device)
{
    const double n = (double)estimate->problem->left->n, leaves = n / EB_LEAF, alive = eb_boxes_alive(estimate);
    const double d = (double)estimate->problem->left->d;
    return eb_boxes_verdicts(alive * leaves * leaves / 2, alive * estimate->pairs / 10, d, device);
}

/* A lower bound of the seconds. Order, leaves and list take at least 0.3 ms for a million points. */
static inline double eb_boxes_least(const eb_estimate *estimate, const eb_device *device)
{
    const double n = (double)estimate->problem->left->n, d = (double)estimate->problem->left->d;
    return 2e-4 + 3e-10 * n + eb_boxes_verdicts(0, eb_boxes_least_candidates(estimate), d, device);
}
