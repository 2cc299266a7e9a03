/* ivfpq_model: IVFPQ's expected results from a file's centroids, books and codes, without the product's tables, kernels
 * or heaps. Header-only. */
#pragma once

#include <math.h>

#include "core/formats8/format8.h"
#include "core/inverted/inverted.h"
#include "kernels/inverted/cpu/search.h"

typedef struct pq_model {
    const eb_inverted_file *file;
    const eb_inverted_question *question;
    uint32_t *list, *place; /* [n] per row */
    size_t rows;
    float *exact;  /* [m × 256] of the query for the latest list */
    double *entry; /* [m × 256] the same, rounded as the format says */
    float unit, offset;
} pq_model;

static inline pq_model pq_model_of(const eb_inverted_file *f, const eb_inverted_question *q, size_t rows)
{
    const size_t entries = f->shape.m * EB_BOOK_ENTRIES;
    pq_model m = {f, q, malloc(rows * 4), malloc(rows * 4), rows, malloc(entries * 4), malloc(entries * 8), 1, 0};
    for (size_t l = 0; l < f->shape.nlist; l++)
        for (uint32_t p = 0; p < f->count[l]; p++) {
            const uint32_t row = f->row[f->blocks[l] * EB_LIST_BLOCK + p];
            m.list[row] = (uint32_t)l;
            m.place[row] = p;
        }
    return m;
}

static inline void pq_model_free(pq_model *m)
{
    free(m->list);
    free(m->place);
    free(m->exact);
    free(m->entry);
}

static inline float pq_squared(const float *x, const float *y, size_t d)
{
    float s = 0;
    for (size_t k = 0; k < d; k++) {
        const volatile float t = x[k] - y[k], square = t * t;
        s += square;
    }
    return s;
}

/* True if a list is among the query's nearest; of equally near lists the first ones count. */
static inline bool pq_probes(const pq_model *m, const float *query, size_t list)
{
    const eb_inverted_file *f = m->file;
    const float own = pq_squared(query, f->centroids + list * f->d, f->d);
    size_t nearer = 0;
    for (size_t l = 0; l < f->shape.nlist; l++) {
        const float s = pq_squared(query, f->centroids + l * f->d, f->d);
        nearer += s < own || (s == own && l < list);
    }
    return nearer < m->question->nprobe;
}

static inline double pq_rounded(eb_table_format format, float x)
{
    switch (format) {
    case EB_TABLE_F16: return (double)eb_half_to_float(eb_half_from_double((double)x));
    case EB_TABLE_E5M3: return (double)eb_format8_decode(EB_E5M3, eb_format8_encode(EB_E5M3, (double)x));
    case EB_TABLE_E4M4: return (double)eb_format8_decode(EB_E4M4, eb_format8_encode(EB_E4M4, (double)x));
    case EB_TABLE_E4M3: return (double)eb_format8_decode(EB_E4M3, eb_format8_encode(EB_E4M3, (double)x));
    case EB_TABLE_E5M2: return (double)eb_format8_decode(EB_E5M2, eb_format8_encode(EB_E5M2, (double)x));
    default: return (double)x;
    }
}

static inline void pq_affine(pq_model *m)
{
    const size_t pieces = m->file->shape.m;
    float span = 0;
    double offset = 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < pieces; j++) {
            const float *exact = m->exact + j * EB_BOOK_ENTRIES;
            float least = exact[0], greatest = exact[0];
            for (size_t c = 0; c < EB_BOOK_ENTRIES; c++) {
                least = fminf(least, exact[c]);
                greatest = fmaxf(greatest, exact[c]);
            }
            span = pass == 0 ? fmaxf(span, greatest - least) : span;
            m->unit = span / 255 > 0x1p-120F ? span / 255 : 1;
            offset += pass == 0 ? 0 : (double)least;
            for (size_t c = 0; pass == 1 && c < EB_BOOK_ENTRIES; c++)
                m->entry[j * EB_BOOK_ENTRIES + c] = fmin(255, (double)rintf((exact[c] - least) * (1 / m->unit)));
        }
    m->offset = (float)offset;
}

/* Upper bound of the distance between a residual's piece and an entry of its book: the sum of their lengths. */
static inline float pq_most(const eb_inverted_file *f, const float *piece, size_t book)
{
    static const float origin[512];
    float farthest = 0;
    for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
        farthest = fmaxf(farthest, pq_squared(f->books + (book * EB_BOOK_ENTRIES + c) * f->piece, origin, f->piece));
    return sqrtf(pq_squared(piece, origin, f->piece)) + sqrtf(farthest);
}

/* Computes the table of a query for a list. */
static inline void pq_table(pq_model *m, const float *query, size_t list)
{
    const eb_inverted_file *f = m->file;
    const eb_inverted_question *q = m->question;
    float most = 0, residual[512];
    for (size_t k = 0; k < f->d; k++)
        residual[k] = query[k] - f->centroids[list * f->d + k];
    for (size_t at = 0; at < f->shape.m * EB_BOOK_ENTRIES; at++) {
        m->exact[at] = pq_squared(residual + at / EB_BOOK_ENTRIES * f->piece, f->books + at * f->piece, f->piece);
    }
    for (size_t j = 0; j < f->shape.m; j++)
        most = fmaxf(most, pq_most(f, residual + j * f->piece, j));
    const double greatest = (double)(most * most);
    m->unit = 1;
    m->offset = 0;
    if (q->lut == EB_TABLE_U8) {
        pq_affine(m);
        return;
    }
    const bool scaled = (q->lut != EB_TABLE_F32 || q->f16_sums) && greatest > 0 && q->scale > 0;
    const int exponent = scaled ? (int)fmax(fmin(floor(log2(q->scale / greatest)), 100), -100) : 0;
    for (size_t at = 0; at < f->shape.m * EB_BOOK_ENTRIES; at++)
        m->entry[at] = pq_rounded(q->lut, m->exact[at] * ldexpf(1, exponent));
    m->unit = ldexpf(1, -exponent);
}

/* s of the pair in the points' own units; the table must be that of the query and the row's list. */
static inline double pq_sum(const pq_model *m, size_t row)
{
    const eb_inverted_file *f = m->file;
    const uint64_t block = f->blocks[m->list[row]] + m->place[row] / EB_LIST_BLOCK;
    float sum = 0;
    for (size_t j = 0; j < f->shape.m; j++) {
        const uint8_t code = f->codes[(block * f->shape.m + j) * EB_LIST_BLOCK + m->place[row] % EB_LIST_BLOCK];
        sum += (float)m->entry[j * EB_BOOK_ENTRIES + code];
        if (m->question->f16_sums)
            sum = eb_half_to_float(eb_half_from_double((double)sum));
    }
    const volatile float scaled = m->unit * sum;
    return ldexp((double)(m->offset + scaled), -2 * f->exponent);
}

/* s from one query to all rows; ∞ for rows in lists not probed. */
static inline void pq_distances(pq_model *m, const float *query, double *out)
{
    for (size_t j = 0; j < m->rows; j++)
        out[j] = (double)INFINITY;
    for (size_t l = 0; l < m->file->shape.nlist; l++) {
        if (!pq_probes(m, query, l))
            continue;
        pq_table(m, query, l);
        for (size_t j = 0; j < m->rows; j++)
            if (m->list[j] == l)
                out[j] = pq_sum(m, j);
    }
}
