/* npz: writes .npz as scipy.sparse.save_npz does: a zip of .npy arrays, stored without compression.
 *
 * A .npy header comes first but needs the number of entries, which is known only at the end. So each array waits in a
 * part that begins with room for its header. libzip then copies the parts into the archive, with 64-bit sizes where
 * needed.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "io/save/format.h"

/* ---- the archive's output stream ---- */

typedef struct eb_zip_stream {
    FILE *file; /* the caller's; must stay open, and this struct valid, until the archive is closed */
    zip_error_t error;
} eb_zip_stream;

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

/* The callback of a libzip source that can only be written. libzip insists on reading archives; reads fail with ENOENT,
 * "no archive yet". */
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
    case ZIP_SOURCE_COMMIT_WRITE: /* the owner of the stream flushes it */
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;
    default: errno = ENOENT; return fail(stream, ZIP_ER_READ);
    }
}

/* Opens an archive that is written to stream->file, from its beginning, on closing. NULL: *error is set. */
static zip_t *zip_to_stream(eb_zip_stream *stream, zip_error_t *error)
{
    zip_error_init(&stream->error);
    zip_source_t *source = zip_source_function_create(answer, stream, error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_CREATE, error) : NULL;
    if (source && !zip)
        zip_source_free(source);
    return zip;
}

enum { INDPTR, INDICES, DATA, LABELS, NAMES };

static eb_code open_parts(eb_saver *saver, eb_status *status)
{
    static const char room[EB_NPY_HEADER];
    static const int64_t first_offset;
    for (unsigned part = INDPTR; part <= (saver->labels ? NAMES : DATA); part++) {
        EB_TRY(eb_save_open_part(saver, part, status));
        EB_TRY(eb_save_write(saver, saver->part[part], room, sizeof room, status));
    }
    return eb_save_write(saver, saver->part[INDPTR], &first_offset, sizeof first_offset, status);
}

/* A table without distances stores 1 for each entry, as in an adjacency matrix. */
static eb_code write_ones(eb_saver *saver, uint64_t count, eb_status *status)
{
    int8_t ones[4096];
    memset(ones, 1, sizeof ones);
    for (uint64_t left = count; left > 0;) {
        size_t some = left < sizeof ones ? (size_t)left : sizeof ones;
        EB_TRY(eb_save_write(saver, saver->part[DATA], ones, some, status));
        left -= some;
    }
    return EB_OK;
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    uint64_t first = batch->offsets[begin];
    size_t entries = (size_t)(batch->offsets[end] - first);
    EB_TRY(eb_save_row_ends(saver, saver->part[INDPTR], batch, begin, end, status));
    EB_TRY(
        eb_save_write(saver, saver->part[INDICES], batch->columns + first, entries * sizeof *batch->columns, status));
    return batch->kept ? eb_save_distances(saver, saver->part[DATA], batch, begin, end, status)
                       : write_ones(saver, entries, status);
}

static eb_code complete_part(eb_saver *saver, unsigned part, const char *type, uint64_t length, eb_status *status)
{
    char header[EB_NPY_HEADER], shape[32];
    (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)length);
    eb_save_npy_header(header, type, shape);
    EB_TRY(eb_save_seek(saver, saver->part[part], 0, status));
    EB_TRY(eb_save_write(saver, saver->part[part], header, sizeof header, status));
    return fflush(saver->part[part]) != 0 ? eb_save_fail(saver, errno, status) : EB_OK;
}

static eb_code fail_zip(const eb_saver *saver, zip_error_t *error, eb_status *status)
{
    if (zip_error_system_type(error) == ZIP_ET_SYS && zip_error_code_system(error) != 0)
        return eb_save_fail(saver, zip_error_code_system(error), status);
    return eb_fail(status, EB_IO, "%s: cannot write: %s", saver->path, zip_error_strerror(error));
}

/* Adds an entry with the source's bytes. Its date is fixed, as NumPy's is, so the same table makes the same file. */
static eb_code add_entry(eb_saver *saver, zip_t *zip, const char *name, zip_source_t *source, eb_status *status)
{
    if (!source)
        return fail_zip(saver, zip_get_error(zip), status);
    zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return fail_zip(saver, zip_get_error(zip), status);
    }
    const zip_uint16_t first_of_1980 = (1u << 5) | 1u;
    if (zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip, (zip_uint64_t)index, 0, first_of_1980, 0) != 0)
        return fail_zip(saver, zip_get_error(zip), status);
    return EB_OK;
}

static eb_code add_part(eb_saver *saver, zip_t *zip, const char *name, unsigned part, eb_status *status)
{
    FILE *file = saver->part[part];
    if (fseeko(file, 0, SEEK_END) != 0)
        return eb_save_fail(saver, errno, status);
    off_t length = ftello(file);
    EB_TRY(eb_save_seek(saver, file, 0, status)); /* libzip reads from the current position */
    zip_source_t *source = zip_source_filep(zip, file, 0, length);
    if (source)
        saver->part[part] = NULL; /* the source closes it */
    return add_entry(saver, zip, name, source, status);
}

