/* idx: reads IDX files (MNIST): two zero bytes, an element type, the number of dimensions, big-endian uint32 sizes,
 * then the big-endian values in C order. The first dimension is n; the others are flattened into d. */
#include <stdlib.h>

#include "io/bytes.h"
#include "io/reader.h"

static bool element_type(unsigned char code, eb_dtype *out)
{
    switch (code) {
    case 0x08: *out = EB_U8; return true;
    case 0x09: *out = EB_I8; return true;
    case 0x0b: *out = EB_I16; return true;
    case 0x0c: *out = EB_I32; return true;
    case 0x0d: *out = EB_F32; return true;
    case 0x0e: *out = EB_F64; return true;
    default: return false;
    }
}

eb_code eb_shape_idx(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    const unsigned char *data = bytes->data;
    char shown[EB_SHOWN_SIZE];
    if (bytes->size < 4 || data[0] != 0 || data[1] != 0)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset 0: expected IDX magic (two zero bytes, type, dimensions), found %s", bytes->name,
                       eb_show_bytes(shown, data, bytes->size < 4 ? bytes->size : 4));
    eb_dtype dtype;
    if (!element_type(data[2], &dtype))
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 2: expected an element type (08, 09, 0b to 0e), found %02x",
                       bytes->name, data[2]);
    size_t dimensions = data[3], header = 4 + 4 * dimensions;
    if (dimensions == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 3: expected at least 1 dimension, found 0", bytes->name);
    if (bytes->size < header)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 4: expected %zu bytes of sizes for %zu dimensions, found %zu",
                       bytes->name, header - 4, dimensions, bytes->size - 4);

    unsigned long long n = eb_be32(data + 4), d = 1;
    for (size_t k = 1; k < dimensions; k++) {
        d *= eb_be32(data + 4 + 4 * k); /* below 65536 · 2³², no overflow */
        if (d > EB_MAX_DIMENSIONS)
            break;
    }
    return eb_rows_to_end(bytes, header, n, d, dtype, out, status);
}

eb_code eb_read_idx(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_code failed = eb_shape_idx(bytes, out, status);
    size_t element = failed ? 1 : eb_dtype_size(out->dtype);
    if (failed || element == 1)
        return failed;
    unsigned char *rows = malloc(out->n * out->stride);
    if (!rows)
        return eb_fail_memory(status, bytes->name, out->n * out->stride);
    eb_copy_reversed(rows, out->rows, out->n * out->d, element);
    eb_points_own(out, out->dtype, rows);
    return EB_OK;
}
