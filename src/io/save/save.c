#include "io/save/save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "io/save/format.h"

static const eb_save_format *const formats[] = {&eb_save_npz, &eb_save_ivecs, &eb_save_csv,
                                                &eb_save_h5,  &eb_save_hdf5,  &eb_save_range};

#define BUFFER_BYTES ((size_t)1 << 20)

eb_code eb_save_fail(const eb_saver *saver, int error, eb_status *status)
{
    return eb_fail(status, EB_IO, "%s: cannot write: %s", saver->path, strerror(error));
}

/* ---- the file's life ---- */

static const eb_save_format *format_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        size_t tail = strlen(formats[k]->extension);
        if (length > tail && strcasecmp(path + length - tail, formats[k]->extension) == 0)
            return formats[k];
    }
    return NULL;
}

/* What stands under the name already must be a file that may be replaced. A link's target is replaced, not the link. */
static eb_code resolve_target(eb_saver *saver, eb_status *status)
{
    const char *path = saver->path;
    struct stat there;
    char *resolved = realpath(path, NULL);
    if (!resolved && errno != ENOENT)
        return eb_fail(status, EB_IO, "%s: cannot save there: %s", path, strerror(errno));
    if (resolved && stat(resolved, &there) != 0) {
        int error = errno;
        free(resolved);
        return eb_fail(status, EB_IO, "%s: cannot save there: %s", path, strerror(error));
    }
    if (resolved && !S_ISREG(there.st_mode)) {
        free(resolved);
        return eb_fail(status, EB_IO, "%s: is %s, not a regular file; nothing was written", path,
                       S_ISDIR(there.st_mode) ? "a folder" : "a device or pipe");
    }
    if (resolved && access(resolved, W_OK) != 0) {
        int error = errno;
        free(resolved);
        return eb_fail(status, EB_IO, "%s: cannot replace the file there: %s", path, strerror(error));
    }
    saver->target = resolved ? resolved : strdup(path);
    if (!saver->target)
        return eb_fail_memory(status, "a file's name", strlen(path));
    const char *slash = strrchr(saver->target, '/');
    size_t folder = slash ? (size_t)(slash - saver->target) : 0;
    saver->folder = slash ? strndup(saver->target, folder ? folder : 1) : strdup(".");
    return saver->folder ? EB_OK : eb_fail_memory(status, "a folder's name", folder);
}

/* Creates "FOLDER/.epsbench-save-XXXX.part". Not mkstemp: the finished file shall have the permissions that the umask
 * gives to any new file, and only open() applies it without a race. */
static int create_beside(const eb_saver *saver, char *name, size_t size)
{
    static _Atomic unsigned counter;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        unsigned long long salt = (unsigned long long)(eb_now_s() * 1e9);
        int length =
            snprintf(name, size, "%s/.epsbench-save-%d-%u-%llx.part", saver->folder, (int)getpid(), counter++, salt);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static eb_code open_stream(const eb_saver *saver, int fd, FILE **out, eb_status *status)
{
    *out = fdopen(fd, "w+b");
    if (!*out) {
        int error = errno;
        (void)close(fd);
        return eb_save_fail(saver, error, status);
    }
    (void)setvbuf(*out, NULL, _IOFBF, BUFFER_BYTES); /* refused: the small buffer works too */
    return EB_OK;
}

static eb_code create_partial(eb_saver *saver, eb_status *status)
{
    char name[PATH_MAX];
    int fd = create_beside(saver, name, sizeof name);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot create a file in %s: %s", saver->path, saver->folder,
                       strerror(errno));
    saver->partial = strdup(name);
    if (!saver->partial) {
        (void)close(fd);
        (void)unlink(name);
        return eb_fail_memory(status, "a file's name", strlen(name));
    }
    return open_stream(saver, fd, &saver->file, status);
}

