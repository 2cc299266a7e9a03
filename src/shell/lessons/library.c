#include "shell/lessons/library.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/state_path.h"
#include "core/files/text_file.h"

enum { PATH_BYTES = 4096, PLACES = 5, MOST = 1000 };
static const char ending[] = ".lesson";

const char *eb_library_name(const char *path, char *buffer, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    (void)snprintf(buffer, size, "%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    return buffer;
}

/* The program's folder, without a '/' at its end. False: unknown. */
static bool find_program(char *program, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", program, size - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    return true;
}

/* The folders of lessons: the person's own, then folders relative to the program, which is installed in PREFIX/bin or
 * built in build or build/asan; its unit tests are in tests below. */
static size_t find_places(char place[PLACES][PATH_BYTES])
{
    static const char *const beside[] = {"../share/epsbench/lessons", "../src/lessons", "../../src/lessons",
                                         "../../../src/lessons"};
    char program[PATH_BYTES - 64];
    size_t count = eb_data_path("lessons", place[0], PATH_BYTES) ? 1 : 0;
    if (!find_program(program, sizeof program))
        return count;
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
        (void)snprintf(place[count++], PATH_BYTES, "%s/%s", program, beside[k]);
    return count;
}

bool eb_library_ladder(char *folder, size_t size)
{
    static const char *const beside[] = {"../share/epsbench/ladder", "../kernels/ladder", "../../kernels/ladder"};
    char program[PATH_BYTES - 64];
    bool found = false;
    if (!find_program(program, sizeof program))
        return false;
    for (size_t k = 0; k < sizeof beside / sizeof *beside && !found; k++) {
        char kernel[PATH_BYTES];
        (void)snprintf(folder, size, "%s/%s", program, beside[k]);
        (void)snprintf(kernel, sizeof kernel, "%.*s/naive.cuh", PATH_BYTES - 16,
                       folder); /* objects have such a folder */
        found = access(kernel, R_OK) == 0;
    }
    return found;
}

static bool has(const eb_library *library, const char *name)
{
    char other[256];
    for (size_t k = 0; k < library->count; k++)
        if (strcmp(eb_library_name(library->path[k], other, sizeof other), name) == 0)
            return true;
    return false;
}

static eb_code add(eb_library *library, const char *folder, const char *file, eb_status *status)
{
    const size_t length = strlen(file), end = sizeof ending - 1;
    char name[256];
    if (length <= end || strcmp(file + length - end, ending) != 0 || library->count == MOST ||
        has(library, eb_library_name(file, name, sizeof name)))
        return EB_OK;
    char **grown = realloc(library->path, (library->count + 1) * sizeof *grown);
    if (grown)
        library->path = grown;
    if (!grown || asprintf(&grown[library->count], "%s/%s", folder, file) < 0)
        return eb_fail_memory(status, "lessons", length);
    library->count++;
    return EB_OK;
}

static eb_code add_folder(eb_library *library, const char *folder, eb_status *status)
{
    DIR *entries = opendir(folder);
    eb_code failed = EB_OK;
    const struct dirent *entry;
    while (entries && !failed && (entry = readdir(entries)))
        failed = add(library, folder, entry->d_name, status);
    if (entries)
        (void)closedir(entries);
    return failed;
}

eb_code eb_library_text(const char *name, const char *what, char *path, size_t size, char **out, eb_status *status)
{
    char place[PLACES][PATH_BYTES];
    const size_t places = find_places(place);
    *out = NULL;
    for (size_t k = 0; k < places; k++) {
        const int length = snprintf(path, size, "%s/%s", place[k], name);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
            return eb_text_read(path, what, out, status);
    }
    return eb_fail(status, EB_NOT_FOUND, "the file %s of this program is missing; install epsbench again", name);
}

static int by_name(const void *a, const void *b)
{
    char one[256], other[256];
    return strcmp(eb_library_name(*(char *const *)a, one, sizeof one),
                  eb_library_name(*(char *const *)b, other, sizeof other));
}

eb_code eb_library_open(eb_library *out, eb_status *status)
{
    char place[PLACES][PATH_BYTES];
    const size_t places = find_places(place);
    eb_code failed = EB_OK;
    *out = (eb_library){0};
    for (size_t k = 0; k < places && !failed; k++)
        failed = add_folder(out, place[k], status);
    if (!failed && out->count == 0)
        failed = eb_fail(status, EB_NOT_FOUND, "there are no lessons in %s, nor in %s", places > 1 ? place[1] : "-",
                         places > 0 ? place[0] : "-");
    if (failed)
        eb_library_close(out);
    else
        qsort(out->path, out->count, sizeof *out->path, by_name);
    return failed;
}

void eb_library_close(eb_library *library)
{
    for (size_t k = 0; k < library->count; k++)
        free(library->path[k]);
    free(library->path);
    *library = (eb_library){0};
}

static eb_code refuse(const eb_library *library, const char *name, bool several, eb_status *status)
{
    char all[600] = "", one[256];
    size_t used = 0;
    for (size_t k = 0; k < library->count && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "",
                                 eb_library_name(library->path[k], one, sizeof one));
    return eb_fail(status, EB_USAGE, "%s lesson \"%.80s\"; there are %s", several ? "more than one" : "no", name, all);
}

eb_code eb_library_find(const eb_library *library, const char *name, const char **path, eb_status *status)
{
    size_t found = 0;
    char one[256];
    *path = NULL;
    for (size_t k = 0; k < library->count; k++) {
        eb_library_name(library->path[k], one, sizeof one);
        if (strncmp(one, name, strlen(name)) != 0)
            continue;
        *path = library->path[k];
        found++;
        if (strcmp(one, name) == 0)
            return EB_OK;
    }
    return found == 1 ? EB_OK : refuse(library, name, found > 1, status);
}
