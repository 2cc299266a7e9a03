#include "io/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/files/text_file.h"

eb_code eb_read_limit(size_t *out, eb_status *status)
{
    const char *given = getenv("EPSBENCH_READ_LIMIT");
    *out = EB_READ_LIMIT;
    if (!given || !*given)
        return EB_OK;
    char *end;
    errno = 0;
    unsigned long long bytes = strtoull(given, &end, 10);
    if (*given < '0' || *given > '9' || *end || errno || bytes > SIZE_MAX)
        return eb_fail(status, EB_USAGE, "EPSBENCH_READ_LIMIT is \"%.40s\"; expected a number of bytes", given);
    *out = (size_t)bytes;
    return EB_OK;
}

char *eb_expand_home(const char *what)
{
    const char *home = strncmp(what, "~/", 2) == 0 ? getenv("HOME") : NULL;
    char *path = NULL;
    if (asprintf(&path, "%s%s", home ? home : "", home ? what + 1 : what) < 0)
        return NULL;
    return path;
}

char *eb_split_object(char *path)
{
    struct stat about;
    if (stat(path, &about) == 0)
        return NULL;
    char *last = NULL;
    for (char *p = path; (p = strstr(p, ":/")) != NULL; p++)
        last = p;
    if (!last || last == path)
        return NULL;
    *last = 0;
    return last + 1;
}

/* ---- opening ---- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Waits until a later write must show in the file's time stamp. The system stamps a file when a write begins, with a
 * clock that ticks a few hundred times a second, so a second write in the same tick would not show. For a mapped file
 * the wait is longer, so that the writer has probably ended. */
static bool look_when_settled(int fd, size_t read_limit, struct stat *about)
{
    enum { MOST_LOOKS = 100 };
    const struct timespec pause = {.tv_nsec = 1000000};
    const long settled_ns = 50000000;
    struct timespec now;
    for (int k = 0; k < MOST_LOOKS; k++) {
        if (fstat(fd, about) != 0)
            return false;
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
        bool mapped = about->st_size > 0 && (uintmax_t)about->st_size > read_limit;
        if (mapped && (now.tv_nsec -= settled_ns) < 0) {
            now.tv_nsec += 1000000000;
            now.tv_sec--;
        }
        if (is_before(&about->st_ctim, &now)) /* the time of writing can be set to any value, the change time cannot */
            break;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

static eb_code check_kind(const char *name, const struct stat *about, eb_status *status)
{
    if (!S_ISREG(about->st_mode))
        return eb_fail(status, EB_IO, "%s: expected a regular file, found %s", name, eb_kind_of_file(about->st_mode));
    if (about->st_size == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected points, found an empty file", name);
    if ((uintmax_t)about->st_size > SIZE_MAX)
        return eb_fail(status, EB_TOO_LARGE, "%s: %jd bytes do not fit the address space", name,
                       (intmax_t)about->st_size);
    return EB_OK;
}

/* Fills data. If the file has become shorter, zeros fill the rest, and eb_file_check reports the change. */
static eb_code read_all(int fd, const char *name, unsigned char *data, size_t size, eb_status *status)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, data + done, size - done, (off_t)done);
        if (got < 0 && errno != EINTR)
            return eb_fail(status, EB_IO, "%s: offset %zu: cannot read: %s", name, done, strerror(errno));
        if (got == 0)
            memset(data + done, 0, size - done);
        done = got == 0 ? size : done + (got > 0 ? (size_t)got : 0);
    }
    return EB_OK;
}

static eb_code take_bytes(int fd, const char *name, size_t read_limit, eb_file *out, eb_status *status)
{
    size_t size = (size_t)out->opened.st_size;
    out->size = size;
    if (size > read_limit) {
        EB_TRY(eb_map(fd, size, name, &out->mapping, status));
        out->data = eb_mapping_data(out->mapping);
        return EB_OK;
    }
    unsigned char *data = malloc(size);
    if (!data)
        return eb_fail_memory(status, name, size);
    out->data = data;
    return read_all(fd, name, data, size, status);
}