eb_code eb_saver_open(const char *path, size_t n, eb_saver **out, eb_status *status)
{
    const eb_save_format *format = format_of(path);
    if (!format)
        return eb_fail(status, EB_USAGE,
                       "%s: the name's end tells the format; known are .npz .ivecs .csv .h5 .hdf5 .range", path);
    if (n == 0 || n > EB_MAX_POINTS)
        return eb_fail(status, EB_INTERNAL, "%s: a table of %zu points", path, n);
    eb_saver *saver = calloc(1, sizeof *saver);
    if (!saver)
        return eb_fail_memory(status, "saving", sizeof *saver);
    saver->format = format;
    saver->n = n;
    saver->path = strdup(path);
    if (!saver->path) {
        free(saver);
        return eb_fail_memory(status, "a file's name", strlen(path));
    }
    eb_code failed = resolve_target(saver, status);
    if (!failed)
        failed = create_partial(saver, status);
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    *out = saver;
    return EB_OK;
}

static eb_code check_batch(const eb_saver *saver, const eb_neighbours *batch, eb_status *status)
{
    if (saver->failed)
        return eb_fail(status, EB_INTERNAL, "%s: writing goes on after a failure", saver->path);
    if (batch->n != saver->n || batch->first_row != saver->rows || batch->rows > saver->n - saver->rows)
        return eb_fail(status, EB_INTERNAL, "%s: rows %zu to %zu of %zu points come; expected row %zu of %zu",
                       saver->path, batch->first_row, batch->first_row + batch->rows, batch->n, saver->rows, saver->n);
    if (saver->begun && saver->distances != (batch->distances != NULL))
        return eb_fail(status, EB_INTERNAL, "%s: some rows have distances and some have not", saver->path);
    return EB_OK;
}

void eb_saver_watch(eb_saver *saver, eb_job *job) { saver->job = job; }

/* A piece ends when it has some ten thousand rows or entries: a few milliseconds even as text. */
static size_t piece_end(const eb_neighbours *batch, size_t begin)
{
    const size_t enough = 16384;
    size_t end = begin + 1;
    while (end < batch->rows && end - begin < enough && batch->offsets[end] - batch->offsets[begin] < enough)
        end++;
    return end;
}

eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status)
{
    eb_code failed = check_batch(saver, batch, status);
    if (!failed && !saver->begun) {
        saver->begun = true;
        saver->distances = batch->distances != NULL;
        failed = saver->format->begin ? saver->format->begin(saver, status) : EB_OK;
    }
    for (size_t begin = 0, end; !failed && begin < batch->rows; begin = end) {
        end = piece_end(batch, begin);
        failed = eb_job_check(saver->job, status);
        if (!failed)
            failed = saver->format->rows(saver, batch, begin, end, status);
        if (!failed) {
            saver->rows += end - begin;
            saver->entries += batch->offsets[end] - batch->offsets[begin];
            eb_job_advance(saver->job, end - begin);
        }
    }
    saver->failed = failed != EB_OK;
    return failed;
}

/* fsync on a descriptor of its own: a format may have handed the file to a library. Without it a crash of the machine
 * could leave a complete name on an empty file. */
static eb_code sync_path(const eb_saver *saver, const char *name, int flags, eb_status *status)
{
    int fd = open(name, flags | O_CLOEXEC);
    if (fd < 0)
        return eb_save_fail(saver, errno, status);
    int failed = fsync(fd), error = errno;
    (void)close(fd);
    return failed && error != EINVAL ? eb_save_fail(saver, error, status) : EB_OK; /* EINVAL: it cannot be synced */
}

static eb_code commit(eb_saver *saver, eb_status *status)
{
    if (saver->file) {
        FILE *file = saver->file;
        saver->file = NULL;
        if (fclose(file) != 0)
            return eb_save_fail(saver, errno, status);
    }
    EB_TRY(sync_path(saver, saver->partial, O_RDONLY, status));
    if (rename(saver->partial, saver->target) != 0)
        return eb_save_fail(saver, errno, status);
    free(saver->partial); /* it is the finished file now: nothing to remove */
    saver->partial = NULL;
    /* The name too should survive a crash. A folder that cannot be read cannot be synced; the file is there all the
     * same. */
    (void)sync_path(saver, saver->folder, O_RDONLY | O_DIRECTORY, NULL);
    return EB_OK;
}

