#include "kernels/tensor/cpu/dots.h"

#include <math.h>

#define NAME_(name, isa) name##_##isa
#define NAME(name, isa) NAME_(name, isa)

double NAME(eb_dot_f64, EB_ISA)(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum = fma(a[k], b[k], sum);
    return sum;
}

float NAME(eb_dot_f32, EB_ISA)(const float *a, const float *b, size_t d)
{
    enum { LANES = 32 };
    float sum[LANES] = {0}, all = 0;
    size_t k = 0;
    for (; k + LANES <= d; k += LANES)
        for (unsigned lane = 0; lane < LANES; lane++)
            sum[lane] += a[k + lane] * b[k + lane];
    for (; k < d; k++)
        all += a[k] * b[k];
    for (unsigned lane = 0; lane < LANES; lane++)
        all += sum[lane];
    return all;
}

int32_t NAME(eb_dot_s8, EB_ISA)(const int8_t *a, const int8_t *b, size_t d)
{
    int32_t sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (int16_t)(a[k] * b[k]);
    return sum;
}
