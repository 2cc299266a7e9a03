#include "kernels/tensor/cpu/distance.h"

#include <math.h>

#include "kernels/fasted/cpu/norms.h"

static double fused_norm(const double *y, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum = fma(y[k], y[k], sum);
    return sum;
}

static double norm_of_levels(const eb_rung *rung, const eb_rounding_row *row, size_t d)
{
    double levels = 0;
    for (size_t k = 0; k < d; k++) {
        const double level = rung->parts == 1 ? row->part[0][k] : EB_SLICE * row->part[0][k] + row->part[1][k];
        levels += level * level;
    }
    const float step = (float)row->step;
    if (rung->step_a_point)
        return (double)(float)((double)(step * step) * levels + row->point.debias);
    return levels + (row->step > 0 ? row->point.debias / (row->step * row->step) : 0);
}

double eb_norm_of(const eb_rung *rung, double debias, const eb_rounding_row *row, size_t d)
{
    if (rung->number == EB_S8)
        return norm_of_levels(rung, row, d);
    if (rung->number == EB_F64_NUMBER)
        return fused_norm(row->y, d);
    if (rung->parts > 1 || debias != 0)
        return (double)(float)(row->point.square + row->point.debias);
    return (double)eb_fasted_norm(row->part[0], d, rung->norms);
}
