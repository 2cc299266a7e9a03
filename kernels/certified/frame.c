#include "kernels/certified/frame.h"

#include <math.h>
#include <stdlib.h>

/* Sampled rows are divided into groups. The median of the groups' means is near the mean, and a few outliers, however
 * far out, cannot move it far. */
enum { GROUPS = 16, ROWS = 8 * GROUPS };

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

/* rows: [count][d]; mean: [GROUPS][d]. */
static void find_centre(const double *rows, size_t count, size_t d, double *mean, double *centre)
{
    const size_t groups = count < GROUPS ? count : GROUPS;
    for (size_t k = 0; k < groups * d; k++)
        mean[k] = 0;
    for (size_t row = 0; row < count; row++) {
        const size_t g = row % groups;
        const size_t members = (count - g + groups - 1) / groups;
        const double share = 1 / (double)members;
        for (size_t k = 0; k < d; k++)
            mean[g * d + k] += rows[row * d + k] * share;
    }
    for (size_t k = 0; k < d; k++) {
        double of_group[GROUPS] = {0};
        for (size_t g = 0; g < groups; g++)
            of_group[g] = mean[g * d + k];
        centre[k] = median(of_group, groups);
    }
}

static int exponent_for(const double *rows, size_t count, size_t d, const double *centre)
{
    double largest[ROWS] = {0};
    for (size_t row = 0; row < count; row++) {
        double most = 0;
        for (size_t k = 0; k < d; k++) {
            const double x = fabs(rows[row * d + k] - centre[k]);
            most = x > most ? x : most;
        }
        largest[row] = most;
    }
    const double typical = median(largest, count), whole = typical > 0 ? typical : largest[count - 1];
    return whole > 0 ? TYPICAL - ilogb(whole) : 0;
}

eb_code eb_certified_frame_make(const eb_dataset *ds, bool centred, bool scaled, eb_certified_frame *out,
                                eb_status *status)
{
    const size_t count = ds->n < ROWS ? ds->n : ROWS, d = ds->d;
    *out = (eb_certified_frame){calloc(d, sizeof *out->centre), 0};
    double *rows = calloc((count + GROUPS) * d, sizeof *rows);
    if (!out->centre || !rows) {
        free(rows);
        eb_certified_frame_free(out);
        return eb_fail_memory(status, "a sample of the points", (count + GROUPS) * d * sizeof *rows);
    }
    for (size_t row = 0; (centred || scaled) && row < count; row++)
        eb_to_f64(ds->dtype, eb_row(ds, row * ds->n / count), d, rows + row * d);
    if (centred)
        find_centre(rows, count, d, rows + count * d, out->centre);
    for (size_t k = 0; centred && !eb_dtype_is_float(ds->dtype) && k < d; k++)
        out->centre[k] = rint(out->centre[k]); /* whole numbers stay whole */
    if (scaled)
        out->exponent = exponent_for(rows, count, d, out->centre);
    free(rows);
    return EB_OK;
}

void eb_certified_frame_free(eb_certified_frame *frame)
{
    free(frame->centre);
    frame->centre = NULL;
}
