#include "io/save/save.h"

#include <stdlib.h>
#include <string.h>

#include "io/save/format.h"

/* ---- opening ---- */

eb_code eb_saver_open(const char *path, size_t n, eb_distances kept, eb_saver **out, eb_status *status)
{
    static const eb_save_format *const formats[] = {&eb_save_npz,  &eb_save_ivecs, &eb_save_csv,
                                                    &eb_save_hdf5, &eb_save_hdf5,  &eb_save_range};
    size_t index;
    EB_TRY(eb_save_find_ending(path, ".npz .ivecs .csv .h5 .hdf5 .range", &index, status));
    const eb_save_format *format = formats[index];
    if (format->needs_distances && !kept)
        return eb_fail(status, EB_USAGE, "%s: the %s format needs distances, but the table has none; .ivecs needs none",
                       path, strrchr(path, '.') + 1);
    if (n == 0 || n > EB_MAX_POINTS)
        return eb_fail(status, EB_INTERNAL, "%s: a table of %zu points", path, n);
    eb_saver *saver = calloc(1, sizeof *saver);
    if (!saver)
        return eb_fail_memory(status, "saving", sizeof *saver);
    saver->format = format;
    saver->n = n;
    saver->distances = kept;
    saver->path = strdup(path);
    if (!saver->path) {
        free(saver);
        return eb_fail_memory(status, "a file's name", strlen(path));
    }
    eb_code failed = eb_new_file_open(path, &saver->target, status);
    if (failed) {
        eb_saver_abandon(saver);
        return failed;
    }
    saver->file = eb_new_file_stream(saver->target);
    eb_save_buffer(saver->file);
    *out = saver;
    return EB_OK;
}

static eb_code check_batch(const eb_saver *saver, const eb_neighbours *batch, eb_status *status)
{
    if (saver->failed)
        return eb_fail(status, EB_INTERNAL, "%s: writing goes on after a failure", saver->path);
    if (batch->n != saver->n || batch->first_row != saver->rows || batch->rows > saver->n - saver->rows)
        return eb_fail(status, EB_INTERNAL, "%s: rows %zu to %zu of %zu points come; expected row %zu of %zu",
                       saver->path, batch->first_row, batch->first_row + batch->rows, batch->n, saver->rows, saver->n);
    if (batch->kept != saver->distances)
        return eb_fail(status, EB_INTERNAL, "%s: distances are kept as %s; expected %s", saver->path,
                       eb_distances_name(batch->kept), eb_distances_name(saver->distances));
    return EB_OK;
}

/* ---- facts and labels ---- */

eb_facts *eb_saver_facts(eb_saver *saver) { return &saver->facts; }

void eb_saver_label(eb_saver *saver, const eb_labels *labels) { saver->labels = labels; }

bool eb_saver_tells(const eb_saver *saver) { return saver->format->tells; }

/* ---- rows ---- */

void eb_saver_watch(eb_saver *saver, eb_job *job) { saver->job = job; }

/* A piece ends at some ten thousand rows or entries: a few milliseconds even as text. */
static size_t piece_end(const eb_neighbours *batch, size_t begin)
{
    const size_t enough = 16384;
    size_t end = begin + 1;
    while (end < batch->rows && end - begin < enough && batch->offsets[end] - batch->offsets[begin] < enough)
        end++;
    return end;
}

eb_code eb_saver_rows(eb_saver *saver, const eb_neighbours *batch, eb_status *status)
{
    eb_code failed = check_batch(saver, batch, status);
    if (!failed && !saver->begun) {
        saver->begun = true;
        failed = saver->format->begin ? saver->format->begin(saver, status) : EB_OK;
    }
    for (size_t begin = 0, end; !failed && begin < batch->rows; begin = end) {
        end = piece_end(batch, begin);
        failed = eb_job_check(saver->job, status);
        if (!failed)
            failed = saver->format->rows(saver, batch, begin, end, status);
        if (!failed) {
            saver->rows += end - begin;
            saver->entries += batch->offsets[end] - batch->offsets[begin];
            eb_job_advance(saver->job, end - begin);
        }
    }
    saver->failed = failed != EB_OK;
    return failed;
}

eb_code eb_saver_close(eb_saver *saver, eb_status *status)
{
    eb_code failed = EB_OK;
    if (saver->failed || saver->rows != saver->n)
        failed = eb_fail(status, EB_INTERNAL, "%s: %zu of %zu rows were written", saver->path, saver->rows, saver->n);
    if (!failed && saver->format->end) {
        eb_job_phase(saver->job, "completing", 0);
        failed = saver->format->end(saver, status);
    }
    if (!failed) {
        failed = eb_new_file_commit(saver->target, status);
        saver->target = NULL;
    }
    eb_saver_abandon(saver);
    return failed;
}

void eb_saver_abandon(eb_saver *saver)
{
    if (!saver)
        return;
    for (unsigned k = 0; k < EB_SAVE_PARTS; k++)
        if (saver->part[k])
            (void)fclose(saver->part[k]);
    eb_new_file_abandon(saver->target);
    eb_facts_free(&saver->facts);
    free(saver->path);
    free(saver);
}
