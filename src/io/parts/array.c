#include "io/parts/array.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "io/save/format.h"

#define PIECE ((size_t)4 << 20) /* bytes between two looks at the cancel flag */
#define HASHED_AT_ONCE ((size_t)1 << 20)

/* Lets the disk begin with what is written; else it would idle until the file is complete. Only a hint. */
static void begin_writing(const eb_array_out *out)
{
    (void)sync_file_range(fileno(eb_new_file_stream(out->file)), 0, 0, SYNC_FILE_RANGE_WRITE);
}

static eb_code fail(const eb_array_out *out, eb_status *status)
{
    return eb_fail_writing(out->path, errno ? errno : EIO, status);
}

eb_code eb_array_open(const char *folder, const char *name, const char *type, size_t width, eb_array_out *out,
                      eb_status *status)
{
    static const char room[EB_NPY_HEADER];
    *out = (eb_array_out){.width = width, .path = eb_parts_path(folder, name)};
    (void)snprintf(out->type, sizeof out->type, "%s", type);
    (void)snprintf(out->done.name, sizeof out->done.name, "%s", name);
    if (!out->path)
        return eb_fail_memory(status, "a file's name", strlen(folder));
    eb_code failed = eb_new_file_open(out->path, &out->file, status);
    if (failed) {
        out->file = NULL;
        return failed;
    }
    eb_save_buffer(eb_new_file_stream(out->file));
    return fwrite(room, 1, sizeof room, eb_new_file_stream(out->file)) == sizeof room ? EB_OK : fail(out, status);
}

eb_code eb_array_write(eb_array_out *out, const void *items, size_t count, eb_job *job, eb_status *status)
{
    const char *from = items;
    for (size_t left = count * out->width, some; left > 0; left -= some, from += some) {
        some = left < PIECE ? left : PIECE;
        EB_TRY(eb_job_check(job, status));
        errno = 0;
        if (fwrite(from, 1, some, eb_new_file_stream(out->file)) != some)
            return fail(out, status);
        if (some == PIECE)
            begin_writing(out);
    }
    out->items += count;
    return EB_OK;
}

static eb_code hash(eb_array_out *out, unsigned char *buffer, eb_job *job, eb_status *status)
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    FILE *file = eb_new_file_stream(out->file);
    sha256_init(&sha);
    for (size_t count; (count = fread(buffer, 1, HASHED_AT_ONCE, file)) > 0; out->done.bytes += count) {
        EB_TRY(eb_job_check(job, status));
        sha256_update(&sha, count, buffer);
    }
    if (ferror(file) || out->done.bytes != EB_NPY_HEADER + out->items * out->width)
        return eb_fail(status, EB_IO, "%s: cannot read back what was written: %s", out->path,
                       strerror(errno ? errno : EIO));
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++)
        (void)snprintf(out->done.sha256 + 2 * k, 3, "%02x", digest[k]);
    return EB_OK;
}

eb_code eb_array_finish(eb_array_out *out, eb_job *job, eb_status *status)
{
    char header[EB_NPY_HEADER], shape[32];
    FILE *file = eb_new_file_stream(out->file);
    (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)out->items);
    eb_save_npy_header(header, out->type, shape);
    errno = 0;
    if (fseeko(file, 0, SEEK_SET) != 0 || fwrite(header, 1, sizeof header, file) != sizeof header ||
        fseeko(file, 0, SEEK_SET) != 0)
        return fail(out, status);
    unsigned char *buffer = malloc(HASHED_AT_ONCE);
    if (!buffer)
        return eb_fail_memory(status, "a checksum", HASHED_AT_ONCE);
    eb_code failed = hash(out, buffer, job, status);
    free(buffer);
    return failed;
}

eb_code eb_array_commit(eb_array_out *out, eb_status *status)
{
    eb_code failed = eb_new_file_commit(out->file, status);
    out->file = NULL;
    return failed;
}

void eb_array_abandon(eb_array_out *out)
{
    eb_new_file_abandon(out->file);
    free(out->path);
    *out = (eb_array_out){.file = NULL};
}
