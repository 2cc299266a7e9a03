/* The kernels of panels_simd.h for 16-bit integers and FP32, compiled for each instruction set. */
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
