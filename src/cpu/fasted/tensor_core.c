#include "cpu/fasted/tensor_core.h"

#include <math.h>

static const eb_tensor_model sm_80 = {.name = "sm_80", .block = 8, .fraction = 24};
static const eb_tensor_model sm_90 = {.name = "sm_90", .block = 16, .fraction = 25};

const eb_tensor_model *eb_tensor_model_of(eb_tensor tensor) { return tensor == EB_TENSOR_SM80 ? &sm_80 : &sm_90; }

/* FP64 may round the sum, but never up onto an FP32 number: then the smaller term would be below 2^-29 of the larger,
 * which is one itself, and the next one is 2^-23 away. So truncating FP64's sum truncates the true one. */
float eb_add_toward_zero(float s, float x)
{
    double sum = (double)s + (double)x;
    float rounded = (float)sum;
    return (double)rounded > sum ? nextafterf(rounded, 0) : rounded;
}
