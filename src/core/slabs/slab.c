/* slab: reads the points of one slab, and translates tables of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/slabs/slabs.h"

enum { ROWS_A_TASK = 4096 };

static eb_code read_at(const eb_slab_file *file, void *out, size_t bytes, uint64_t at, eb_status *status)
{
    char *to = out;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file->fd, to + done, bytes - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return eb_fail(status, EB_IO, "%s: cannot read the slabs' points beside it: %s", file->path,
                           got == 0 ? "the file is too short" : strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    return EB_OK;
}

eb_code eb_slab_load(eb_slab_plan *plan, const eb_slab_file *file, const eb_dataset *ds, size_t slab, eb_slab *out,
                     eb_status *status)
{
    const size_t row_bytes = ds->d * eb_dtype_size(ds->dtype), own = plan->own[slab], n = own + file->halo[slab];
    const uint64_t numbers = file->offset[slab] + (uint64_t)(own + plan->halo[slab]) * row_bytes;
    unsigned char *rows = malloc(n * row_bytes);
    *out = (eb_slab){.own = own, .row = malloc(n * sizeof *out->row)};
    out->points = (eb_dataset){.n = n,
                               .d = ds->d,
                               .dtype = ds->dtype,
                               .rows = rows,
                               .stride = row_bytes,
                               .greatest = ds->greatest,
                               .least = ds->least,
                               .source = ds->source,
                               .format = ds->format};
    if (!rows || !out->row) {
        eb_slab_free(out);
        return eb_fail_memory(status, "the points of a slab", n * (row_bytes + sizeof *out->row));
    }
    eb_code failed = read_at(file, rows, n * row_bytes, file->offset[slab], status);
    if (!failed)
        failed = read_at(file, out->row, n * sizeof *out->row, numbers, status);
    plan->read += n * (row_bytes + sizeof *out->row);
    if (failed)
        eb_slab_free(out);
    return failed;
}

void eb_slab_free(eb_slab *slab)
{
    free((void *)(uintptr_t)slab->points.rows);
    free(slab->row);
    *slab = (eb_slab){.row = NULL};
}

/* ---- translating ---- */

typedef struct translating {
    const eb_slab *slab;
    eb_neighbours *table;
    size_t longest;
    uint32_t *columns; /* [threads][longest] */
    char *distances;   /* [threads][longest] of the table's width */
} translating;

/* The columns of owned points ascend, and so do those of the halo behind them: both runs are merged. */
static void translate_row(const translating *t, size_t r, unsigned thread)
{
    const eb_slab *slab = t->slab;
    const size_t width = eb_distances_width(t->table->kept);
    const size_t count = (size_t)(t->table->offsets[r + 1] - t->table->offsets[r]);
    uint32_t *columns = t->table->columns + t->table->offsets[r], *merged = t->columns + thread * t->longest;
    char *distances = eb_neighbours_distances_from(t->table, t->table->offsets[r]);
    char *moved = t->distances + thread * t->longest * width;
    size_t owned = 0;
    while (owned < count && columns[owned] < slab->own)
        owned++;
    for (size_t k = 0, a = 0, b = owned; k < count; k++) {
        size_t from = b == count || (a < owned && slab->row[columns[a]] < slab->row[columns[b]]) ? a++ : b++;
        merged[k] = slab->row[columns[from]];
        if (width)
            memcpy(moved + k * width, distances + from * width, width);
    }
    memcpy(columns, merged, count * sizeof *columns);
    if (width)
        memcpy(distances, moved, count * width);
}

static eb_code translate_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const translating *t = context;
    const size_t begin = (size_t)task * ROWS_A_TASK, left = t->table->rows - begin;
    for (size_t r = begin, end = begin + (left < ROWS_A_TASK ? left : ROWS_A_TASK); r < end; r++)
        translate_row(t, r, thread);
    return EB_OK;
}

eb_code eb_slab_translate(const eb_slab *slab, size_t n, eb_neighbours *table, unsigned threads, eb_job *job,
                          eb_status *status)
{
    const size_t width = eb_distances_width(table->kept);
    translating t = {.slab = slab, .table = table};
    if (table->first_row + table->rows > slab->own)
        return eb_fail(status, EB_INTERNAL, "rows %zu to %zu of a slab that owns %zu points", table->first_row,
                       table->first_row + table->rows, slab->own);
    for (size_t r = 0; r < table->rows; r++) {
        const size_t count = (size_t)(table->offsets[r + 1] - table->offsets[r]);
        t.longest = count > t.longest ? count : t.longest;
    }
    t.columns = malloc(((size_t)threads * t.longest + 1) * sizeof *t.columns);
    t.distances = malloc((size_t)threads * t.longest * width + 1);
    eb_code failed = t.columns && t.distances
                         ? EB_OK
                         : eb_fail_memory(status, "the rows of a slab", threads * t.longest * (width + 4));
    if (!failed)
        failed = eb_parallel(threads, (table->rows + ROWS_A_TASK - 1) / ROWS_A_TASK, translate_rows, &t, job, status);
    free(t.columns);
    free(t.distances);
    table->n = table->others = n;
    return failed;
}
