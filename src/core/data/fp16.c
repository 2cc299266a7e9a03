/* fp16: the number type FP16, with products summed in FP32. */
#include <math.h>
#include <string.h>

#include "core/report/fields.h"

#include "core/data/rounding.h"

/* The rounding error of x in FP16. With p the power of two of x, at least 2^-14, FP16's unit at x is 2^-10·p, which is
 * FP64's unit at 1.5·2^42·p. So adding and subtracting 1.5·2^42·p rounds x as FP16 does. */
static double error_of(double x)
{
    uint64_t bits;
    double power;
    memcpy(&bits, &x, sizeof bits);
    bits &= (uint64_t)0x7ff << 52;
    memcpy(&power, &bits, sizeof power);
    double far = (power > 0x1p-14 ? power : 0x1p-14) * 0x1.8p42;
    return fabs(x) < 65520 ? x - ((x + far) - far) : -copysign(INFINITY, x);
}

static void errors(double *x, size_t d)
{
    for (size_t k = 0; k < d; k++)
        x[k] = error_of(x[k]);
}

const eb_rounding eb_rounding_fp16 = {
    .name = "FP16",
    .field = EB_F(fp16),
    .moved = &eb_figure_fp16_shift,
    .moved_of_eps = &eb_figure_fp16_share,
    .holds = 1u << EB_F16 | 1u << EB_U8 | 1u << EB_I8,
    .greatest = 65504,
    .least_normal = 0x1p-14,
    .sums = "FP32",
    .exact_sums = 0x1p24,
    .errors = errors,
};
