/* bin: reads .fbin, .u8bin, .i8bin and .ibin files (big-ann-benchmarks): uint32 n, uint32 d, then the rows. */
#include "io/bytes.h"
#include "io/reader.h"

static eb_code read_bin(const eb_bytes *bytes, eb_dtype dtype, eb_points *out, eb_status *status)
{
    enum { HEADER = 8 };
    if (bytes->size < HEADER)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 8 bytes of header (n, d), found %zu", bytes->name,
                       bytes->size);
    uint32_t n = eb_le32(bytes->data), d = eb_le32(bytes->data + 4);
    return eb_rows_to_end(bytes, HEADER, n, d, dtype, out, status);
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

eb_code eb_read_ibin(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    return read_bin(bytes, EB_I32, out, status);
}
