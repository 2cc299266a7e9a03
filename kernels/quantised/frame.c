#include "kernels/quantised/frame.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/certified/frame.h"
#include "kernels/quantised/bound.h"

/* Values to sample, and the least number of rows. */
enum { VALUES = 1 << 14, LEAST_ROWS = 32 };

enum { BESIDE = 8 }; /* coordinates side by side in a loop */

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
    const double times = ldexp(1, around->exponent);
    const bool whole = times > 0 && times < INFINITY; /* then a product rounds as ldexp does */
    for (size_t i = 0; i < rows; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i * ds->n / rows), d, row);
        for (size_t k = 0; whole && k < d; k++)
            y[i * d + k] = (float)((row[k] - around->centre[k]) * times);
        for (size_t k = 0; !whole && k < d; k++)
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

/* Adds to two sums the squared errors of two coordinates. gcc makes branches of a loop over eb_quantised_near. */
static void add_errors(const float *y, double scale, double sum[2])
{
#ifdef __SSE2__
    const __m128d least = _mm_set1_pd(-EB_QUANTISED_LEVELS), most = _mm_set1_pd(EB_QUANTISED_LEVELS),
                  whole = _mm_set1_pd(0x1.8p52),
                  x = _mm_mul_pd(_mm_set_pd((double)y[1], (double)y[0]), _mm_set1_pd(scale));
    const __m128d inside = _mm_min_pd(most, _mm_max_pd(x, least)),
                  error = _mm_sub_pd(x, _mm_sub_pd(_mm_add_pd(inside, whole), whole));
    _mm_storeu_pd(sum, _mm_add_pd(_mm_loadu_pd(sum), _mm_mul_pd(error, error)));
#else
    for (size_t j = 0; j < 2; j++) {
        const double x = (double)y[j] * scale, error = x - eb_quantised_near(x);
        sum[j] += error * error;
    }
#endif
}

/* The squared length by which a point is moved. */
static double moved_squared(const float *y, size_t d, double scale)
{
    double sum[BESIDE] = {0}, all = 0;
    size_t k = 0;
    for (; k + BESIDE <= d; k += BESIDE)
        for (size_t j = 0; j < BESIDE; j += 2)
            add_errors(y + k + j, scale, sum + j);
    for (; k < d; k++) {
        const double x = (double)y[k] * scale, error = x - eb_quantised_near(x);
        all += error * error;
    }
    for (size_t j = 0; j < BESIDE; j++)
        all += sum[j];
    return all;
}

/* Computes how far each point is moved, ascending, and returns the mean without outliers. Unit: the sample's. */
static double moved_by(const sample *s, double scale, double moved[EB_QUANTISED_ROWS])
{
    double sum = 0;
    const size_t counted = s->rows - (size_t)(OUTLIERS * (double)s->rows);
    for (size_t i = 0; i < s->rows; i++) {
        const double squared = moved_squared(s->y + i * s->d, s->d, scale);
        moved[i] = isfinite(squared) ? sqrt(squared) / scale : DBL_MAX;
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
