/* gzip: whole files, several members allowed, zeros behind the last one too (tapes and some tools pad with them). */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include "io/reader.h"

enum { CHUNK = 256 * 1024 };

typedef struct inflater {
    const eb_bytes *bytes;
    size_t at;           /* compressed bytes used */
    unsigned char *data; /* inflated so far: size of capacity bytes, and never more than max_bytes */
    size_t size, capacity, max_bytes;
    unsigned char *chunk; /* [CHUNK] */
    eb_job *job;
} inflater;

static eb_code append_chunk(inflater *in, size_t made, eb_status *status)
{
    if (made > in->max_bytes - in->size)
        return eb_fail(status, EB_TOO_LARGE, "%s: inflates to more than the %zu bytes there is room for",
                       in->bytes->name, in->max_bytes);
    if (made > in->capacity - in->size) {
        size_t wanted = in->size + made;
        size_t capacity = wanted < in->max_bytes / 2 ? 2 * wanted : in->max_bytes;
        unsigned char *data = realloc(in->data, capacity);
        if (!data)
            return eb_fail_memory(status, in->bytes->name, capacity);
        in->data = data;
        in->capacity = capacity;
    }
    if (made)
        memcpy(in->data + in->size, in->chunk, made);
    in->size += made;
    return EB_OK;
}

static eb_code fail_damaged(const inflater *in, const z_stream *z, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected gzip data, found damage: %s", in->bytes->name,
                   in->at, z->msg ? z->msg : "unknown to zlib");
}

/* One call of inflate: at most CHUNK bytes in and out. */
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
    eb_job_advance(in->job, used);
    if (*result == Z_MEM_ERROR)
        return eb_fail_memory(status, "zlib", 0);
    if (*result != Z_OK && *result != Z_STREAM_END && *result != Z_BUF_ERROR)
        return fail_damaged(in, z, status);
    EB_TRY(append_chunk(in, made, status));
    if (*result != Z_STREAM_END && in->at == in->bytes->size && made < CHUNK)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: offset %zu: expected more gzip data, found the end after inflating %zu bytes",
                       in->bytes->name, in->at, in->size);
    return eb_job_check(in->job, status);
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

eb_code eb_inflate(const eb_bytes *bytes, size_t max_bytes, unsigned char **out, size_t *out_size, eb_job *job,
                   eb_status *status)
{
    if (bytes->size < 18) /* header 10, trailer 8 */
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected gzip data of at least 18 bytes, found %zu",
                       bytes->name, bytes->size);
    enum { GZIP_ONLY = 15 + 16 }; /* the largest window, and no other wrapping than gzip's */
    z_stream z = {0};
    int ready = inflateInit2(&z, GZIP_ONLY);
    if (ready != Z_OK)
        return ready == Z_MEM_ERROR ? eb_fail_memory(status, "zlib", 0)
                                    : eb_fail(status, EB_INTERNAL, "zlib refuses to start: %s", zError(ready));
    inflater in = {.bytes = bytes, .max_bytes = max_bytes, .job = job, .chunk = malloc(CHUNK)};
    eb_job_phase(job, "inflating", bytes->size);
    eb_code failed = in.chunk ? inflate_members(&in, &z, status) : eb_fail_memory(status, "inflating", CHUNK);
    free(in.chunk);
    (void)inflateEnd(&z);
    if (!failed && in.size == 0)
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected data, found gzip of nothing", bytes->name);
    if (failed) {
        free(in.data);
        return failed;
    }
    /* Give back what doubling left over; failing at that loses nothing. */
    unsigned char *exact = in.size ? realloc(in.data, in.size) : NULL;
    if (exact)
        in.data = exact;
    *out = in.data;
    *out_size = in.size;
    return EB_OK;
}
