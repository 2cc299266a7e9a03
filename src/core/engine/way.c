#include "core/engine/way.h"

#include <math.h>

/* Number of sampled distances ≤ ε. */
static size_t rank_of(const eb_estimate *estimate, double eps)
{
    size_t low = 0, high = estimate->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (estimate->distance[middle] <= eps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* If fewer than FEW sampled distances are ≤ ε, their number is extrapolated as a power of ε, with the exponent between
 * the FEW-th and the 8·FEW-th distance. */
#define FEW 8u

double eb_estimate_pairs(const eb_estimate *estimate, double eps)
{
    const size_t rank = rank_of(estimate, eps);
    if (estimate->count == 0)
        return estimate->pairs;
    const double each = estimate->pairs / (double)estimate->count;
    if (rank >= FEW || estimate->count < 8 * FEW)
        return each * (double)rank;
    const double near = estimate->distance[FEW - 1], far = estimate->distance[8 * FEW - 1];
    if (!(near > 0) || !(far > near))
        return each * (double)rank;
    const double slope = log(8) / log(far / near);
    return each * FEW * pow(eps / near, slope);
}

double eb_estimate_dimension(const eb_estimate *estimate)
{
    const size_t count = estimate->count;
    if (count < 8 * FEW)
        return (double)estimate->problem->left->d;
    const size_t rank = rank_of(estimate, estimate->question->eps);
    const size_t low = rank < FEW ? FEW : rank < count / 8 ? rank : count / 8;
    const double near = estimate->distance[low - 1], far = estimate->distance[8 * low - 1];
    if (!(near > 0) || !(far > near))
        return (double)estimate->problem->left->d;
    return fmin(log(8) / log(far / near), (double)estimate->problem->left->d);
}
