/* gzip: whole files, several members allowed, zeros behind the last one too (tapes and some tools pad with them). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "io/reader.h"

enum { CHUNK = 256 * 1024 };

/* Where inflated bytes go. */
typedef eb_code (*consumer)(void *context, const unsigned char *chunk, size_t size, eb_status *status);

typedef struct inflater {
    const eb_bytes *bytes;
    size_t at;       /* compressed bytes used */
    size_t produced, max_bytes;
    consumer consume;
    void *context;
    eb_job *job;
    unsigned char *chunk; /* [CHUNK] */
} inflater;

static eb_code fail_damaged(const inflater *in, const z_stream *z, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected gzip data, found damage: %s", in->bytes->name, in->at,
                   z->msg ? z->msg : "unknown to zlib");
}

/* One call of inflate: at most CHUNK bytes in and out. */
static eb_code step(inflater *in, z_stream *z, int *result, eb_status *status)
{
    size_t left = in->bytes->size - in->at;
    uInt input = left < CHUNK ? (uInt)left : CHUNK;
    z->next_in = (Bytef *)(uintptr_t)(in->bytes->data + in->at); /* zlib's header lacks the const */
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
    if (made > in->max_bytes - in->produced)
        return eb_fail(status, EB_TOO_LARGE, "%s: inflates to more than the %zu bytes there is room for", in->bytes->name,
                       in->max_bytes);
    in->produced += made;
    eb_code code = made ? in->consume(in->context, in->chunk, made, status) : EB_OK;
    if (code)
        return code;
    if (*result != Z_STREAM_END && in->at == in->bytes->size && made < CHUNK)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset %zu: expected more gzip data, found the end after inflating %zu bytes",
                       in->bytes->name, in->at, in->produced);
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
            eb_code code = step(in, z, &result, status);
            if (code)
                return code;
        }
        if (only_zeros(in->bytes->data + in->at, in->bytes->size - in->at))
            return EB_OK;
        if (inflateReset(z) != Z_OK)
            return fail_damaged(in, z, status);
    }
}

static eb_code inflate_all(const eb_bytes *bytes, size_t max_bytes, consumer consume, void *context, eb_job *job,
                           eb_status *status)
{
    if (bytes->size < 18) /* header 10, trailer 8 */
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected gzip data of at least 18 bytes, found %zu", bytes->name,
                       bytes->size);
    enum { GZIP_ONLY = 15 + 16 }; /* the largest window, and no other wrapping than gzip's */
    z_stream z = {0};
    int ready = inflateInit2(&z, GZIP_ONLY);
    if (ready != Z_OK)
        return ready == Z_MEM_ERROR ? eb_fail_memory(status, "zlib", 0)
                                    : eb_fail(status, EB_INTERNAL, "zlib refuses to start: %s", zError(ready));
    inflater in = {.bytes = bytes, .max_bytes = max_bytes, .consume = consume, .context = context, .job = job};
    in.chunk = malloc(CHUNK);
    eb_job_phase(job, "inflating", bytes->size);
    eb_code code = in.chunk ? inflate_members(&in, &z, status) : eb_fail_memory(status, "inflating", CHUNK);
    free(in.chunk);
    (void)inflateEnd(&z);
    return code;
}

typedef struct memory {
    const char *name;
    unsigned char *data;
    size_t size, capacity, max_bytes;
} memory;

static eb_code append(void *context, const unsigned char *chunk, size_t size, eb_status *status)
{
    memory *m = context;
    if (size > m->capacity - m->size) {
        size_t wanted = m->size + size; /* at most max_bytes: inflate's loop has checked */
        size_t capacity = wanted < m->max_bytes / 2 ? 2 * wanted : m->max_bytes;
        unsigned char *data = realloc(m->data, capacity);
        if (!data)
            return eb_fail_memory(status, m->name, capacity);
        m->data = data;
        m->capacity = capacity;
    }
    memcpy(m->data + m->size, chunk, size);
    m->size += size;
    return EB_OK;
}

eb_code eb_inflate(const eb_bytes *bytes, size_t max_bytes, unsigned char **out, size_t *out_size, eb_job *job,
                   eb_status *status)
{
    memory m = {.name = bytes->name, .max_bytes = max_bytes};
    eb_code code = inflate_all(bytes, max_bytes, append, &m, job, status);
    if (!code && m.size == 0)
        code = eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected data, found gzip of nothing", bytes->name);
    if (code) {
        free(m.data);
        return code;
    }
    /* Give back what doubling left over; failing at that loses nothing. */
    unsigned char *data = realloc(m.data, m.size);
    *out = data ? data : m.data;
    *out_size = m.size;
    return EB_OK;
}

static eb_code write_all(void *context, const unsigned char *chunk, size_t size, eb_status *status)
{
    const int *fd = context;
    for (size_t done = 0; done < size;) {
        ssize_t written = write(*fd, chunk + done, size - done);
        if (written < 0 && errno != EINTR)
            return eb_fail(status, EB_IO, "cannot write the inflated data to a temporary file: %s", strerror(errno));
        if (written > 0)
            done += (size_t)written;
    }
    return EB_OK;
}

eb_code eb_inflate_to_file(const eb_bytes *bytes, size_t max_bytes, int fd, eb_job *job, eb_status *status)
{
    return inflate_all(bytes, max_bytes, write_all, &fd, job, status);
}
