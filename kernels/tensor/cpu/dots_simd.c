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

int32_t NAME(eb_dot_s8, EB_ISA)(const int8_t *a, const int8_t *b, size_t d)
{
    int32_t sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (int16_t)(a[k] * b[k]);
    return sum;
}
