/* part: writes one part of a table: its arrays, then its record. */
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "io/parts/array.h"
#include "io/parts/folder.h"
#include "io/parts/parts.h"

struct eb_part {
    eb_parts *parts;
    eb_part_record record; /* rows: wanted */
    size_t done;           /* rows written */
    uint32_t last;         /* of the listed rows */
    eb_array_out array[EB_PART_ARRAYS];
    bool failed, finished;
};

static eb_code open_arrays(eb_part *part, eb_status *status)
{
    static const struct {
        const char *type;
        size_t width;
    } of[EB_PART_ARRAYS] = {{"<i8", 8}, {"<i4", 4}, {"<f8", 8}, {"<i4", 4}};
    static const int64_t begin;
    const eb_distances kept = part->parts->table.kept;
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++) {
        bool narrow = k == EB_PART_DISTANCES && kept == EB_DISTANCES_F32;
        char name[EB_PARTS_NAME];
        if ((k == EB_PART_DISTANCES && !kept) || (k == EB_PART_POINTS && !part->record.listed))
            continue;
        (void)snprintf(name, sizeof name, EB_PARTS_ARRAY, part->record.number, eb_part_array_name[k]);
        EB_TRY(eb_array_open(part->parts->path, name, narrow ? "<f4" : of[k].type, narrow ? 4 : of[k].width,
                             &part->array[k], status));
    }
    return eb_array_write(&part->array[EB_PART_INDPTR], &begin, 1, NULL, status);
}

static eb_code open_part(eb_parts *parts, const eb_part_record *record, eb_part **out, eb_status *status)
{
    if (eb_parts_has(parts, record->number))
        return eb_fail(status, EB_INTERNAL, "%s: part %zu is there already", parts->path, record->number);
    eb_part *part = calloc(1, sizeof *part);
    if (!part)
        return eb_fail_memory(status, "a part", sizeof *part);
    part->parts = parts;
    part->record = *record;
    eb_code failed = open_arrays(part, status);
    if (failed)
        eb_part_abandon(part);
    else
        *out = part;
    return failed;
}

eb_code eb_part_open(eb_parts *parts, size_t first, size_t end, eb_part **out, eb_status *status)
{
    const eb_part_record record = {.number = first, .first = first, .rows = end - first};
    if (first >= end || end > parts->table.n)
        return eb_fail(status, EB_INTERNAL, "%s: a part of rows %zu to %zu of %zu", parts->path, first, end,
                       parts->table.n);
    return open_part(parts, &record, out, status);
}

eb_code eb_part_open_listed(eb_parts *parts, size_t number, size_t rows, eb_part **out, eb_status *status)
{
    const eb_part_record record = {.number = number, .rows = rows, .listed = true};
    if (rows == 0 || rows > parts->table.n)
        return eb_fail(status, EB_INTERNAL, "%s: a part of %zu of %zu rows", parts->path, rows, parts->table.n);
    return open_part(parts, &record, out, status);
}

static eb_code check_batch(const eb_part *part, const eb_neighbours *batch, const uint32_t *points, eb_status *status)
{
    const eb_parts_table *table = &part->parts->table;
    const eb_part_record *r = &part->record;
    if (part->failed || batch->n != table->n || batch->others != table->others || batch->kept != table->kept ||
        batch->first_row != r->first + part->done || batch->rows > r->rows - part->done ||
        r->listed != (points != NULL))
        return eb_fail(status, EB_INTERNAL, "%s: part %zu: rows %zu to %zu of %zu points come; expected row %zu",
                       part->parts->path, r->number, batch->first_row, batch->first_row + batch->rows, batch->n,
                       r->first + part->done);
    for (size_t k = 0; points && k < batch->rows; k++)
        if (points[k] >= table->n || (part->done + k > 0 && points[k] <= (k > 0 ? points[k - 1] : part->last)))
            return eb_fail(status, EB_INTERNAL, "%s: part %zu: listed rows do not ascend", part->parts->path,
                           r->number);
    return EB_OK;
}

