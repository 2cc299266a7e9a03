#include "kernels/certified/frame.h"

#include <math.h>
#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Sampled rows are divided into groups. The median of the groups' means is near the mean, and a few outliers, however
 * far out, cannot move it far. */
enum { GROUPS = 16, ROWS = 8 * GROUPS };

enum { BESIDE = 8 }; /* coordinates side by side in a loop */

/* A typical point's largest coordinate is scaled to 2^11 … 2^12: 16 times as much does not overflow FP16, and 2^-25 of
 * it is not subnormal. */
enum { TYPICAL = 11 };

/* The median of a few values, which are sorted ascending. */
static double median(double *value, size_t count)
{
    for (size_t k = 1; k < count; k++) {
        const double x = value[k];
        size_t at = k;
        for (; at > 0 && value[at - 1] > x; at--)
            value[at] = value[at - 1];
        value[at] = x;
    }
    return count % 2 ? value[count / 2] : 0.5 * value[count / 2 - 1] + 0.5 * value[count / 2];
}

/* Afterwards no low[k] is above high[k]. gcc makes branches of the plain loop. */
static void exchange(double low[BESIDE], double high[BESIDE])
{
    for (size_t k = 0; k < BESIDE; k += 2) {
#ifdef __SSE2__
        const __m128d x = _mm_loadu_pd(low + k), y = _mm_loadu_pd(high + k);
        _mm_storeu_pd(low + k, _mm_min_pd(x, y));
        _mm_storeu_pd(high + k, _mm_max_pd(y, x));
#else
        for (size_t j = k; j < k + 2; j++) {
            const double x = low[j], y = high[j];
            low[j] = x < y ? x : y;
            high[j] = x < y ? y : x;
        }
#endif
    }
}

/* Sorts the columns of value ascending, all at once: Batcher's merge exchange, whose comparisons do not depend on the
 * values. */
static void sort_columns(double value[GROUPS][BESIDE])
{
    for (size_t p = GROUPS / 2, q = GROUPS / 2, r = 0, step = p; p > 0;) {
        for (size_t i = 0; i + step < GROUPS; i++)
            if ((i & p) == r)
                exchange(value[i], value[i + step]);
        if (q != p) {
            step = q - p;
            q /= 2;
            r = p;
        } else {
            p /= 2;
            q = GROUPS / 2;
            step = p;
            r = 0;
        }
    }
}

/* mean: [GROUPS][d] */
static void medians_of(const double *mean, size_t d, double *centre)
{
    double value[GROUPS][BESIDE];
    for (size_t first = 0; first < d; first += BESIDE) {
        const size_t count = d - first < BESIDE ? d - first : BESIDE;
        for (size_t g = 0; g < GROUPS; g++)
            for (size_t k = 0; k < BESIDE; k++)
                value[g][k] = k < count ? mean[g * d + first + k] : 0;
        sort_columns(value);
        for (size_t k = 0; k < count; k++)
            centre[first + k] = 0.5 * value[GROUPS / 2 - 1][k] + 0.5 * value[GROUPS / 2][k];
    }
}

static const unsigned char *sampled(const eb_dataset *ds, size_t row, size_t count)
{
    return eb_row(ds, row * ds->n / count);
}

/* room: [GROUPS + 1][d] */
static void find_centre(const eb_dataset *ds, size_t count, double *room, double *centre)
{
    const size_t d = ds->d, groups = count < GROUPS ? count : GROUPS;
    double *row = room + GROUPS * d;
    for (size_t k = 0; k < groups * d; k++)
        room[k] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t g = i % groups;
        const size_t members = (count - g + groups - 1) / groups;
        const double share = 1 / (double)members;
        double *mean = room + g * d;
        eb_to_f64(ds->dtype, sampled(ds, i, count), d, row);
        for (size_t k = 0; k < d; k++)
            mean[k] += row[k] * share;
    }
    if (groups == GROUPS) {
        medians_of(room, d, centre);
        return;
    }
    for (size_t k = 0; k < d; k++) {
        double of_group[GROUPS] = {0};
        for (size_t g = 0; g < groups; g++)
            of_group[g] = room[g * d + k];
        centre[k] = median(of_group, groups);
    }
}

static double greatest(const double *row, const double *centre, size_t d)
{
    double most[BESIDE] = {0}, all = 0;
    size_t k = 0;
    for (; k + BESIDE <= d; k += BESIDE)
        for (size_t j = 0; j < BESIDE; j++) {
            const double x = fabs(row[k + j] - centre[k + j]);
            most[j] = x > most[j] ? x : most[j];
        }
    for (size_t j = 0; j < BESIDE; j++)
        all = most[j] > all ? most[j] : all;
    for (; k < d; k++) {
        const double x = fabs(row[k] - centre[k]);
        all = x > all ? x : all;
    }
    return all;
}

/* room: [d] */
static int exponent_for(const eb_dataset *ds, size_t count, double *room, const double *centre)
{
    double largest[ROWS] = {0};
    for (size_t i = 0; i < count; i++) {
        eb_to_f64(ds->dtype, sampled(ds, i, count), ds->d, room);
        largest[i] = greatest(room, centre, ds->d);
    }
    const double typical = median(largest, count), whole = typical > 0 ? typical : largest[count - 1];
    return whole > 0 ? TYPICAL - ilogb(whole) : 0;
}

eb_code eb_certified_frame_make(const eb_dataset *ds, bool centred, bool scaled, eb_certified_frame *out,
                                eb_status *status)
{
    const size_t count = ds->n < ROWS ? ds->n : ROWS, d = ds->d;
    *out = (eb_certified_frame){calloc(d, sizeof *out->centre), 0};
    double *room = malloc((GROUPS + 1) * d * sizeof *room);
    if (!out->centre || !room) {
        free(room);
        eb_certified_frame_free(out);
        return eb_fail_memory(status, "a sample of the points", (GROUPS + 1) * d * sizeof *room);
    }
    if (centred)
        find_centre(ds, count, room, out->centre);
    for (size_t k = 0; centred && !eb_dtype_is_float(ds->dtype) && k < d; k++)
        out->centre[k] = rint(out->centre[k]); /* whole numbers stay whole */
    if (scaled)
        out->exponent = exponent_for(ds, count, room, out->centre);
    free(room);
    return EB_OK;
}

void eb_certified_frame_free(eb_certified_frame *frame)
{
    free(frame->centre);
    frame->centre = NULL;
}
