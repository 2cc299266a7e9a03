#include "core/sample/rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/knn/request.h"
#include "core/tune/order_statistic.h"

static void release(void *values) { free(values); }

/* The copies have the scale of all points, so that both sets are scaled alike (core/data/scaling.h). */
static eb_code copy_points(const eb_dataset *ds, eb_sampled_rows *out, eb_status *status)
{
    const size_t bytes = ds->d * eb_dtype_size(ds->dtype);
    unsigned char *values = malloc((out->count ? out->count : 1) * bytes);
    if (!values)
        return eb_fail_memory(status, "sampled points", out->count * bytes);
    for (size_t k = 0; k < out->count; k++)
        memcpy(values + k * bytes, eb_row(ds, out->row[k]), bytes);
    out->points = (eb_dataset){.n = out->count,
                               .d = ds->d,
                               .dtype = ds->dtype,
                               .rows = values,
                               .stride = bytes,
                               .greatest = ds->greatest,
                               .least = ds->least,
                               .release = release,
                               .owner = values};
    return EB_OK;
}

eb_code eb_rows_draw(const eb_dataset *ds, size_t count, uint64_t seed, eb_sampled_rows *out, eb_status *status)
{
    *out = (eb_sampled_rows){.count = count};
    uint32_t *rows = malloc(ds->n * sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "rows to draw from", ds->n * sizeof *rows);
    eb_code failed = eb_knn_draw(ds->n, count, eb_random_of(seed), rows, status);
    uint32_t *fewer = failed ? NULL : realloc(rows, (count ? count : 1) * sizeof *rows);
    out->row = fewer ? fewer : rows;
    return failed ? failed : copy_points(ds, out, status);
}

/* Rows that are drawn twice count once. */
eb_code eb_rows_scatter(const eb_dataset *ds, size_t count, uint64_t seed, eb_sampled_rows *out, eb_status *status)
{
    uint64_t state = eb_random_of(seed);
    size_t used = 0;
    *out = (eb_sampled_rows){.count = 0, .row = malloc((count ? count : 1) * sizeof *out->row)};
    if (!out->row)
        return eb_fail_memory(status, "rows to draw", count * sizeof *out->row);
    for (size_t k = 0; k < count; k++)
        out->row[k] = (uint32_t)eb_random_below(&state, ds->n);
    qsort(out->row, count, sizeof *out->row, eb_compare_u32);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || out->row[k] != out->row[used - 1])
            out->row[used++] = out->row[k];
    out->count = used;
    return copy_points(ds, out, status);
}

void eb_rows_free(eb_sampled_rows *rows)
{
    free(rows->row);
    if (rows->points.release)
        rows->points.release(rows->points.owner);
    *rows = (eb_sampled_rows){.count = 0};
}

bool eb_rows_have(const eb_sampled_rows *rows, uint32_t row)
{
    size_t from = 0, to = rows->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (rows->row[middle] == row)
            return true;
        if (rows->row[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}