eb_code eb_saver_close(eb_saver *saver, eb_status *status)
{
    eb_code failed = EB_OK;
    if (saver->failed || saver->rows != saver->n)
        failed = eb_fail(status, EB_INTERNAL, "%s: %zu of %zu rows were written", saver->path, saver->rows, saver->n);
    if (!failed && saver->format->end) {
        eb_job_phase(saver->job, "completing", 0);
        failed = saver->format->end(saver, status);
    }
    if (!failed)
        failed = commit(saver, status);
    eb_saver_abandon(saver);
    return failed;
}

void eb_saver_abandon(eb_saver *saver)
{
    if (!saver)
        return;
    for (unsigned k = 0; k < EB_SAVE_PARTS; k++)
        if (saver->part[k])
            (void)fclose(saver->part[k]);
    if (saver->file)
        (void)fclose(saver->file);
    if (saver->partial)
        (void)unlink(saver->partial);
    free(saver->partial);
    free(saver->folder);
    free(saver->target);
    free(saver->path);
    free(saver);
}

/* ---- what formats use ---- */

/* Unlinked at once: whatever happens to the program, nothing stays behind. */
eb_code eb_save_open_part(eb_saver *saver, unsigned part, eb_status *status)
{
    char name[PATH_MAX];
    int fd = create_beside(saver, name, sizeof name);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot create a file in %s: %s", saver->path, saver->folder,
                       strerror(errno));
    (void)unlink(name);
    return open_stream(saver, fd, &saver->part[part], status);
}

eb_code eb_save_write(eb_saver *saver, FILE *to, const void *data, size_t bytes, eb_status *status)
{
    return bytes == 0 || fwrite(data, 1, bytes, to) == bytes ? EB_OK : eb_save_fail(saver, errno, status);
}

eb_code eb_save_seek(eb_saver *saver, FILE *in, uint64_t offset, eb_status *status)
{
    return fseeko(in, (off_t)offset, SEEK_SET) == 0 ? EB_OK : eb_save_fail(saver, errno, status);
}

eb_code eb_save_append_part(eb_saver *saver, unsigned part, eb_status *status)
{
    FILE *from = saver->part[part];
    eb_code failed = eb_save_seek(saver, from, 0, status); /* writes out what is buffered, too */
    unsigned char *buffer = malloc(BUFFER_BYTES);
    if (!failed && !buffer)
        failed = eb_fail_memory(status, "copying a file", BUFFER_BYTES);
    while (!failed && (failed = eb_job_check(saver->job, status)) == EB_OK) {
        size_t count = fread(buffer, 1, BUFFER_BYTES, from);
        if (count == 0 && ferror(from))
            failed = eb_fail(status, EB_IO, "%s: cannot read back what was written: %s", saver->path, strerror(errno));
        if (count == 0)
            break;
        failed = eb_save_write(saver, saver->file, buffer, count, status);
    }
    free(buffer);
    saver->part[part] = NULL;
    if (fclose(from) != 0 && !failed)
        failed = eb_save_fail(saver, errno, status);
    return failed;
}

eb_code eb_save_row_ends(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                         eb_status *status)
{
    int64_t ends[512];
    eb_code failed = EB_OK;
    for (size_t r = begin; r < end && !failed;) {
        size_t count = 0;
        while (count < sizeof ends / sizeof ends[0] && r < end)
            ends[count++] = (int64_t)(saver->entries + (batch->offsets[++r] - batch->offsets[begin]));
        failed = eb_save_write(saver, to, ends, count * sizeof *ends, status);
    }
    return failed;
}
