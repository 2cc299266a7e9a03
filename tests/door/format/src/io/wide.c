/* .wide: uint64 n, uint64 d, then FP64 rows. */
#include <string.h>

#include "io/reader.h"

eb_code eb_read_wide(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    uint64_t shape[2];
    if (bytes->size < sizeof shape)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected 16 bytes of header (n, d), found %zu",
                       bytes->name, bytes->size);
    memcpy(shape, bytes->data, sizeof shape);
    EB_TRY(eb_dataset_check_shape(bytes->name, shape[0], shape[1], EB_F64, status));
    size_t stride = shape[1] * sizeof(double), found = bytes->size - sizeof shape;
    if (found != shape[0] * stride)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 16: expected %zu bytes of values, found %zu", bytes->name,
                       (size_t)shape[0] * stride, found);
    *out = (eb_points){.n = shape[0],
                       .d = shape[1],
                       .dtype = EB_F64,
                       .rows = bytes->data + sizeof shape,
                       .stride = stride};
    return EB_OK;
}
