#include "core/engine/way.h"

#include <math.h>

/* How many sampled distances are ≤ ε. */
static size_t rank_of(const eb_outlook *outlook, double eps)
{
    size_t low = 0, high = outlook->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (outlook->distance[middle] <= eps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where hardly any sampled distance lies below ε, their number goes on downwards as it does between the FEW-th and the
 * eightfold: as a power of ε. */
#define FEW 8u

double eb_outlook_pairs(const eb_outlook *outlook, double eps)
{
    const size_t rank = rank_of(outlook, eps);
    if (outlook->count == 0)
        return outlook->pairs;
    const double each = outlook->pairs / (double)outlook->count;
    if (rank >= FEW || outlook->count < 8 * FEW)
        return each * (double)rank;
    const double near = outlook->distance[FEW - 1], far = outlook->distance[8 * FEW - 1];
    if (!(near > 0) || !(far > near))
        return each * (double)rank;
    const double slope = log(8) / log(far / near);
    return each * FEW * pow(eps / near, slope);
}

double eb_outlook_dimension(const eb_outlook *outlook)
{
    const size_t count = outlook->count;
    if (count < 8 * FEW)
        return (double)outlook->problem->left->d;
    const size_t rank = rank_of(outlook, outlook->question->eps);
    const size_t low = rank < FEW ? FEW : rank < count / 8 ? rank : count / 8;
    const double near = outlook->distance[low - 1], far = outlook->distance[8 * low - 1];
    if (!(near > 0) || !(far > near))
        return (double)outlook->problem->left->d;
    return fmin(log(8) / log(far / near), (double)outlook->problem->left->d);
}
