/* kernels: the inner loops of ref64 on the CPU, each compiled for several instruction sets (*_simd.c).
 *
 * A select kernel marks the pairs of one tile that are, or may be, within the limit (tiles.h). It works on small
 * register tiles: a few rows, broadcast one value at a time, against the 16 (32-bit) or 8 (FP64) points of a panel, one
 * vector lane per pair. The kernel first interleaves rows into scratch. It cuts a long d into slices that fit the
 * cache, and keeps unfinished sums in scratch.
 */
#pragma once

#include "kernels/quantised/bound.h"
#include "kernels/walk/tiles.h"

#define EB_PANEL 16u      /* points side by side in a panel */
#define EB_SLICE 256u     /* 32-bit lanes of a point in one slice */
#define EB_SLICE_F64 128u /* coordinates of a slice of the FP64 kernel */
#define EB_GROUP_MOST 12u /* the most rows in a register tile of any instruction set */

/* Points in panels of 16: for each panel and each step, 16 lanes of 32 bits, one of each point. A lane holds one FP32
 * coordinate, two int16 or four int8 (the least k in the lowest bits; past d they are 0). */
typedef struct eb_panels {
    size_t n, steps;
    uint32_t *lanes; /* [⌈n/16⌉][steps][16], 64-byte aligned; points past n are 0 */
} eb_panels;

static inline size_t eb_panel_count(size_t n) { return (n + EB_PANEL - 1) / EB_PANEL; }

/* Points as integers around each dimension's middle. Modulo 2^32 the squared distance of row i and column j is
 * row_terms[i] + column_terms[j] − 2·dot, and it is below 2^32. int16: dot is the sum of products, and both terms are
 * the squared norm. int8: dot is that of x + 128 with y, so that a column's term is ‖y‖² + 256·Σy. */
typedef struct eb_integer_points {
    eb_panels panels;
    bool bytes;                         /* four int8 a lane instead of two int16 */
    uint32_t *row_terms, *column_terms; /* [⌈n/16⌉·16] each; with int16 they are one array */
} eb_integer_points;

typedef struct eb_place {
    size_t i0, ni, j0, nj; /* j0 a multiple of 64 */
    bool upper;            /* only pairs with j > i are wanted */
} eb_place;

typedef void eb_ref64_select(const eb_integer_points *points, uint32_t limit, const eb_place *place, uint64_t *bits,
                             void *scratch);
typedef void eb_ref64_measure(const eb_integer_points *points, const uint32_t *rows, size_t m, size_t j0, size_t nj,
                              double *const *s, void *scratch);

typedef void eb_ref64_round(const double *x, const double *mean, double scale, size_t d, float *v, double *norm2,
                            double *residual2);

/* select_i16 and measure_i16 for int8, where eb_cpu_multiplies_bytes (isa.h). */
eb_ref64_select eb_ref64_select_i8_vnni;
eb_ref64_measure eb_ref64_measure_i8_vnni;

/* Marks the pairs whose product of bytes, rows shifted by 128, reaches row[i] + column[j] (quantised.h). rows: the
 * points of the tile's rows; NULL: those from place->i0 on. */
void eb_ref64_filter_i8_vnni(const eb_panels *points, const uint32_t *rows, const uint32_t *row, const uint32_t *column,
                             const eb_place *place, uint64_t *bits, void *scratch);

/* Of f32 points, without the pairs whose FP32 distance shows that s > limit[k]; s is that of the FP64 chain. Returns
 * how many are left, at the arrays' begin, in the same order. An infinite FP32 distance is above 2^127. */
size_t eb_ref64_keep_near_vnni(const eb_dataset *ds, uint32_t *rows, uint32_t *columns, const double *limit,
                               size_t count);

/* The fraction of the FP32 sums' rounding error that counts (tests/mutants). */
#ifndef EB_NEAREST_LOSS
#define EB_NEAREST_LOSS 1.0
#endif

