/* kernels: the emulation's inner loops, compiled for several instruction sets (products_simd.c).
 *
 * Points are stored in panels of 16, so that one vector lane is one pair. A panel holds for each dimension 16 FP32
 * values (the FP16 numbers, exact) and 16 exponents. An exponent is the one that the hardware aligns by (−14 for
 * subnormals), coded as e + 64, so that two of them add up in a byte. Zero is coded 0: a sum with it is below every sum
 * without it.
 */
#pragma once

#include "kernels/tensor/adder.h"

#define EB_FASTED_PANEL 16u
#define EB_FASTED_EXPONENT 64 /* the offset of coded exponents */
#define EB_FASTED_COLUMNS 64u /* columns of the widest tile */

typedef struct eb_fasted_points {
    size_t n, d, d_padded; /* d_padded: d rounded up to a multiple of 16 */
    uint16_t *half;        /* [n][d_padded], zeros from d on */
    float *values;         /* [⌈n/16⌉][d_padded][16] */
    uint8_t *exponents;    /* the same shape */
    float *norms;          /* [⌈n/16⌉·16]: ‖p‖², summed as the option `norms` says */
    double exact_below;    /* if norms[i]·norms[j] is below this, nothing in ⟨p_i, p_j⟩ rounds; 0: no such bound */
    eb_adder adder;        /* FP16 with FP32 sums: blocks of 8 or 16 */
} eb_fasted_points;

/* products[r·EB_FASTED_COLUMNS + c] = ⟨p_{i0+r}, p_{j0+c}⟩ as the tensor core computes it, for whole panels. j0 is a
 * multiple of 16, nj ≤ EB_FASTED_COLUMNS. */
typedef void (*eb_fasted_products)(const eb_fasted_points *points, size_t i0, size_t ni, size_t j0, size_t nj,
                                   float *products);
void eb_fasted_products_base(const eb_fasted_points *, size_t, size_t, size_t, size_t, float *);
void eb_fasted_products_avx2(const eb_fasted_points *, size_t, size_t, size_t, size_t, float *);
void eb_fasted_products_avx512(const eb_fasted_points *, size_t, size_t, size_t, size_t, float *);

/* s[c] = max(0, (norm + norms[c]) − 2·products[c]), each step rounded to nearest in FP32. */
typedef void (*eb_fasted_distances)(float norm, const float *norms, const float *products, size_t count, double *s);
void eb_fasted_distances_base(float, const float *, const float *, size_t, double *);
void eb_fasted_distances_avx2(float, const float *, const float *, size_t, double *);
void eb_fasted_distances_avx512(float, const float *, const float *, size_t, double *);
