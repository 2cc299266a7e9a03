#include "io/subprocess/workplace.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *eb_workplace_path(const char *folder, const char *name, char path[EB_WORKPLACE_PATH])
{
    (void)snprintf(path, EB_WORKPLACE_PATH, "%s/%s", folder, name);
    return path;
}

eb_code eb_workplace_make(char folder[EB_WORKPLACE_BYTES], eb_status *status)
{
    const char *place = getenv("TMPDIR");
    (void)snprintf(folder, EB_WORKPLACE_BYTES, "%.450s/epsbench-XXXXXX", place && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(folder))
        return EB_OK;
    const int error = errno;
    const eb_code failed = eb_fail(status, EB_IO, "%s: cannot make a folder: %s", folder, strerror(error));
    folder[0] = '\0';
    return failed;
}

void eb_workplace_remove(const char *folder)
{
    char path[EB_WORKPLACE_PATH];
    DIR *entries = folder[0] ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlink(eb_workplace_path(folder, entry->d_name, path));
    if (entries)
        (void)closedir(entries);
    if (folder[0])
        (void)rmdir(folder);
}

eb_code eb_workplace_write(const char *folder, const char *name, const void *bytes, size_t size, eb_status *status)
{
    char path[EB_WORKPLACE_PATH];
    FILE *file = fopen(eb_workplace_path(folder, name, path), "we");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    if ((file && fclose(file) != 0) || !written)
        return eb_fail(status, EB_IO, "%s: cannot write: %s", path, strerror(errno));
    return EB_OK;
}

/* At most `most` bytes of an open file, heap; NULL: there are none, or out of memory. */
static char *text_of(FILE *file, size_t most)
{
    struct stat about;
    const size_t all = fstat(fileno(file), &about) == 0 ? (size_t)about.st_size : 0, wanted = all < most ? all : most;
    char *text = malloc(wanted + 1);
    const size_t size = text ? fread(text, 1, wanted, file) : 0;
    if (size == 0) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

char *eb_workplace_read(const char *folder, const char *name, size_t most)
{
    char path[EB_WORKPLACE_PATH];
    FILE *file = fopen(eb_workplace_path(folder, name, path), "re");
    char *text = file ? text_of(file, most) : NULL;
    if (file)
        (void)fclose(file);
    return text;
}
