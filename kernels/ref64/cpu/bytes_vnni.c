/* The kernels of panels_simd.h for bytes: four products a lane by one instruction, VPDPBUSD. It multiplies unsigned by
 * signed bytes. So 128 is added to the rows' values, and the columns' terms take the surplus out (eb_integer_points).
 */
#include "kernels/ref64/cpu/panels_simd.h"

void eb_ref64_select_i8_vnni(const eb_integer_points *points, uint32_t limit, const eb_place *place, uint64_t *bits,
                             void *scratch)
{
    select_integers(BYTE_QUADS, points, limit, place, bits, scratch);
}

void eb_ref64_measure_i8_vnni(const eb_integer_points *points, const uint32_t *rows, size_t m, size_t j0, size_t nj,
                              double *const *s, void *scratch)
{
    measure_integers(BYTE_QUADS, points, rows, m, j0, nj, s, scratch);
}

void eb_ref64_filter_i8_vnni(const eb_panels *points, const uint32_t *row, const uint32_t *column,
                             const eb_place *place, uint64_t *bits, void *scratch)
{
    tile t = tile_in(points, row, column, place, scratch);
    t.bits = bits;
    select_pairs(LEVELS, &t);
}

void eb_ref64_lay_bytes_vnni(const unsigned char *row, unsigned char flip, size_t d, uint32_t *panel, uint32_t *norm,
                             int32_t *sum)
{
    const size_t whole = d / 4;
    uint32_t lane, last = 0;
    int32_t squares = 0, all = 0;
    for (size_t k = 0; k < whole; k++) {
        memcpy(&lane, row + 4 * k, sizeof lane);
        panel[k * EB_PANEL] = lane ^ flip * 0x01010101u;
    }
    for (size_t k = 4 * whole; k < d; k++)
        last |= (uint32_t)(row[k] ^ flip) << 8 * (k % 4);
    if (d % 4 != 0)
        panel[whole * EB_PANEL] = last;
    for (size_t k = 0; k < d; k++) {
        const int32_t x = (int8_t)(row[k] ^ flip);
        squares += x * x; /* at most 65536 · 2^14 */
        all += x;
    }
    *norm = (uint32_t)squares;
    *sum = all;
}
