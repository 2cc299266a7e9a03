#include "kernels/certified/frame.h"

#include <math.h>
#include <stdlib.h>

/* Sampled rows are dealt to groups; the median of the groups' means is near the mean, and no few rows, however far out,
 * can pull it away. */
enum { GROUPS = 16, ROWS = 8 * GROUPS };

/* A typical point's largest coordinate becomes 2^11 to 2^12: 16 times as much is still no overflow, and 2^-25 of it no
 * subnormal number. */
enum { TYPICAL = 11 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, ascending);
    return count % 2 ? value[count / 2] : 0.5 * value[count / 2 - 1] + 0.5 * value[count / 2];
}

/* rows: [count][d]. */
static double centre_of(const double *rows, size_t count, size_t d, size_t k)
{
    const size_t groups = count < GROUPS ? count : GROUPS;
    double mean[GROUPS] = {0};
    for (size_t g = 0; g < groups; g++) {
        const size_t members = (count - g + groups - 1) / groups;
        for (size_t row = g; row < count; row += groups)
            mean[g] += rows[row * d + k] / (double)members;
    }
    return median(mean, groups);
}

static int exponent_for(const double *rows, size_t count, size_t d, const double *centre)
{
    double largest[ROWS] = {0};
    for (size_t row = 0; row < count; row++)
        for (size_t k = 0; k < d; k++)
            largest[row] = fmax(largest[row], fabs(rows[row * d + k] - centre[k]));
    const double typical = median(largest, count), whole = typical > 0 ? typical : largest[count - 1];
    return whole > 0 ? TYPICAL - ilogb(whole) : 0;
}

eb_code eb_certified_frame_make(const eb_dataset *ds, bool centred, bool scaled, eb_certified_frame *out,
                                eb_status *status)
{
    const size_t count = ds->n < ROWS ? ds->n : ROWS, d = ds->d;
    *out = (eb_certified_frame){calloc(d, sizeof *out->centre), 0};
    double *rows = centred || scaled ? malloc(count * d * sizeof *rows) : NULL;
    if (!out->centre || ((centred || scaled) && !rows)) {
        free(rows);
        eb_certified_frame_free(out);
        return eb_fail_memory(status, "a sample of the points", count * d * sizeof *rows);
    }
    for (size_t row = 0; rows && row < count; row++)
        eb_to_f64(ds->dtype, eb_row(ds, row * ds->n / count), d, rows + row * d);
    for (size_t k = 0; centred && k < d; k++) {
        const double centre = centre_of(rows, count, d, k);
        out->centre[k] = eb_dtype_is_float(ds->dtype) ? centre : rint(centre); /* whole numbers stay whole */
    }
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
