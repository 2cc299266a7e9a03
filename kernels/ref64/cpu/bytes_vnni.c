/* The kernels of panels.h for bytes: four products a lane by one instruction, VPDPBUSD. It multiplies unsigned by
 * signed bytes. So 128 is added to the rows' values, and the columns' terms take the surplus out (eb_integer_points).
 */
#include "kernels/ref64/cpu/panels.h"

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
