/* fasted_kernels: the emulation's inner loop, compiled for several instruction sets (fasted_simd.c).
 *
 * Points are kept in panels of 16: for each panel and dimension, 16 FP32 values (the FP16 ones, exact) and 16 exponents, so that one
 * vector lane is one pair. An exponent is the one hardware aligns by: −14 for subnormals; zero has EB_FASTED_NOTHING, far below all.
 */
#ifndef EB_CPU_FASTED_KERNELS_H
#define EB_CPU_FASTED_KERNELS_H

#include "cpu/tensor_core.h"

#define EB_FASTED_PANEL 16u
#define EB_FASTED_NOTHING (-100)

typedef struct eb_fasted_points {
    size_t n, d, d_padded;  /* d_padded: a multiple of 16 */
    uint16_t *half;         /* [n][d_padded], zeros behind d */
    float *values;          /* [⌈n/16⌉][d_padded][16] */
    int8_t *exponents;      /* the same shape */
    float *norms;           /* [n]: Σ p², each step rounded toward zero */
    const eb_tensor_model *model;
} eb_fasted_points;

/* products[r·nj + c] = the tensor core's ⟨p_{i0+r}, p_{j0+c}⟩. j0 is a multiple of 16. scratch: eb_fasted_scratch bytes. */
typedef void (*eb_fasted_products)(const eb_fasted_points *points, size_t i0, size_t ni, size_t j0, size_t nj, double *products,
                                   void *scratch);
size_t eb_fasted_scratch(size_t d_padded);

void eb_fasted_products_base(const eb_fasted_points *, size_t, size_t, size_t, size_t, double *, void *);
void eb_fasted_products_avx2(const eb_fasted_points *, size_t, size_t, size_t, size_t, double *, void *);
void eb_fasted_products_avx512(const eb_fasted_points *, size_t, size_t, size_t, size_t, double *, void *);

#endif
