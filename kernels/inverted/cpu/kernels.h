/* kernels: the inner loops of building and searching an inverted file, compiled for several instruction sets
 * (nearest_simd.c, table_simd.c, scan_simd.c). All give the same bits: squared distances are s ← s + t·t, both
 * operations rounded, coordinates ascending; sums of table entries are defined in core/inverted/question.h.
 */
#pragma once

#include "core/base/status.h"
#include "core/inverted/question.h"

/* k vectors of d coordinates in SIMD layout: panels of 16 vectors side by side, coordinate by coordinate. The last
 * panel is filled with vectors at infinite distance. */
#define EB_PANEL 16u

typedef struct eb_panels {
    size_t k, d;
    float *value; /* [⌈k/16⌉ × d × 16] */
} eb_panels;

static inline size_t eb_panels_count(size_t k) { return (k + EB_PANEL - 1) / EB_PANEL; }

eb_code eb_panels_make(size_t k, size_t d, eb_panels *out, eb_status *status);
void eb_panels_fill(eb_panels *panels, const float *vectors); /* k × d */
void eb_panels_free(eb_panels *panels);

typedef struct eb_inverted_kernels {
    const char *name; /* "avx2" */
    /* For each of `count` points, `stride` floats apart: the nearest vector of the panels, the first among equal ones,
     * and its s. */
    void (*nearest)(const eb_panels *panels, const float *points, size_t stride, size_t count, uint32_t *place,
                    float *s);
    /* s from one point to all vectors; out has room for whole panels. */
    void (*distances)(const eb_panels *panels, const float *point, float *out);
    /* The least and the greatest of non-negative numbers. */
    void (*range)(const float *from, size_t count, float *least, float *greatest);
    /* Multiplies `count` entries by scale and rounds them to the table's format; not for EB_TABLE_U8. */
    void (*round)(eb_table_format format, const float *from, size_t count, float scale, void *to);
    /* (x − least)/step to u8, nearest even; per_step is 1/step. */
    void (*affine)(const float *from, size_t count, float least, float per_step, uint8_t *to);
    /* Sums of the table's entries for the points of `blocks` blocks; sums: [32 · blocks]. Sums of u8 are exact
     * integers. */
    void (*scan)(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, float *sums);
    /* Writes the indices of those of `count` sums that are at most limit, ascending; returns their number. out:
     * [count]. */
    size_t (*select)(const float *sums, size_t count, float limit, uint32_t *out);
} eb_inverted_kernels;

#define EB_INVERTED_KERNELS(isa)                                                                                       \
    void eb_inverted_nearest_##isa(const eb_panels *, const float *, size_t, size_t, uint32_t *, float *);             \
    void eb_inverted_distances_##isa(const eb_panels *, const float *, float *);                                       \
    void eb_table_range_##isa(const float *, size_t, float *, float *);                                                \
    void eb_table_round_##isa(eb_table_format, const float *, size_t, float, void *);                                  \
    void eb_table_affine_##isa(const float *, size_t, float, float, uint8_t *);                                        \
    void eb_table_scan_##isa(const eb_lookup_table *, const uint8_t *, size_t, float *);                               \
    size_t eb_table_select_##isa(const float *, size_t, float, uint32_t *);
EB_INVERTED_KERNELS(base)
EB_INVERTED_KERNELS(avx2)
EB_INVERTED_KERNELS(avx512)

/* Looks entries up in registers: AVX-512 VBMI permutes 128 bytes at once. */
void eb_table_scan_vbmi(const eb_lookup_table *table, const uint8_t *codes, size_t blocks, float *sums);
bool eb_cpu_has_vbmi(void);

/* The kernels for this CPU (eb_cpu_isa), with VBMI if eb_cpu_isa is AVX-512 and the CPU has VBMI. */
eb_inverted_kernels eb_inverted_kernels_here(void);
