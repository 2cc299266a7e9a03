#include "io/arrow/python.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Joins the folder and the rest of a path. False: the folder is unknown, or no executable file has that path. */
static bool find_in(const char *folder, const char *rest, char *path, size_t size)
{
    if (!folder || !*folder)
        return false;
    int length = snprintf(path, size, "%s/%s", folder, rest);
    return length > 0 && (size_t)length < size && access(path, X_OK) == 0;
}

/* The program lies in the folder build/ of the source tree; an installed program has no such cache beside it. */
static bool find_in_source_tree(char *path, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    for (int parents = 0; parents < 2; parents++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return find_in(program, ".cache/pyarrow/bin/python3", path, size);
}

bool eb_python_path(size_t k, char *path, size_t size)
{
    const char *named = getenv("EPSBENCH_PYTHON");
    switch (k) {
    case 0: return named && *named && (size_t)snprintf(path, size, "%s", named) < size;
    case 1: return find_in(getenv("VIRTUAL_ENV"), "bin/python3", path, size);
    case 2: return find_in_source_tree(path, size);
    case 3: return find_in(getenv("HOME"), ".local/share/epsbench/venv/bin/python3", path, size);
    default: return (size_t)snprintf(path, size, "python3") < size;
    }
}
