#include "core/inverted/inverted.h"

#include <math.h>
#include <stdlib.h>

eb_code eb_inverted_check(const eb_inverted_shape *shape, size_t n, size_t d, eb_status *status)
{
    if (shape->m < 1 || shape->m > d || d % shape->m != 0)
        return eb_fail(status, EB_USAGE,
                       "m = %zu: the points have %zu dimensions, which m has to divide into equal pieces", shape->m, d);
    if (shape->nlist < 1 || shape->nlist > EB_MAX_LISTS)
        return eb_fail(status, EB_USAGE, "nlist = %zu; expected 1 to %u", shape->nlist, EB_MAX_LISTS);
    if (shape->nlist > n)
        return eb_fail(status, EB_USAGE, "nlist = %zu lists need as many points; there are %zu", shape->nlist, n);
    return EB_OK;
}

enum { MOST_PIECES = 64, FEW = 16 };

eb_inverted_shape eb_usual_shape(size_t n, size_t d)
{
    size_t m = d <= FEW ? d : d / 2 < MOST_PIECES ? d / 2 : MOST_PIECES;
    while (d % m != 0)
        m--;
    return (eb_inverted_shape){(size_t)exp2(round(log2((double)n) / 2)), m};
}

/* ---- points ---- */

/* Sums of 65536 squared differences stay below 2^119. Below 1e-9, squares would lose most of their bits. */
enum { MOST_EXPONENT = 50, LEAST_EXPONENT = -30 };

static double greatest_of(const eb_dataset *ds)
{
    double greatest = 0, x;
    for (size_t i = 0; i < ds->n; i++)
        for (size_t k = 0; k < ds->d; k++) {
            eb_to_f64(ds->dtype, eb_row(ds, i) + k * eb_dtype_size(ds->dtype), 1, &x);
            greatest = fmax(greatest, fabs(x));
        }
    return greatest;
}

int eb_inverted_exponent(const eb_dataset *ds)
{
    int exponent;
    if (ds->dtype != EB_F32 && ds->dtype != EB_F64)
        return 0;
    const double greatest = ds->greatest > 0 ? ds->greatest : greatest_of(ds);
    (void)frexp(greatest, &exponent);
    const bool fits = greatest == 0 || (exponent <= MOST_EXPONENT && exponent >= LEAST_EXPONENT);
    return fits ? 0 : (exponent > 0 ? MOST_EXPONENT : 0) - exponent;
}

eb_code eb_inverted_check_queries(const eb_inverted_file *file, const eb_dataset *ds, eb_status *status)
{
    int exponent;
    if (ds->dtype != EB_F32 && ds->dtype != EB_F64)
        return EB_OK;
    const double greatest = greatest_of(ds);
    (void)frexp(greatest, &exponent);
    if (greatest == 0 || exponent + file->exponent <= MOST_EXPONENT)
        return EB_OK;
    return eb_fail(
        status, EB_BAD_VALUE,
        "the queries' coordinates reach %g: with the index's points scaled by 2^%d for FP32, squared distances "
        "would be too large",
        greatest, file->exponent);
}

void eb_inverted_row(const eb_inverted_file *file, const eb_dataset *ds, size_t row, double *room, float *out)
{
    eb_to_f64(ds->dtype, eb_row(ds, row), ds->d, room);
    for (size_t k = 0; k < ds->d; k++)
        out[k] = (float)(file->exponent ? ldexp(room[k], file->exponent) : room[k]);
}

float eb_book_reach(const eb_inverted_file *file, size_t book)
{
    const float *entry = file->books + book * EB_BOOK_ENTRIES * file->piece;
    float farthest = 0;
    for (size_t c = 0; c < EB_BOOK_ENTRIES; c++) {
        float s = 0;
        for (size_t t = 0; t < file->piece; t++)
            s += entry[c * file->piece + t] * entry[c * file->piece + t];
        farthest = s > farthest ? s : farthest;
    }
    return sqrtf(farthest);
}

void eb_inverted_free(eb_inverted_file *file)
{
    free(file->centroids);
    free(file->books);
    free(file->blocks);
    free(file->count);
    free(file->row);
    free(file->codes);
    *file = (eb_inverted_file){0};
}
