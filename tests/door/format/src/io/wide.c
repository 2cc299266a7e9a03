/* Sample reader of .wide files: uint64 n, uint64 d, then FP64 rows. */
#include <string.h>

#include "io/reader.h"

eb_code eb_read_wide(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    uint64_t shape[2];
    if (bytes->size < sizeof shape)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 16 bytes of header (n, d), found %zu",
                       bytes->name, bytes->size);
    memcpy(shape, bytes->data, sizeof shape);
    return eb_rows_to_end(bytes, sizeof shape, shape[0], shape[1], EB_F64, out, status);
}
