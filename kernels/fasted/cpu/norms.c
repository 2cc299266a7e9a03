#include "kernels/fasted/cpu/norms.h"

#include <math.h>

/* FP64 may round the sum, but never up onto an FP32 number: for that the smaller term would have to be below 2^-29 of
 * the larger term, an FP32 number whose next one is 2^-23 away. So truncating FP64's sum truncates the exact sum. */
float eb_add_toward_zero(float s, float x)
{
    double sum = (double)s + (double)x;
    float rounded = (float)sum;
    return (double)rounded > sum ? nextafterf(rounded, 0) : rounded;
}

float eb_fasted_norm(const double *y, size_t d, eb_fasted_norms norms)
{
    double exact = 0;
    float norm = 0;
    for (size_t k = 0; k < d; k += 2) {
        const float one = (float)y[k], two = k + 1 < d ? (float)y[k + 1] : 0;
        if (norms == EB_NORMS_FP64)
            exact += (double)(one * one) + (double)(two * two);
        else if (norms == EB_NORMS_CHAIN)
            norm = eb_add_toward_zero(eb_add_toward_zero(norm, one * one), two * two);
        else
            norm = eb_add_toward_zero(norm, eb_add_toward_zero(one * one, two * two));
    }
    return norms == EB_NORMS_FP64 ? (float)exact : norm;
}
