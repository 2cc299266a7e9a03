/* vecs: reads .fvecs, .bvecs and .ivecs files: for each row an int32 d, then d elements; every row has the same d. */
#include "io/bytes.h"
#include "io/reader.h"

/* Finds n and d from the first row and the size of the file. */
static eb_code first_row(const eb_bytes *bytes, eb_dtype dtype, eb_points *out, eb_status *status)
{
    if (bytes->size < 4)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected a row's 4-byte dimension, found %zu bytes",
                       bytes->name, bytes->size);
    uint32_t d = eb_le32(bytes->data);
    if (d == 0 || d > EB_MAX_DIMENSIONS)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected the first row's dimension, 1 to %u, found %ld",
                       bytes->name, EB_MAX_DIMENSIONS, (long)(int32_t)d);
    size_t stride = 4 + d * eb_dtype_size(dtype);
    *out = (eb_points){.n = bytes->size / stride, .d = d, .dtype = dtype, .rows = bytes->data + 4, .stride = stride};
    return EB_OK;
}

static eb_code check_size(const eb_bytes *bytes, const eb_points *points, eb_status *status)
{
    const size_t left = bytes->size % points->stride;
    if (left != 0)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: row %zu is cut: expected %zu bytes (dimension %zu), found %zu", bytes->name,
                       points->n * points->stride, points->n, points->stride, points->d, left);
    return eb_dataset_check_shape(bytes->name, points->n, points->d, points->dtype, status);
}

/* Checks the dimension of each row before the size of the file: a row with another d explains an odd size. */
static eb_code check_rows(const eb_bytes *bytes, const eb_points *points, eb_status *status)
{
    const size_t rows = points->n + (bytes->size % points->stride >= 4);
    for (size_t i = 0, at = 0; i < rows; i++, at += points->stride) {
        uint32_t found = eb_le32(bytes->data + at);
        if (found != points->d)
            return eb_fail(status, EB_BAD_FORMAT,
                           "%s: offset %zu: expected dimension %zu in row %zu as in row 0, found %ld", bytes->name, at,
                           points->d, i, (long)(int32_t)found);
        if (i % 65536 == 0 && eb_job_check(bytes->job, status))
            return EB_CANCELLED;
    }
    return EB_OK;
}

/* If only the beginning of a file is given, all its rows are checked, because the format has no other mark. */
static eb_code shape_vecs(const eb_bytes *bytes, eb_dtype dtype, eb_points *out, eb_status *status)
{
    EB_TRY(first_row(bytes, dtype, out, status));
    if (!bytes->beginning)
        return check_size(bytes, out, status);
    EB_TRY(check_rows(bytes, out, status));
    eb_code failed = out->n ? eb_dataset_check_shape(bytes->name, out->n, out->d, dtype, status) : EB_OK;
    out->n = 0;
    return failed;
}

static eb_code read_vecs(const eb_bytes *bytes, eb_dtype dtype, eb_points *out, eb_status *status)
{
    eb_points points;
    EB_TRY(first_row(bytes, dtype, &points, status));
    EB_TRY(check_rows(bytes, &points, status));
    EB_TRY(check_size(bytes, &points, status));
    *out = points;
    return EB_OK;
}

eb_code eb_read_fvecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_vecs(bytes, EB_F32, out, status);
}

eb_code eb_read_bvecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_vecs(bytes, EB_U8, out, status);
}

eb_code eb_read_ivecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_vecs(bytes, EB_I32, out, status);
}

eb_code eb_shape_fvecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return shape_vecs(bytes, EB_F32, out, status);
}

eb_code eb_shape_bvecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return shape_vecs(bytes, EB_U8, out, status);
}

eb_code eb_shape_ivecs(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return shape_vecs(bytes, EB_I32, out, status);
}
