#include "io/save/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BUFFER_BYTES ((size_t)1 << 20)

eb_code eb_save_find_ending(const char *path, const char *known, size_t *index, eb_status *status)
{
    const size_t length = strlen(path);
    *index = 0;
    for (const char *at = known; *at; ++*index) {
        const size_t tail = strcspn(at, " ");
        if (length > tail && strncasecmp(path + length - tail, at, tail) == 0)
            return EB_OK;
        at += tail + (at[tail] == ' ');
    }
    return eb_fail(status, EB_USAGE, "%s: expected a name ending in one of %s", path, known);
}

eb_code eb_save_fail(const eb_saver *saver, int error, eb_status *status)
{
    return eb_fail_writing(saver->path, error, status);
}

/* On failure the stream keeps its smaller buffer. */
void eb_save_buffer(FILE *stream) { (void)setvbuf(stream, NULL, _IOFBF, BUFFER_BYTES); }

eb_code eb_save_open_part(eb_saver *saver, unsigned part, eb_status *status)
{
    EB_TRY(eb_new_file_scratch(saver->target, &saver->part[part], status));
    eb_save_buffer(saver->part[part]);
    return EB_OK;
}

eb_code eb_save_write(eb_saver *saver, FILE *to, const void *data, size_t bytes, eb_status *status)
{
    return bytes == 0 || fwrite(data, 1, bytes, to) == bytes ? EB_OK : eb_save_fail(saver, errno, status);
}

eb_code eb_save_seek(eb_saver *saver, FILE *in, uint64_t offset, eb_status *status)
{
    return fseeko(in, (off_t)offset, SEEK_SET) == 0 ? EB_OK : eb_save_fail(saver, errno, status);
}

eb_code eb_save_append_part(eb_saver *saver, unsigned part, eb_status *status)
{
    FILE *from = saver->part[part];
    eb_code failed = eb_save_seek(saver, from, 0, status); /* also flushes the stream */
    unsigned char *buffer = malloc(BUFFER_BYTES);
    if (!failed && !buffer)
        failed = eb_fail_memory(status, "copying a file", BUFFER_BYTES);
    while (!failed && (failed = eb_job_check(saver->job, status)) == EB_OK) {
        size_t count = fread(buffer, 1, BUFFER_BYTES, from);
        if (count == 0 && ferror(from))
            failed = eb_fail(status, EB_IO, "%s: cannot read back what was written: %s", saver->path, strerror(errno));
        if (count == 0)
            break;
        failed = eb_save_write(saver, saver->file, buffer, count, status);
    }
    free(buffer);
    saver->part[part] = NULL;
    if (fclose(from) != 0 && !failed)
        failed = eb_save_fail(saver, errno, status);
    return failed;
}

void eb_save_npy_header(char header[EB_NPY_HEADER], const char *type, const char *shape)
{
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, EB_NPY_HEADER - 10, 0};
    memset(header, ' ', EB_NPY_HEADER);
    memcpy(header, magic, sizeof magic);
    int length = snprintf(header + sizeof magic, EB_NPY_HEADER - sizeof magic,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    header[sizeof magic + (size_t)length] = ' ';
    header[EB_NPY_HEADER - 1] = '\n';
}

eb_code eb_save_row_ends(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                         eb_status *status)
{
    int64_t ends[512];
    for (size_t r = begin; r < end;) {
        size_t count = 0;
        while (count < sizeof ends / sizeof ends[0] && r < end)
            ends[count++] = (int64_t)(saver->entries + (batch->offsets[++r] - batch->offsets[begin]));
        EB_TRY(eb_save_write(saver, to, ends, count * sizeof *ends, status));
    }
    return EB_OK;
}

eb_code eb_save_distances(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                          eb_status *status)
{
    uint64_t first = batch->offsets[begin], entries = batch->offsets[end] - first;
    return eb_save_write(saver, to, eb_neighbours_distances_from(batch, first),
                         (size_t)entries * eb_distances_width(batch->kept), status);
}

eb_code eb_save_label_numbers(eb_saver *saver, FILE *to, eb_status *status)
{
    /* There are fewer names than points, so each number fits an int32. */
    return eb_save_write(saver, to, saver->labels->of, saver->labels->points * sizeof *saver->labels->of, status);
}

eb_code eb_save_label_names(eb_saver *saver, FILE *to, eb_status *status)
{
    size_t size = eb_labels_longest(saver->labels);
    char *name = malloc(size + 1);
    if (!name)
        return eb_fail_memory(status, "labels", size);
    eb_code failed = EB_OK;
    for (size_t k = 0; k < saver->labels->names && !failed; k++) {
        memset(name, 0, size);
        memcpy(name, saver->labels->name[k], strlen(saver->labels->name[k]));
        failed = eb_save_write(saver, to, name, size, status);
    }
    free(name);
    return failed;
}