static eb_code write_ends(eb_part *part, const eb_neighbours *batch, eb_job *job, eb_status *status)
{
    int64_t ends[1024];
    for (size_t r = 0; r < batch->rows;) {
        size_t count = 0;
        while (count < sizeof ends / sizeof ends[0] && r < batch->rows)
            ends[count++] = (int64_t)(part->record.entries + batch->offsets[++r]);
        EB_TRY(eb_array_write(&part->array[EB_PART_INDPTR], ends, count, job, status));
    }
    return EB_OK;
}

typedef struct writing {
    eb_part *part;
    const eb_neighbours *batch;
    const uint32_t *points;
} writing;

static eb_code write_array(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const writing *w = context;
    eb_array_out *to = &w->part->array[task];
    eb_job *job = w->part->parts->how.job;
    const size_t entries = (size_t)w->batch->offsets[w->batch->rows];
    (void)thread;
    if (!to->file)
        return EB_OK;
    if (task == EB_PART_INDPTR)
        return write_ends(w->part, w->batch, job, status);
    if (task == EB_PART_POINTS)
        return eb_array_write(to, w->points, w->batch->rows, job, status);
    const void *from = task == EB_PART_INDICES ? w->batch->columns : w->batch->any_distances;
    return eb_array_write(to, from, entries, job, status);
}

static eb_code write_batch(eb_part *part, const eb_neighbours *batch, const uint32_t *points, eb_status *status)
{
    const eb_parts_how *how = &part->parts->how;
    writing w = {part, batch, points};
    EB_TRY(check_batch(part, batch, points, status));
    EB_TRY(eb_parallel(how->threads ? how->threads : 1, EB_PART_ARRAYS, write_array, &w, how->job, status));
    part->record.entries += batch->offsets[batch->rows];
    part->done += batch->rows;
    if (points && batch->rows > 0)
        part->last = points[batch->rows - 1];
    return EB_OK;
}

eb_code eb_part_rows(eb_part *part, const eb_neighbours *batch, const uint32_t *points, eb_status *status)
{
    eb_code failed = write_batch(part, batch, points, status);
    part->failed = failed != EB_OK;
    return failed;
}

/* ---- completing ---- */

static eb_code finish_array(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    eb_part *part = context;
    return part->array[task].file ? eb_array_finish(&part->array[task], part->parts->how.job, status) : EB_OK;
}

static eb_code write_record(eb_part *part, eb_status *status)
{
    char name[EB_PARTS_NAME];
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++)
        part->record.array[k] = part->array[k].done;
    (void)snprintf(name, sizeof name, EB_PARTS_RECORD, part->record.number);
    json_t *text = eb_record_json(&part->parts->table, &part->record);
    eb_code failed = eb_json_write(part->parts->path, name, text, status);
    json_decref(text);
    return failed;
}

static eb_code complete(eb_part *part, eb_status *status)
{
    const eb_parts_how *how = &part->parts->how;
    if (part->failed || part->done != part->record.rows)
        return eb_fail(status, EB_INTERNAL, "%s: part %zu: %zu of %zu rows were written", part->parts->path,
                       part->record.number, part->done, part->record.rows);
    EB_TRY(eb_parallel(how->threads ? how->threads : 1, EB_PART_ARRAYS, finish_array, part, how->job, status));
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++)
        if (part->array[k].file)
            EB_TRY(eb_array_commit(&part->array[k], status));
    return write_record(part, status);
}

eb_code eb_part_finish(eb_part *part, eb_status *status)
{
    EB_TRY(complete(part, status));
    part->finished = true;
    return EB_OK;
}

eb_code eb_part_close(eb_part *part, eb_status *status)
{
    eb_code failed = part->finished ? EB_OK : eb_part_finish(part, status);
    if (!failed)
        failed = eb_parts_add(part->parts, &part->record, status);
    eb_part_abandon(part);
    return failed;
}

void eb_part_abandon(eb_part *part)
{
    if (!part)
        return;
    for (unsigned k = 0; k < EB_PART_ARRAYS; k++)
        eb_array_abandon(&part->array[k]);
    free(part);
}
