#include "io/save/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct eb_label_file {
    eb_new_file *target;
    bool numpy;
    char path[]; /* as given: for messages */
};

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcasecmp(path + length - tail, end) == 0;
}

eb_code eb_label_file_open(const char *path, eb_label_file **out, eb_status *status)
{
    size_t length = strlen(path) + 1;
    bool numpy = ends_in(path, ".npy");
    if (!numpy && !ends_in(path, ".csv"))
        return eb_fail(status, EB_USAGE, "%s: the name's end tells the labels' format; known are .npy .csv", path);
    eb_label_file *file = malloc(sizeof *file + length);
    if (!file)
        return eb_fail_memory(status, "saving", sizeof *file + length);
    file->numpy = numpy;
    memcpy(file->path, path, length);
    eb_code failed = eb_new_file_open(path, &file->target, status);
    if (failed)
        free(file);
    else
        *out = file;
    return failed;
}

void eb_label_file_abandon(eb_label_file *file)
{
    if (!file)
        return;
    eb_new_file_abandon(file->target);
    free(file);
}

/* Writes a .npy header of version 1: magic, version, length, and a dictionary that ends in a newline; its size is a
 * multiple of 64. The labels follow. */
static bool write_numpy(FILE *to, const eb_dbscan *found)
{
    enum { HEADER = 128, FIXED = 10 };
    char header[HEADER + 1];
    const unsigned char begin[FIXED] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER - FIXED, 0};
    int used = snprintf(header, sizeof header, "{'descr': '<i4', 'fortran_order': False, 'shape': (%zu,), }", found->n);
    memset(header + used, ' ', (size_t)(HEADER - FIXED - 1 - used));
    header[HEADER - FIXED - 1] = '\n';
    return fwrite(begin, 1, FIXED, to) == FIXED && fwrite(header, 1, HEADER - FIXED, to) == HEADER - FIXED &&
           fwrite(found->label, sizeof *found->label, found->n, to) == found->n;
}

static bool write_csv(FILE *to, const eb_dbscan *found)
{
    bool well = fputs("point,label,neighbours,core\n", to) >= 0;
    for (size_t i = 0; i < found->n && well; i++)
        well = fprintf(to, "%zu,%d,%u,%d\n", i, found->label[i], found->neighbours[i],
                       eb_dbscan_is_core(found, i) ? 1 : 0) > 0;
    return well;
}

eb_code eb_label_file_write(eb_label_file *file, const eb_dbscan *found, eb_status *status)
{
    FILE *to = eb_new_file_stream(file->target);
    errno = 0;
    eb_code failed =
        (file->numpy ? write_numpy : write_csv)(to, found) ? EB_OK : eb_fail_writing(file->path, errno, status);
    if (failed) {
        eb_label_file_abandon(file);
        return failed;
    }
    failed = eb_new_file_commit(file->target, status);
    free(file);
    return failed;
}
