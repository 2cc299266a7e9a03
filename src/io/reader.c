#include "io/reader.h"

#include <stdlib.h>
#include <sys/mman.h>

static void release_rows(eb_points *points)
{
    if (points->mapped)
        (void)munmap(points->owned, points->mapped);
    else
        free(points->owned);
    points->mapped = 0;
}

void eb_points_own(eb_points *points, eb_dtype dtype, unsigned char *rows)
{
    release_rows(points);
    points->rows = points->owned = rows;
    points->dtype = dtype;
    points->stride = points->d * eb_dtype_size(dtype);
}

void eb_points_free(eb_points *points)
{
    release_rows(points);
    eb_labels_free(points->labels);
    *points = (eb_points){.n = 0};
}

eb_code eb_points_convert(eb_points *points, eb_foreign kind, const char *name, eb_status *status)
{
    if (!kind)
        return EB_OK;
    const eb_dtype dtype = eb_foreign_become(kind);
    const size_t count = points->n * points->d, size = count * eb_dtype_size(dtype);
    unsigned char *rows = malloc(size);
    if (!rows)
        return eb_fail_memory(status, name, size);
    eb_code failed = eb_take_foreign(name, kind, points->rows, 0, count, points->d, rows, status);
    if (failed)
        free(rows);
    else
        eb_points_own(points, dtype, rows);
    return failed;
}

eb_code eb_rows_to_end(const eb_bytes *bytes, size_t offset, unsigned long long n, unsigned long long d, eb_dtype dtype,
                       eb_points *out, eb_status *status)
{
    EB_TRY(eb_dataset_check_shape(bytes->name, n, d, dtype, status));
    size_t stride = (size_t)d * eb_dtype_size(dtype), expected = (size_t)n * stride, found = bytes->size - offset;
    if (!bytes->beginning && found != expected)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: expected %zu bytes of %llu × %llu %s values as the header says, found %zu",
                       bytes->name, offset, expected, n, d, eb_dtype_name(dtype), found);
    *out = (eb_points){.n = (size_t)n,
                       .d = (size_t)d,
                       .dtype = dtype,
                       .rows = bytes->data + offset,
                       .stride = stride,
                       .whole = offset + expected};
    return EB_OK;
}