static eb_code take_file(int fd, const char *path, const char *name, size_t read_limit, eb_file *out, eb_status *status)
{
    EB_TRY(check_kind(name, &out->opened, status));
    if (!(out->path = realpath(path, NULL)) && !(out->path = strdup(path)))
        return eb_fail_memory(status, name, strlen(path));
    return take_bytes(fd, name, read_limit, out, status);
}

/* O_NONBLOCK: opening a pipe must not wait for a writer. */
static eb_code open_file(const char *path, const char *name, size_t read_limit, bool glance, eb_file *out,
                         eb_status *status)
{
    *out = (eb_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot open: %s", name, strerror(errno));
    bool seen = glance ? fstat(fd, &out->opened) == 0 : look_when_settled(fd, read_limit, &out->opened);
    eb_code failed = seen ? take_file(fd, path, name, read_limit, out, status)
                          : eb_fail(status, EB_IO, "%s: cannot look at the file: %s", name, strerror(errno));
    (void)eb_file_id_of_fd(fd, &out->id);
    (void)close(fd);
    if (failed)
        eb_file_close(out);
    return failed;
}

eb_code eb_file_open(const char *path, eb_file *out, eb_status *status)
{
    size_t limit;
    *out = (eb_file){0};
    EB_TRY(eb_read_limit(&limit, status));
    return open_file(path, path, limit, false, out, status);
}

eb_code eb_file_glance(const char *path, const char *name, eb_file *out, eb_status *status)
{
    return open_file(path, name, 0, true, out, status);
}

void eb_file_drop(eb_file *file)
{
    if (file->mapping)
        eb_unmap(file->mapping);
    else
        free((void *)(uintptr_t)file->data);
    file->mapping = NULL;
    file->data = NULL;
}

void eb_file_close(eb_file *file)
{
    eb_file_drop(file);
    free(file->path);
    *file = (eb_file){0};
}

/* ---- has the file changed? ---- */

enum { DESCRIBED = 160 };

/* "4096 bytes written 2026-01-31 12:00:00.123456789 UTC" */
static const char *describe(const struct stat *about, char buffer[DESCRIBED])
{
    struct tm utc;
    char written[32];
    (void)gmtime_r(&about->st_mtim.tv_sec, &utc);
    (void)strftime(written, sizeof written, "%Y-%m-%d %H:%M:%S", &utc);
    (void)snprintf(buffer, DESCRIBED, "%jd bytes written %s.%09ld UTC", (intmax_t)about->st_size, written,
                   about->st_mtim.tv_nsec);
    return buffer;
}

static eb_code fail_changed(const eb_file *file, const char *when, const char *what, const char *found,
                            eb_status *status)
{
    char expected[DESCRIBED];
    return eb_fail(status, EB_CHANGED, "%s: changed %s; load it again: expected %s, found %s%s", file->path, when,
                   describe(&file->opened, expected), what, found);
}

eb_code eb_file_check(const eb_file *file, const char *when, eb_status *status)
{
    const struct stat *opened = &file->opened;
    struct stat now;
    char found[DESCRIBED];
    if (stat(file->path, &now) != 0)
        return fail_changed(file, when, "none: ", strerror(errno), status);
    if (now.st_dev != opened->st_dev || now.st_ino != opened->st_ino)
        return fail_changed(file, when, "another file in its place, ", describe(&now, found), status);
    if (now.st_size != opened->st_size || !same_time(&now.st_mtim, &opened->st_mtim))
        return fail_changed(file, when, "", describe(&now, found), status);
    if (file->mapping && eb_mapping_torn(file->mapping))
        return fail_changed(file, when, "bytes that cannot be read", "", status);
    if (file->mapping && !same_time(&now.st_ctim, &opened->st_ctim))
        return fail_changed(file, when, "its time set back, or its rights or names changed", "", status);
    return EB_OK;
}
