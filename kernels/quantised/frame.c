#include "kernels/quantised/frame.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/certified/frame.h"
#include "kernels/quantised/bound.h"

/* Values to sample, and the least number of rows. */
enum { VALUES = 1 << 14, LEAST_ROWS = 32 };

/* Fractions of sampled values that may be clipped; the fraction of rows, those moved most, that are outliers. */
static const double cut_off[] = {0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
#define OUTLIERS 0.0625

/* Bins of |y| by the upper bits of an FP32 number: a bin's ends differ by 1/32. */
enum { BIN_SHIFT = 18, BINS = 1 << (31 - BIN_SHIFT) };

/* Sampled points around the centre, times 2^exponent, so that FP32 holds typical values. */
typedef struct sample {
    size_t rows, d;
    int exponent;
    const float *y; /* rows × d */
} sample;

static unsigned bin_of(float y)
{
    uint32_t bits;
    memcpy(&bits, &y, sizeof bits);
    return (bits & 0x7fffffff) >> BIN_SHIFT;
}

/* A bound that no |y| in the bin exceeds. */
static double end_of(unsigned bin)
{
    const uint32_t bits = (bin + 1) << BIN_SHIFT;
    float end;
    memcpy(&end, &bits, sizeof end);
    return isfinite(end) ? (double)end : INFINITY;
}

static eb_code take_sample(const eb_dataset *ds, const eb_certified_frame *around, sample *out, eb_status *status)
{
    const size_t d = ds->d, enough = VALUES / d < LEAST_ROWS ? LEAST_ROWS : VALUES / d;
    const size_t most = enough < EB_QUANTISED_ROWS ? enough : EB_QUANTISED_ROWS, rows = ds->n < most ? ds->n : most;
    double *row = malloc(d * sizeof *row);
    float *y = malloc(rows * d * sizeof *y);
    *out = (sample){rows, d, around->exponent, y};
    if (!row || !y) {
        free(row);
        free(y);
        return eb_fail_memory(status, "a sample of the points", rows * d * sizeof *y);
    }
    for (size_t i = 0; i < rows; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i * ds->n / rows), d, row);
        for (size_t k = 0; k < d; k++)
            y[i * d + k] = (float)ldexp(row[k] - around->centre[k], around->exponent);
    }
    free(row);
    return EB_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Computes how far each point is moved, ascending, and returns the mean without outliers. Unit: the sample's. */
static double moved_by(const sample *s, double scale, double moved[EB_QUANTISED_ROWS])
{
    double sum = 0;
    const size_t counted = s->rows - (size_t)(OUTLIERS * (double)s->rows);
    for (size_t i = 0; i < s->rows; i++) {
        moved[i] = 0;
        for (size_t k = 0; k < s->d; k++) {
            const double y = (double)s->y[i * s->d + k] * scale, e = y - eb_quantised_near(y);
            moved[i] += e * e;
        }
        moved[i] = isfinite(moved[i]) ? sqrt(moved[i]) / scale : DBL_MAX;
    }
    qsort(moved, s->rows, sizeof *moved, ascending);
    for (size_t i = 0; i < counted; i++)
        sum += moved[i] / (double)counted;
    return sum;
}

static void choose_scale(const sample *s, eb_quantised_frame *frame)
{
    size_t count[BINS] = {0}, above = 0;
    const size_t all = s->rows * s->d;
    unsigned bin = BINS - 1, tried = BINS;
    double best = 1, by_row[EB_QUANTISED_ROWS];
    frame->moved = INFINITY;
    for (size_t k = 0; k < all; k++)
        count[bin_of(s->y[k])]++;
    for (size_t c = 0; c < sizeof cut_off / sizeof cut_off[0]; c++) {
        while (bin > 0 && (double)(above + count[bin]) <= cut_off[c] * (double)all)
            above += count[bin--];
        const double scale = EB_QUANTISED_LEVELS / end_of(bin);
        const double moved = bin != tried && scale > 0 ? moved_by(s, scale, by_row) : INFINITY;
        tried = bin;
        if (moved < frame->moved) {
            best = scale;
            frame->moved = moved;
            memcpy(frame->row_moved, by_row, s->rows * sizeof *by_row);
        }
    }
    frame->moved = ldexp(frame->moved, -s->exponent);
    for (size_t i = 0; i < s->rows; i++)
        frame->row_moved[i] = ldexp(frame->row_moved[i], -s->exponent);
    frame->rows = s->rows;
    frame->scale = fmin(ldexp(best, s->exponent), 0x1p1000);
}

eb_code eb_quantised_frame_make(const eb_dataset *ds, bool centred, eb_quantised_frame *out, eb_status *status)
{
    eb_certified_frame around;
    sample s;
    EB_TRY(eb_certified_frame_make(ds, centred, true, &around, status));
    *out = (eb_quantised_frame){.centre = around.centre, .exponent = around.exponent};
    const eb_code failed = take_sample(ds, &around, &s, status);
    if (failed) {
        eb_quantised_frame_free(out);
        return failed;
    }
    choose_scale(&s, out);
    free((void *)(uintptr_t)s.y);
    return EB_OK;
}

void eb_quantised_frame_scale(const float *values, size_t rows, size_t d, eb_quantised_frame *out)
{
    const sample s = {rows, d, 0, values};
    choose_scale(&s, out);
}

void eb_quantised_frame_free(eb_quantised_frame *frame)
{
    free(frame->centre);
    frame->centre = NULL;
}