/* The facts as a JSON object in NumPy bytes: json.loads(archive["provenance"].item()). Heap; NULL: out of memory. */
static char *provenance_of(const eb_saver *saver, size_t *size)
{
    json_t *object = eb_facts_json(&saver->facts);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    char type[32], *member = text ? malloc(EB_NPY_HEADER + strlen(text)) : NULL;
    if (member) {
        *size = EB_NPY_HEADER + strlen(text);
        (void)snprintf(type, sizeof type, "|S%zu", strlen(text));
        eb_save_npy_header(member, type, "()");
        memcpy(member + EB_NPY_HEADER, text, strlen(text));
    }
    free(text);
    return member;
}

static eb_code add_provenance(eb_saver *saver, zip_t *zip, eb_status *status)
{
    size_t size = 0;
    if (saver->facts.count == 0)
        return EB_OK;
    char *member = provenance_of(saver, &size);
    if (!member)
        return eb_fail_memory(status, "what a file says of itself", size);
    zip_source_t *source = zip_source_buffer(zip, member, size, 1); /* the source frees it */
    if (!source)
        free(member);
    return add_entry(saver, zip, "provenance.npy", source, status);
}

static eb_code add_all(eb_saver *saver, zip_t *zip, char *format, size_t format_bytes, char *shape, size_t shape_bytes,
                       eb_status *status)
{
    EB_TRY(add_part(saver, zip, "indices.npy", INDICES, status));
    EB_TRY(add_part(saver, zip, "indptr.npy", INDPTR, status));
    EB_TRY(add_entry(saver, zip, "format.npy", zip_source_buffer(zip, format, format_bytes, 0), status));
    EB_TRY(add_entry(saver, zip, "shape.npy", zip_source_buffer(zip, shape, shape_bytes, 0), status));
    EB_TRY(add_part(saver, zip, "data.npy", DATA, status));
    if (saver->labels) {
        EB_TRY(add_part(saver, zip, "labels.npy", LABELS, status));
        EB_TRY(add_part(saver, zip, "label_names.npy", NAMES, status));
    }
    return add_provenance(saver, zip, status);
}

/* libzip calls this while it copies. */
static int is_cancelled(zip_t *zip, void *context)
{
    (void)zip;
    const eb_saver *saver = context;
    return eb_job_cancelled(saver->job);
}

static eb_code write_archive(eb_saver *saver, eb_status *status)
{
    static const char csr[3] = {'c', 's', 'r'};
    char format[EB_NPY_HEADER + sizeof csr], shape[EB_NPY_HEADER + 2 * sizeof(int64_t)];
    int64_t sides[2] = {(int64_t)saver->n, (int64_t)saver->n};
    eb_save_npy_header(format, "|S3", "()");
    memcpy(format + EB_NPY_HEADER, csr, sizeof csr);
    eb_save_npy_header(shape, "<i8", "(2,)");
    memcpy(shape + EB_NPY_HEADER, sides, sizeof sides);

    zip_error_t error;
    zip_error_init(&error);
    eb_zip_stream stream = {.file = saver->file};
    zip_t *zip = zip_to_stream(&stream, &error);
    if (!zip) {
        eb_code failed = fail_zip(saver, &error, status);
        zip_error_fini(&error);
        return failed;
    }
    eb_code failed = add_all(saver, zip, format, sizeof format, shape, sizeof shape, status);
    if (!failed && saver->job && zip_register_cancel_callback_with_state(zip, is_cancelled, NULL, saver) != 0)
        failed = fail_zip(saver, zip_get_error(zip), status);
    if (!failed && zip_close(zip) == 0)
        return EB_OK;
    if (!failed)
        failed = eb_job_check(saver->job, status);
    if (!failed)
        failed = fail_zip(saver, zip_get_error(zip), status);
    zip_discard(zip);
    return failed;
}

static eb_code complete_labels(eb_saver *saver, eb_status *status)
{
    char type[32];
    (void)snprintf(type, sizeof type, "|S%zu", eb_labels_longest(saver->labels));
    EB_TRY(eb_save_label_numbers(saver, saver->part[LABELS], status));
    EB_TRY(eb_save_label_names(saver, saver->part[NAMES], status));
    EB_TRY(complete_part(saver, LABELS, "<i4", saver->labels->points, status));
    return complete_part(saver, NAMES, type, saver->labels->names, status);
}

static eb_code complete(eb_saver *saver, eb_status *status)
{
    static const char *const type[] = {"|i1", [EB_DISTANCES_F64] = "<f8", [EB_DISTANCES_F32] = "<f4"};
    EB_TRY(complete_part(saver, INDPTR, "<i8", saver->n + (uint64_t)1, status));
    EB_TRY(complete_part(saver, INDICES, "<i4", saver->entries, status));
    EB_TRY(complete_part(saver, DATA, type[saver->distances], saver->entries, status));
    if (saver->labels)
        EB_TRY(complete_labels(saver, status));
    return write_archive(saver, status);
}

const eb_save_format eb_save_npz = {.tells = true, .begin = open_parts, .rows = write_rows, .end = complete};
