#include "io/save/zip_stream.h"

#include <errno.h>

static zip_int64_t fail(eb_zip_stream *stream, int zip_error)
{
    zip_error_set(&stream->error, zip_error, errno);
    return -1;
}

static zip_int64_t put(eb_zip_stream *stream, const void *data, zip_uint64_t length)
{
    return fwrite(data, 1, length, stream->file) == length ? (zip_int64_t)length : fail(stream, ZIP_ER_WRITE);
}

static zip_int64_t seek(eb_zip_stream *stream, void *data, zip_uint64_t length)
{
    const zip_source_args_seek_t *to = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &stream->error);
    if (!to)
        return -1;
    return fseeko(stream->file, (off_t)to->offset, to->whence) == 0 ? 0 : fail(stream, ZIP_ER_SEEK);
}

static zip_int64_t tell(eb_zip_stream *stream)
{
    off_t at = ftello(stream->file);
    return at >= 0 ? (zip_int64_t)at : fail(stream, ZIP_ER_TELL);
}

/* libzip insists that an archive can be read; this one says that there is none yet, and never is. */
static zip_int64_t answer(void *context, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    eb_zip_stream *stream = context;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_SEEK,
                                              ZIP_SOURCE_TELL, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE,
                                              ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
                                              ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&stream->error, data, length);
    case ZIP_SOURCE_WRITE: return put(stream, data, length);
    case ZIP_SOURCE_SEEK_WRITE: return seek(stream, data, length);
    case ZIP_SOURCE_TELL_WRITE: return tell(stream);
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE: /* who opened the stream flushes it */
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;
    default: errno = ENOENT; return fail(stream, ZIP_ER_READ);
    }
}

zip_t *eb_zip_to_stream(eb_zip_stream *stream, zip_error_t *error)
{
    zip_error_init(&stream->error);
    zip_source_t *source = zip_source_function_create(answer, stream, error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_CREATE, error) : NULL;
    if (source && !zip)
        zip_source_free(source);
    return zip;
}