/* Rounds a row to int8: q[k] near (x[k] − centre[k])·scale, with the sums of kernels/quantised/bound.h, and Σq. */
void eb_ref64_quantise_vnni(const double *x, const double *centre, double scale, size_t d, int8_t *q,
                            eb_quantised_sums *sums, int32_t *sum);

/* Writes the d bytes of a point, each ^ flip, as int8 into a panel's lanes, which are EB_PANEL apart; also the sum of
 * their squares and their sum. */
void eb_ref64_lay_bytes_vnni(const unsigned char *row, unsigned char flip, size_t d, uint32_t *panel, uint32_t *norm,
                             int32_t *sum);

typedef struct eb_ref64_kernels {
    /* Integers: marks the pairs whose squared distance is ≤ limit, which is the verdict. */
    eb_ref64_select *select_i16;
    /* Integers: the squared distances of the points rows[0…m) to columns j0 … j0+nj−1: writes row q to s[q], in whole
     * panels. scratch is that of select_i16. */
    eb_ref64_measure *measure_i16;
    /* Floats: marks the pairs whose FP32 dot product reaches h[i] + h[j]. h: the bits of ⌈n/16⌉·16 FP32 values. */
    void (*select_f32)(const eb_panels *points, const uint32_t *h, const eb_place *place, uint64_t *bits,
                       void *scratch);
    /* FP64 from the points as stored: marks s ≤ limit. This is the verdict if decides_f64 (the CPU has FMA); otherwise
     * t·t is rounded before it is added, and the caller widens the limit. */
    void (*select_f64)(const eb_dataset *ds, double limit, const eb_place *place, uint64_t *bits, void *scratch);
    bool decides_f64;
    /* The same sums, in FP64 from the points as stored, of the points rows[0…m) with columns j0 … j0+nj−1: writes row q
     * to s[q]. They are the exact squared distances if decides_f64. scratch is that of select_f64. */
    void (*measure_f64)(const eb_dataset *ds, const uint32_t *rows, size_t m, size_t j0, size_t nj, double *const *s,
                        void *scratch);
    /* The exact squared distance of each of count pairs (rows[k], columns[k]). */
    void (*exact)(const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns, size_t count, double *s);
    /* Like exact(), for u8 and i8 points; computed in integers. */
    void (*exact_bytes)(const eb_dataset *ds, const uint32_t *rows, const uint32_t *columns, size_t count, double *s);
    eb_tile_counter count;
    /* Rounds a row to FP32: v[k] = fp32((x[k] − mean[k])·scale). Writes Σv² and Σ of the squared distances from v[k] to
     * the exact value, each with its own rounding added (points.c). */
    eb_ref64_round *round_row;
} eb_ref64_kernels;

#define EB_REF64_KERNELS(isa)                                                                                          \
    eb_ref64_select eb_ref64_select_i16_##isa;                                                                         \
    eb_ref64_measure eb_ref64_measure_i16_##isa;                                                                       \
    void eb_ref64_select_f32_##isa(const eb_panels *, const uint32_t *, const eb_place *, uint64_t *, void *);         \
    void eb_ref64_select_f64_##isa(const eb_dataset *, double, const eb_place *, uint64_t *, void *);                  \
    void eb_ref64_measure_f64_##isa(const eb_dataset *, const uint32_t *, size_t, size_t, size_t, double *const *,     \
                                    void *);                                                                           \
    eb_ref64_round eb_ref64_round_row_##isa;                                                                           \
    void eb_ref64_exact_##isa(const eb_dataset *, const uint32_t *, const uint32_t *, size_t, double *);               \
    void eb_ref64_exact_bytes_##isa(const eb_dataset *, const uint32_t *, const uint32_t *, size_t, double *);
EB_REF64_KERNELS(base)
EB_REF64_KERNELS(avx2)
EB_REF64_KERNELS(avx512)
