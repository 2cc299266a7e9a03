/* fasted_kernels: the emulation's inner loops, compiled for several instruction sets (fasted_simd.c).
 *
 * Points lie in panels of 16, so that one vector lane is one pair: for each panel and dimension 16 FP32 values (the
 * FP16 ones, exact) and 16 exponents. An exponent is the one hardware aligns by, −14 for subnormals, coded as e + 64,
 * so that two of them add up in a byte; zero is coded 0, and a sum with it stays below every sum without.
 */
#pragma once

#include "kernels/fasted/cpu/tensor_core.h"

#define EB_FASTED_PANEL 16u
#define EB_FASTED_EXPONENT 64 /* what is added to an exponent */
#define EB_FASTED_COLUMNS 64u /* the widest tile */

typedef struct eb_fasted_points {
    size_t n, d, d_padded; /* d_padded: a multiple of 16 */
    uint16_t *half;        /* [n][d_padded], zeros behind d */
    float *values;         /* [⌈n/16⌉][d_padded][16] */
    uint8_t *exponents;    /* the same shape */
    float *norms;          /* [⌈n/16⌉·16]: Σ p², each step rounded toward zero */
    double exact_below;    /* where norms[i]·norms[j] is below it, nothing in ⟨p_i, p_j⟩ rounds; 0: nowhere */
    const eb_tensor_model *model;
} eb_fasted_points;

/* products[r·EB_FASTED_COLUMNS + c] = ⟨p_{i0+r}, p_{j0+c}⟩ as the tensor core has it, up to whole panels. j0 is a
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
