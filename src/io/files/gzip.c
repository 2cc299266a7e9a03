/* gzip: inflates whole gzip files. Several members are allowed, and zeros after the last member (tapes and some tools
 * pad with them).
 *
 * A few bytes may inflate to more than fits memory, and take long. So the inflated bytes are checked as they come:
 * after the first chunk, and each time their number has doubled.
 */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include "io/bytes.h"
#include "io/formats.h"

enum { CHUNK = 256 * 1024 };
enum { GZIP_ONLY = 15 + 16 }; /* the largest window, gzip wrapping only */

/* Deflate codes at most 258 bytes in two bits. */
#define MOST_EXPANSION 1032u

typedef struct inflater {
    const eb_bytes *bytes;
    const eb_format *inside; /* format of the inflated data; NULL: do not check */
    size_t at;               /* compressed bytes used */
    unsigned char *data;     /* [capacity] inflated so far, at most max_bytes */
    size_t size, capacity, max_bytes;
    size_t looked_at;     /* size at the last check */
    size_t whole;         /* expected size; 0: unknown */
    unsigned char *chunk; /* [CHUNK] */
} inflater;

static eb_code make_room(inflater *in, size_t capacity, eb_status *status)
{
    unsigned char *data = realloc(in->data, capacity);
    if (!data)
        return eb_fail_memory(status, in->bytes->name, capacity);
    in->data = data;
    in->capacity = capacity;
    return EB_OK;
}

static eb_code append_chunk(inflater *in, size_t made, eb_status *status)
{
    if (in->whole && made > in->whole - in->size)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu inflated bytes as the header inside says, found more",
                       in->bytes->name, in->whole);
    if (made > in->max_bytes - in->size)
        return eb_fail(status, EB_TOO_LARGE, "%s: inflates to more than the %zu bytes there is room for",
                       in->bytes->name, in->max_bytes);
    if (made > in->capacity - in->size) {
        size_t wanted = in->size + made;
        EB_TRY(make_room(in, wanted < in->max_bytes / 2 ? 2 * wanted : in->max_bytes, status));
    }
    if (made)
        memcpy(in->data + in->size, in->chunk, made);
    in->size += made;
    return EB_OK;
}

/* Checks the size that the header inside promises, and makes room for it. */
static eb_code expect_whole(inflater *in, size_t whole, eb_status *status)
{
    const eb_bytes *bytes = in->bytes;
    if (whole > in->max_bytes)
        return eb_fail(status, EB_TOO_LARGE,
                       "%s: inflates to %zu bytes as the header inside says; there is room for %zu", bytes->name, whole,
                       in->max_bytes);
    if (whole / MOST_EXPANSION > bytes->size)
        return eb_fail(
            status, EB_BAD_FORMAT,
            "%s: expected %zu inflated bytes as the header inside says, found %zu bytes of gzip, too few for them",
            bytes->name, whole, bytes->size);
    if (in->size > whole)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected %zu inflated bytes as the header inside says, found more",
                       bytes->name, whole);
    in->whole = whole;
    return whole > in->capacity ? make_room(in, whole, status) : EB_OK;
}

static eb_code look_inside(inflater *in, eb_status *status)
{
    const eb_format *inside = in->inside;
    if (!inside || in->whole || in->size < CHUNK || in->size / 2 < in->looked_at)
        return EB_OK;
    eb_bytes beginning = *in->bytes;
    eb_points points = {.n = 0};
    beginning.data = in->data;
    beginning.size = in->looked_at = in->size;
    beginning.beginning = true;
    EB_TRY(eb_format_check_magic(inside, &beginning, status));
    if (!inside->shape)
        return EB_OK;
    EB_TRY(inside->shape(&beginning, &points, status));
    return points.whole ? expect_whole(in, points.whole, status) : EB_OK;
}

static eb_code fail_damaged(const inflater *in, const z_stream *z, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected gzip data, found damage: %s", in->bytes->name,
                   in->at, z->msg ? z->msg : "unknown to zlib");
}

/* Calls inflate once, with at most CHUNK bytes in and out. */
static eb_code step(inflater *in, z_stream *z, int *result, eb_status *status)
{
    size_t left = in->bytes->size - in->at;
    uInt input = left < CHUNK ? (uInt)left : CHUNK;
    z->next_in = in->bytes->data + in->at;
    z->avail_in = input;
    z->next_out = in->chunk;
    z->avail_out = CHUNK;
    *result = inflate(z, Z_NO_FLUSH);
    size_t used = input - z->avail_in, made = CHUNK - z->avail_out;
    in->at += used;
    eb_job_advance(in->bytes->job, used);
    if (*result == Z_MEM_ERROR)
        return eb_fail_memory(status, "zlib", 0);
    if (*result != Z_OK && *result != Z_STREAM_END && *result != Z_BUF_ERROR)
        return fail_damaged(in, z, status);
    EB_TRY(append_chunk(in, made, status));
    EB_TRY(look_inside(in, status));
    if (*result != Z_STREAM_END && in->at == in->bytes->size && made < CHUNK)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: expected more gzip data, found the end after inflating %zu bytes",
                       in->bytes->name, in->at, in->size);
    return eb_job_check(in->bytes->job, status);
}

static bool only_zeros(const unsigned char *data, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (data[k])
            return false;
    return true;
}

static eb_code inflate_members(inflater *in, z_stream *z, eb_status *status)
{
    for (;;) {
        int result = Z_OK;
        while (result != Z_STREAM_END) {
            EB_TRY(step(in, z, &result, status));
        }
        if (only_zeros(in->bytes->data + in->at, in->bytes->size - in->at))
            return EB_OK;
        if (inflateReset(z) != Z_OK)
            return fail_damaged(in, z, status);
    }
}

size_t eb_inflating_limit(void)
{
    uint64_t available = eb_available_memory();
    uint64_t limit = available - available / 8;
    return limit < SIZE_MAX / 2 ? (size_t)limit : SIZE_MAX / 2;
}

eb_code eb_inflate(const eb_bytes *bytes, const eb_format *inside, size_t max_bytes, unsigned char **out,
                   size_t *out_size, eb_status *status)
{
    if (bytes->size < 18) /* header 10, trailer 8 */
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected gzip data of at least 18 bytes, found %zu",
                       bytes->name, bytes->size);
    z_stream z = {0};
    int ready = inflateInit2(&z, GZIP_ONLY);
    if (ready != Z_OK)
        return ready == Z_MEM_ERROR ? eb_fail_memory(status, "zlib", 0)
                                    : eb_fail(status, EB_INTERNAL, "zlib refuses to start: %s", zError(ready));
    inflater in = {.bytes = bytes, .inside = inside, .max_bytes = max_bytes, .chunk = malloc(CHUNK)};
    eb_job_phase(bytes->job, "inflating", bytes->size);
    eb_code failed = in.chunk ? inflate_members(&in, &z, status) : eb_fail_memory(status, "inflating", CHUNK);
    free(in.chunk);
    (void)inflateEnd(&z);
    if (!failed && in.size == 0)
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected data, found gzip of 0 bytes", bytes->name);
    if (failed) {
        free(in.data);
        return failed;
    }
    /* Shrinks to the used size; if that fails, the larger block stays. */
    unsigned char *exact = in.size ? realloc(in.data, in.size) : NULL;
    if (exact)
        in.data = exact;
    *out = in.data;
    *out_size = in.size;
    return EB_OK;
}
