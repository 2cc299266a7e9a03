#include "kernels/fasted/cpu/tensor_core.h"

#include <math.h>

#include "core/base/dtype.h"

static const eb_tensor_model sm_80 = {.name = "sm_80", .block = 8, .fraction = 24};
static const eb_tensor_model sm_90 = {.name = "sm_90", .block = 16, .fraction = 25};

const eb_tensor_model *eb_tensor_model_of(eb_tensor tensor) { return tensor == EB_TENSOR_SM80 ? &sm_80 : &sm_90; }

/* FP64 may round the sum, but never up onto an FP32 number: for that the smaller term would have to be below 2^-29 of
 * the larger term, an FP32 number whose next one is 2^-23 away. So truncating FP64's sum truncates the exact sum. */
float eb_add_toward_zero(float s, float x)
{
    double sum = (double)s + (double)x;
    float rounded = (float)sum;
    return (double)rounded > sum ? nextafterf(rounded, 0) : rounded;
}

/* p² of an FP16 number is exact in FP32. Padding with zeros changes no sum. */
float eb_fasted_norm(const uint16_t *half, size_t d_padded, eb_fasted_norms norms)
{
    double exact = 0;
    float norm = 0;
    for (size_t k = 0; k < d_padded; k += 2) {
        float x = eb_half_to_float(half[k]), y = eb_half_to_float(half[k + 1]);
        if (norms == EB_NORMS_FP64)
            exact += (double)(x * x) + (double)(y * y);
        else if (norms == EB_NORMS_CHAIN)
            norm = eb_add_toward_zero(eb_add_toward_zero(norm, x * x), y * y);
        else
            norm = eb_add_toward_zero(norm, eb_add_toward_zero(x * x, y * y));
    }
    return norms == EB_NORMS_FP64 ? (float)exact : norm;
}
