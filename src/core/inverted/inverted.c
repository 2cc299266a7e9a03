#include "core/inverted/inverted.h"

#include <math.h>
#include <stdlib.h>

eb_code eb_inverted_check(const eb_inverted_shape *shape, size_t n, size_t d, eb_status *status)
{
    if (shape->m < 1 || shape->m > d || d % shape->m != 0)
        return eb_fail(status, EB_USAGE,
                       "m = %zu: %zu dimensions cannot be cut into as many equal pieces; m has to divide %zu", shape->m,
                       d, d);
    if (shape->nlist < 1 || shape->nlist > EB_MAX_LISTS)
        return eb_fail(status, EB_USAGE, "nlist = %zu; expected 1 to %u", shape->nlist, EB_MAX_LISTS);
    if (shape->nlist > n)
        return eb_fail(status, EB_USAGE, "nlist = %zu lists need as many points; there are %zu", shape->nlist, n);
    return EB_OK;
}

/* ---- points ---- */

/* Sums of 65536 squares of differences stay below 2^119; smaller than 1e-9 there would be little left of a square. */
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
