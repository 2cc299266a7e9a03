#include "io/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/clock.h"
#include "io/files/files.h"
#include "io/formats.h"

/* Limits of a listing. */
typedef struct bounds {
    size_t files, names;
    double until; /* as eb_now_s counts */
} bounds;

static bool is_over(const bounds *b, size_t names) { return names >= b->names || eb_now_s() > b->until; }

/* ---- names ---- */

/* Follows links. A broken link is listed, with the reason why it cannot be read. */
static bool could_be_file(int folder, const char *name)
{
    struct stat about;
    return fstatat(folder, name, &about, 0) != 0 || S_ISREG(about.st_mode);
}

/* Appends the names of all files to out->file. */
static eb_code collect(DIR *folder, const bounds *b, eb_job *job, eb_folder *out, eb_status *status)
{
    bool gzip;
    size_t seen = 0, capacity = 0;
    errno = 0;
    for (struct dirent *entry; !is_over(b, seen++) && (entry = readdir(folder)) != NULL; errno = 0) {
        if (eb_job_check(job, status))
            return EB_CANCELLED;
        if (!eb_format_of_name(entry->d_name, &gzip) || !could_be_file(dirfd(folder), entry->d_name))
            continue;
        char *name = strdup(entry->d_name);
        if (!name || !eb_array_grow(&out->file, out->found, &capacity, sizeof *out->file, 64)) {
            free(name);
            return eb_fail_memory(status, "the names of files", out->found * sizeof *out->file);
        }
        out->file[out->found++] = (eb_folder_file){.name = name};
    }
    return errno ? eb_fail(status, EB_IO, "%s: cannot read the folder: %s", out->path, strerror(errno)) : EB_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const eb_folder_file *)a)->name, ((const eb_folder_file *)b)->name);
}

/* ---- one file ---- */

/* The message without the leading file name, which is shown beside it. */
static const char *reason_of(const eb_status *why, const char *name)
{
    size_t length = strlen(name);
    bool named = strncmp(why->message, name, length) == 0 && strncmp(why->message + length, ": ", 2) == 0;
    return why->message + (named ? length + 2 : 0);
}

static eb_code look_at_bytes(const eb_bytes *bytes, const eb_format *format, bool gzip, eb_folder_file *file,
                             eb_status *why)
{
    const eb_format *found;
    eb_points points = {.n = 0};
    EB_TRY(eb_format_of(bytes, &found, &gzip, why)); /* fails if a file named .gz is not gzip data */
    if (gzip)
        return EB_OK;
    EB_TRY(eb_format_check_magic(format, bytes, why));
    if (!format->shape)
        return EB_OK;
    EB_TRY(format->shape(bytes, &points, why));
    file->n = points.n;
    file->d = points.d;
    file->dtype = points.dtype;
    return EB_OK;
}

static eb_code look_at_file(const char *folder, eb_folder_file *file, eb_status *why)
{
    bool gzip;
    const eb_format *format = eb_format_of_name(file->name, &gzip);
    struct stat about;
    char *path = NULL;
    eb_file opened = {0};
    (void)snprintf(file->format, sizeof file->format, "%s%s", format->name, gzip ? ".gz" : "");
    if (asprintf(&path, "%s/%s", folder, file->name) < 0)
        return eb_fail_memory(why, file->name, strlen(folder));
    if (stat(path, &about) == 0)
        file->bytes = (uint64_t)about.st_size;
    eb_code failed = eb_file_glance(path, file->name, &opened, why);
    const eb_bytes bytes = {.data = opened.data, .size = opened.size, .name = file->name, .brief = true};
    if (!failed)
        failed = look_at_bytes(&bytes, format, gzip, file, why);
    eb_file_close(&opened);
    free(path);
    return failed;
}

/* Fills in everything but the name. False: out of memory. */
static bool describe(const char *folder, eb_folder_file *file)
{
    eb_status why = {0};
    eb_code failed = look_at_file(folder, file, &why);
    file->reason = strdup(failed ? reason_of(&why, file->name) : "");
    return file->reason != NULL && failed != EB_NO_MEMORY;
}

/* ---- the folder ---- */

void eb_folder_free(eb_folder *folder)
{
    for (size_t k = 0; k < folder->found; k++) {
        free(folder->file[k].name);
        free(folder->file[k].reason);
    }
    free(folder->file);
    free(folder->path);
    *folder = (eb_folder){.count = 0};
}

static eb_code list_folder(DIR *folder, const bounds *b, eb_job *job, eb_folder *out, eb_status *status)
{
    eb_code failed = collect(folder, b, job, out, status);
    const size_t wanted = out->found < b->files ? out->found : b->files;
    if (!failed && out->found > 0)
        qsort(out->file, out->found, sizeof *out->file, compare_names);
    eb_job_phase(job, "looking at files", wanted);
    while (out->count < wanted && !failed && !is_over(b, 0)) {
        if (!describe(out->path, &out->file[out->count++]))
            failed = eb_fail_memory(status, "a list of files", wanted * sizeof *out->file);
        else
            failed = eb_job_check(job, status);
        eb_job_advance(job, 1);
    }
    return failed;
}

static eb_code list_bounded(const char *path, const bounds *b, eb_job *job, eb_folder *out, eb_status *status)
{
    *out = (eb_folder){.count = 0};
    char *expanded = eb_expand_home(path);
    if (!expanded)
        return eb_fail_memory(status, path, strlen(path));
    DIR *folder = opendir(expanded);
    eb_code failed = EB_OK;
    if (!folder)
        failed = eb_fail(status, EB_IO, "%s: cannot open the folder: %s", path, strerror(errno));
    else if (!(out->path = realpath(expanded, NULL)))
        failed = eb_fail(status, EB_IO, "%s: cannot find the folder: %s", path, strerror(errno));
    if (!failed)
        failed = list_folder(folder, b, job, out, status);
    if (folder)
        (void)closedir(folder);
    free(expanded);
    if (failed)
        eb_folder_free(out);
    return failed;
}

eb_code eb_folder_list(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status)
{
    const bounds all = {.files = most, .names = SIZE_MAX, .until = INFINITY};
    return list_bounded(path, &all, job, out, status);
}

eb_code eb_folder_glance(const char *path, size_t most, eb_job *job, eb_folder *out, eb_status *status)
{
    enum { NAMES = 2000 };
    const bounds few = {.files = most, .names = NAMES, .until = eb_now_s() + 0.5};
    return list_bounded(path, &few, job, out, status);
}
