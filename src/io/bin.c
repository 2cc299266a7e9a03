/* .fbin .u8bin .i8bin (big-ann-benchmarks): uint32 n, uint32 d, then the rows. */
#include "io/bytes.h"
#include "io/reader.h"

static eb_code read_bin(const eb_bytes *bytes, eb_dtype dtype, eb_points *out, eb_status *status)
{
    enum { HEADER = 8 };
    if (bytes->size < HEADER)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 8 bytes of header (n, d), found %zu", bytes->name,
                       bytes->size);
    uint32_t n = eb_le32(bytes->data), d = eb_le32(bytes->data + 4);
    EB_TRY(eb_dataset_check_shape(bytes->name, n, d, dtype, status));
    size_t stride = d * eb_dtype_size(dtype), expected = n * stride, found = bytes->size - HEADER;
    if (found != expected)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %d: expected %zu bytes of %u × %u %s values as the header says, found %zu",
                       bytes->name, HEADER, expected, n, d, eb_dtype_name(dtype), found);
    *out = (eb_points){.n = n, .d = d, .dtype = dtype, .rows = bytes->data + HEADER, .stride = stride};
    return EB_OK;
}

eb_code eb_read_fbin(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_bin(bytes, EB_F32, out, status);
}

eb_code eb_read_u8bin(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_bin(bytes, EB_U8, out, status);
}

eb_code eb_read_i8bin(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_bin(bytes, EB_I8, out, status);
}
