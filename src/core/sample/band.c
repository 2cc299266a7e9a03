#include "core/sample/band.h"

#include <math.h>
#include <stdbool.h>

#define SIGMAS_95 1.96
#define ALIKE 1e-12

eb_band eb_band_of_share(double mean, double variance, size_t count, double unseen)
{
    const bool alike = variance < ALIKE || count < 2;
    const double half =
        alike ? 3 / (double)count * unseen : SIGMAS_95 * sqrt(variance / ((double)count - 1)) * sqrt(unseen);
    return (eb_band){fmax(mean - half, 0), fmin(mean + half, 1)};
}

eb_band eb_band_of_ratio(const double *value, const double *weight, size_t count, double unseen)
{
    double values = 0, weights = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        values += value[k];
        weights += weight[k];
    }
    const double ratio = values / weights, n = (double)count;
    for (size_t k = 0; k < count; k++)
        squares += (value[k] - ratio * weight[k]) * (value[k] - ratio * weight[k]);
    const double half = SIGMAS_95 * sqrt(n / (n - 1) * squares * unseen) / weights;
    return count < 2 || !(weights > 0) ? (eb_band){(double)NAN, (double)NAN} : (eb_band){ratio - half, ratio + half};
}
