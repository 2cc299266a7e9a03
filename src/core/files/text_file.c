#include "core/files/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *eb_kind_of_file(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
           : S_ISSOCK(mode) ? "a socket"
                            : "something else";
}

static eb_code check(const struct stat *about, const char *name, const char *what, uint64_t most, eb_status *status)
{
    if (!S_ISREG(about->st_mode))
        return eb_fail(status, EB_IO, "%s: expected %s in a regular file, found %s", name, what,
                       eb_kind_of_file(about->st_mode));
    if ((uint64_t)about->st_size > most)
        return eb_fail(status, EB_TOO_LARGE, "%s: expected %s of at most %llu MiB, found %llu bytes", name, what,
                       (unsigned long long)most >> 20, (unsigned long long)about->st_size);
    return EB_OK;
}

/* O_NONBLOCK: opening a pipe must not wait for its other end. */
eb_code eb_text_open(const char *path, const char *name, const char *what, uint64_t most, int *fd, eb_status *status)
{
    struct stat about;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) {
        int error = errno;
        (void)eb_fail(status, EB_IO, "cannot open %s: %s", name, strerror(error));
        errno = error;
        return EB_IO;
    }
    eb_code failed = fstat(*fd, &about) == 0 ? check(&about, name, what, most, status)
                                             : eb_fail(status, EB_IO, "cannot look at %s: %s", name, strerror(errno));
    if (failed)
        (void)close(*fd);
    errno = 0;
    return failed;
}

eb_code eb_text_stream(const char *path, const char *name, const char *what, uint64_t most, FILE **out,
                       eb_status *status)
{
    int fd;
    EB_TRY(eb_text_open(path, name, what, most, &fd, status));
    *out = fdopen(fd, "r");
    if (*out)
        return EB_OK;
    (void)close(fd);
    return eb_fail_memory(status, name, BUFSIZ);
}

eb_code eb_text_check(const char *path, const char *name, const char *what, uint64_t most, eb_status *status)
{
    struct stat about;
    return stat(path, &about) == 0 ? check(&about, name, what, most, status) : EB_OK;
}

eb_code eb_text_read(const char *path, const char *what, char **out, eb_status *status)
{
    FILE *file;
    *out = NULL;
    EB_TRY(eb_text_stream(path, path, what, EB_SETTINGS_BYTES, &file, status));
    char *text = malloc(EB_SETTINGS_BYTES + 1);
    const size_t size = text ? fread(text, 1, EB_SETTINGS_BYTES, file) : 0;
    const eb_code failed = !text          ? eb_fail_memory(status, what, EB_SETTINGS_BYTES + 1)
                           : ferror(file) ? eb_fail(status, EB_IO, "cannot read %s: %s", path, strerror(errno))
                                          : EB_OK;
    (void)fclose(file);
    if (failed) {
        free(text);
        return failed;
    }
    text[size] = '\0';
    *out = text;
    return EB_OK;
}
