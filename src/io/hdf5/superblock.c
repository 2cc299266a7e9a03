/* superblock: finds where an HDF5 file ends, from its first bytes. Specification: HDF5 File Format 3.0, II.A. */
#include <string.h>

#include "io/bytes.h"
#include "io/reader.h"

/* The signature may follow a user block of 512 · 2^k bytes. */
size_t eb_find_hdf5(const eb_bytes *bytes)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    for (size_t at = 0; at < bytes->size && bytes->size - at >= sizeof signature; at = at ? 2 * at : 512) {
        if (memcmp(bytes->data + at, signature, sizeof signature) == 0)
            return at;
        if (at > SIZE_MAX / 2)
            break;
    }
    return SIZE_MAX;
}

/* Reads an address of 2, 4 or 8 bytes. All bits set means undefined: UINT64_MAX. */
static uint64_t address_at(const unsigned char *p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned k = size; k-- > 0;)
        value = value << 8 | p[k];
    return size < 8 && value == ((uint64_t)1 << 8 * size) - 1 ? UINT64_MAX : value;
}

/* The superblock's addresses follow a few fields, the base address first; the third is the end of the file. */
static eb_code find_end(const eb_bytes *bytes, size_t at, uint64_t *whole, eb_status *status)
{
    enum { LONGEST = 28 + 3 * 8 };
    const unsigned char *p = bytes->data + at;
    if (bytes->size - at < LONGEST)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected an HDF5 superblock of %d bytes, found %zu",
                       bytes->name, at, LONGEST, bytes->size - at);
    unsigned version = p[8], size = version < 2 ? p[13] : p[9];
    const unsigned char *base = p + (version == 0 ? 24 : version == 1 ? 28 : 12);
    if (version > 3)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected version 0 to 3 of HDF5's superblock, found %u",
                       bytes->name, at + 8, version);
    if (size != 2 && size != 4 && size != 8)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected HDF5 addresses of 2, 4 or 8 bytes, found %u",
                       bytes->name, at + (version < 2 ? 13 : 9), size);
    uint64_t from = address_at(base, size), end = address_at(base + 2 * (size_t)size, size);
    if (end == UINT64_MAX || end <= from || end - from > SIZE_MAX - at)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected where the HDF5 file ends, found %llu",
                       bytes->name, (size_t)(base - bytes->data) + 2 * (size_t)size, (unsigned long long)end);
    *whole = end - from + at; /* a file that was moved after a user block keeps its addresses */
    return EB_OK;
}

/* n and d lie too deep in the file to be read cheaply. */
eb_code eb_shape_hdf5(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    char shown[EB_SHOWN_SIZE];
    uint64_t whole = 0;
    size_t at = eb_find_hdf5(bytes);
    *out = (eb_points){.n = 0};
    if (at == SIZE_MAX && bytes->beginning && bytes->size < EB_BEGINNING)
        return EB_OK;
    if (at == SIZE_MAX)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected an HDF5 file, found %s", bytes->name,
                       eb_show_bytes(shown, bytes->data, bytes->size < 8 ? bytes->size : 8));
    EB_TRY(find_end(bytes, at, &whole, status));
    if (!bytes->beginning && whole > bytes->size)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected %llu bytes as the header says, found %zu",
                       bytes->name, at, (unsigned long long)whole, bytes->size);
    out->whole = (size_t)whole;
    return EB_OK;
}
