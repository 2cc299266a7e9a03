#include "core/base/state_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool eb_state_path(const char *name, char *buffer, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool own = state && *state == '/';
    if (!own && !(home && *home == '/'))
        return false;
    int length = snprintf(buffer, size, "%s%s/epsbench/%s", own ? state : home, own ? "" : "/.local/state", name);
    return length >= 0 && (size_t)length < size;
}

size_t eb_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat there; /* a read-only file system says so before it says that the folder exists */
        *slash = '\0';
        int failed = mkdir(path, 0700), error = errno;
        bool missing = failed && error != EEXIST && (stat(path, &there) != 0 || !S_ISDIR(there.st_mode));
        *slash = '/';
        errno = error;
        if (missing)
            return (size_t)(slash - path);
    }
    return 0;
}
