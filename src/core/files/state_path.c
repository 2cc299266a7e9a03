#include "core/files/state_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool place(const char *variable, const char *under_home, const char *name, char *buffer, size_t size)
{
    const char *chosen = getenv(variable), *home = getenv("HOME");
    bool own = chosen && *chosen == '/';
    if (!own && !(home && *home == '/'))
        return false;
    int length = snprintf(buffer, size, "%s%s/epsbench/%s", own ? chosen : home, own ? "" : under_home, name);
    return length >= 0 && (size_t)length < size;
}

bool eb_state_path(const char *name, char *buffer, size_t size)
{
    return place("XDG_STATE_HOME", "/.local/state", name, buffer, size);
}

bool eb_config_path(const char *name, char *buffer, size_t size)
{
    return place("XDG_CONFIG_HOME", "/.config", name, buffer, size);
}

bool eb_cache_path(const char *name, char *buffer, size_t size)
{
    return place("XDG_CACHE_HOME", "/.cache", name, buffer, size);
}

bool eb_data_path(const char *name, char *buffer, size_t size)
{
    return place("XDG_DATA_HOME", "/.local/share", name, buffer, size);
}

size_t eb_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat there; /* on a read-only file system mkdir fails with EROFS, also for folders that exist */
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
