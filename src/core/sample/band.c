#include "core/sample/band.h"

#include <math.h>
#include <stdbool.h>

#include "core/experiment/statistics.h"

#define SIGMAS_95 1.96
#define ALIKE 1e-12
#define FEWEST_BEARERS 2

eb_band eb_band_of_share(double mean, double variance, size_t count, double unseen)
{
    if (variance < ALIKE || count < 2) {
        const double half = 3 / (double)count * unseen;
        return (eb_band){fmax(mean - half, 0), fmin(mean + half, 1)};
    }
    const bool much = mean > 0.5;
    const double rare = much ? 1 - mean : mean, error = sqrt(variance / ((double)count - 1) * unseen);
    const double bearers = (double)count * rare * rare / (variance + rare * rare); /* points that make up the mean */
    const double factor = exp(eb_student(SIGMAS_95, fmax(bearers, FEWEST_BEARERS)) * error / rare);
    const double least = rare / factor, most = fmin(rare * factor, 1);
    return much ? (eb_band){1 - most, 1 - least} : (eb_band){least, most};
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
