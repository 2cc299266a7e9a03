/* The kernels of panels_simd.h for 16-bit integers and FP32, and rounding to FP32, compiled for each instruction set.
 */
#include "kernels/ref64/cpu/panels_simd.h"

void EB_FOR_ISA(eb_ref64_select_i16)(const eb_integer_points *points, uint32_t limit, const eb_place *place,
                                     uint64_t *bits, void *scratch)
{
    select_integers(INT16_PAIRS, points, limit, place, bits, scratch);
}

void EB_FOR_ISA(eb_ref64_measure_i16)(const eb_integer_points *points, const uint32_t *rows, size_t m, size_t j0,
                                      size_t nj, double *const *s, void *scratch)
{
    measure_integers(INT16_PAIRS, points, rows, m, j0, nj, s, scratch);
}

void EB_FOR_ISA(eb_ref64_select_f32)(const eb_panels *points, const uint32_t *h, const eb_place *place, uint64_t *bits,
                                     void *scratch)
{
    tile t = tile_in(points, h, h, place, scratch);
    t.bits = bits;
    select_pairs(FLOATS, &t);
}

/* Sums of eight coordinates side by side, so that they fill vectors. */
enum { SIDE = 8 };

EB_INLINE float round_one(double y, double *norm2, double *residual2)
{
    const float v = (float)y;
    const double missing = fabs(y - (double)v) + fabs(y) * 0x1p-52;
    *norm2 += (double)v * (double)v;
    *residual2 += missing * missing;
    return v;
}

void EB_FOR_ISA(eb_ref64_round_row)(const double *x, const double *mean, double scale, size_t d, float *v,
                                    double *norm2, double *residual2)
{
    double norms[SIDE] = {0}, residuals[SIDE] = {0};
    const size_t whole = d / SIDE * SIDE;
    for (size_t first = 0; first < whole; first += SIDE)
        for (size_t l = 0; l < SIDE; l++)
            v[first + l] = round_one((x[first + l] - mean[first + l]) * scale, &norms[l], &residuals[l]);
    for (size_t k = whole; k < d; k++)
        v[k] = round_one((x[k] - mean[k]) * scale, &norms[0], &residuals[0]);
    *norm2 = *residual2 = 0;
    for (size_t l = 0; l < SIDE; l++) {
        *norm2 += norms[l];
        *residual2 += residuals[l];
    }
}
