#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *eb_expand_home(const char *what)
{
    const char *home = strncmp(what, "~/", 2) == 0 ? getenv("HOME") : NULL;
    char *path = NULL;
    if (asprintf(&path, "%s%s", home ? home : "", home ? what + 1 : what) < 0)
        return NULL;
    return path;
}

static const char *kind_of_file(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
           : S_ISSOCK(mode) ? "a socket"
                            : "something else";
}

/* Opens and maps a regular file with something in it. O_NONBLOCK: opening a pipe must not wait for a writer. */
eb_code eb_map_file(const char *path, const char *name, void **map, size_t *size, eb_status *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot open: %s", name, strerror(errno));
    struct stat about;
    eb_code failed = EB_OK;
    if (fstat(fd, &about) != 0)
        failed = eb_fail(status, EB_IO, "%s: cannot look at the file: %s", name, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        failed = eb_fail(status, EB_IO, "%s: expected a regular file, found %s", name, kind_of_file(about.st_mode));
    else if (about.st_size == 0)
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: offset 0: expected points, found an empty file", name);
    else if ((uintmax_t)about.st_size > SIZE_MAX)
        failed =
            eb_fail(status, EB_TOO_LARGE, "%s: %jd bytes do not fit the address space", name, (intmax_t)about.st_size);
    if (!failed) {
        size_t bytes = (size_t)about.st_size;
        void *mapped = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped == MAP_FAILED)
            failed = eb_fail(status, EB_IO, "%s: cannot map %zu bytes: %s", name, bytes, strerror(errno));
        else
            *map = mapped, *size = bytes;
    }
    (void)close(fd);
    return failed;
}
