#include "io/parts/stored.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "io/files/files.h"
#include "io/parts/record.h"
#include "io/save/format.h"

/* A part with its arrays in memory, without their headers. */
typedef struct view {
    eb_file file[EB_PART_ARRAYS];
    const int64_t *indptr;  /* [rows + 1] */
    const int32_t *columns; /* [entries] */
    const void *distances;
    const int32_t *points; /* NULL: consecutive rows */
    size_t at;             /* rows passed on */
} view;

struct eb_stored {
    char *path;
    eb_parts_index index;
    view *view; /* [index.parts] */
};

const char *eb_stored_path(const eb_stored *stored) { return stored->path; }
const eb_parts_table *eb_stored_table(const eb_stored *stored) { return &stored->index.table; }
uint64_t eb_stored_entries(const eb_stored *stored) { return stored->index.entries; }
size_t eb_stored_parts(const eb_stored *stored) { return stored->index.parts; }

uint64_t eb_stored_bytes(const eb_stored *stored)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < stored->index.parts; k++)
        for (unsigned a = 0; a < EB_PART_ARRAYS; a++)
            bytes += stored->index.part[k].array[a].bytes;
    return bytes;
}

/* ---- opening ---- */

static eb_code map_file(const eb_stored *stored, const eb_array_file *about, eb_file *out, eb_status *status)
{
    eb_status why = {.message = ""};
    char *path = eb_parts_path(stored->path, about->name);
    if (!path)
        return eb_fail_memory(status, "a file's name", strlen(stored->path));
    eb_code failed = eb_file_glance(path, path, out, &why);
    if (failed)
        failed = eb_fail(status, failed == EB_NO_MEMORY ? EB_NO_MEMORY : EB_BAD_FORMAT,
                         "%s; the index names this file, so the table is damaged", why.message);
    else if (out->size != about->bytes)
        failed = eb_fail(status, EB_BAD_FORMAT, "%s: expected %llu bytes as the index says, found %zu", path,
                         (unsigned long long)about->bytes, out->size);
    free(path);
    return failed;
}

/* The items after the header, which must be exactly the one that epsbench writes. */
static eb_code items_of(const eb_file *file, const char *type, size_t width, uint64_t count, const void **out,
                        eb_status *status)
{
    char header[EB_NPY_HEADER], shape[32];
    (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)count);
    eb_save_npy_header(header, type, shape);
    if (file->size < sizeof header || file->size - sizeof header != count * width ||
        memcmp(file->data, header, sizeof header) != 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: expected a NumPy array of %llu items of type %s", file->path,
                       (unsigned long long)count, type);
    *out = file->data + sizeof header;
    return EB_OK;
}

static eb_code open_part(const eb_stored *stored, size_t k, eb_status *status)
{
    const eb_part_record *part = &stored->index.part[k];
    const eb_distances kept = stored->index.table.kept;
    view *v = &stored->view[k];
    const void *items = NULL;
    for (unsigned a = 0; a < EB_PART_ARRAYS; a++)
        if (part->array[a].name[0])
            EB_TRY(map_file(stored, &part->array[a], &v->file[a], status));
    EB_TRY(items_of(&v->file[EB_PART_INDPTR], "<i8", 8, part->rows + (uint64_t)1, &items, status));
    v->indptr = items;
    EB_TRY(items_of(&v->file[EB_PART_INDICES], "<i4", 4, part->entries, &items, status));
    v->columns = items;
    if (kept)
        EB_TRY(items_of(&v->file[EB_PART_DISTANCES], kept == EB_DISTANCES_F32 ? "<f4" : "<f8", eb_distances_width(kept),
                        part->entries, &v->distances, status));
    if (part->listed) {
        EB_TRY(items_of(&v->file[EB_PART_POINTS], "<i4", 4, part->rows, &items, status));
        v->points = items;
    }
    return EB_OK;
}

static eb_code open_all(eb_stored *stored, eb_status *status)
{
    const eb_parts_index *index = &stored->index;
    eb_code failed = eb_index_read(stored->path, &stored->index, status);
    if (failed == EB_NOT_FOUND)
        return eb_fail(status, EB_NOT_FOUND,
                       "%s: expected index.json of a finished table; the command that began the table goes on with it",
                       stored->path);
    if (failed)
        return failed;
    stored->view = calloc(index->parts, sizeof *stored->view);
    if (!stored->view)
        return eb_fail_memory(status, "the parts of a table", index->parts * sizeof *stored->view);
    for (size_t k = 0; k < index->parts && !failed; k++)
        failed = open_part(stored, k, status);
    return failed ? failed : eb_records_check_rows(stored->path, &index->table, index->part, index->parts, status);
}

eb_code eb_stored_open(const char *path, eb_stored **out, eb_status *status)
{
    eb_stored *stored = calloc(1, sizeof *stored);
    if (!stored || !(stored->path = strdup(path))) {
        free(stored);
        return eb_fail_memory(status, "a table in parts", sizeof *stored);
    }
    eb_code failed = open_all(stored, status);
    if (failed)
        eb_stored_close(stored);
    else
        *out = stored;
    return failed;
}

void eb_stored_close(eb_stored *stored)
{
    if (!stored)
        return;
    for (size_t k = 0; stored->view && k < stored->index.parts; k++)
        for (unsigned a = 0; a < EB_PART_ARRAYS; a++)
            eb_file_close(&stored->view[k].file[a]);
    free(stored->view);
    eb_index_free(&stored->index);
    free(stored->path);
    free(stored);
}

/* ---- checksums ---- */

typedef struct verifying {
    const eb_stored *stored;
    eb_job *job;
} verifying;

static eb_code verify_file(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const verifying *w = context;
    const size_t k = (size_t)(task / EB_PART_ARRAYS), a = (size_t)(task % EB_PART_ARRAYS), at_once = (size_t)1 << 20;
    const eb_file *file = &w->stored->view[k].file[a];
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[2 * SHA256_DIGEST_SIZE + 1];
    if (!file->data)
        return EB_OK;
    sha256_init(&sha);
    for (size_t done = 0; done < file->size; done += at_once) {
        size_t some = file->size - done < at_once ? file->size - done : at_once;
        EB_TRY(eb_job_check(w->job, status));
        sha256_update(&sha, some, file->data + done);
        eb_job_advance(w->job, some);
    }
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t b = 0; b < sizeof digest; b++)
        (void)snprintf(text + 2 * b, 3, "%02x", digest[b]);
    if (strcmp(text, w->stored->index.part[k].array[a].sha256) != 0)
        return eb_fail(status, EB_BAD_FORMAT,
                       "%s: expected the SHA-256 %.16s… that the index has, found %.16s…; the file is damaged",
                       file->path, w->stored->index.part[k].array[a].sha256, text);
    return EB_OK;
}

eb_code eb_stored_verify(const eb_stored *stored, unsigned threads, eb_job *job, eb_status *status)
{
    verifying w = {stored, job};
    eb_job_phase(job, "checking checksums", eb_stored_bytes(stored));
    return eb_parallel(threads ? threads : 1, stored->index.parts * EB_PART_ARRAYS, verify_file, &w, job, status);
}

/* ---- facts ---- */

static const json_t *facts_of(const eb_stored *stored) { return json_object_get(stored->index.text, "provenance"); }

const char *eb_stored_fact(const eb_stored *stored, const char *key)
{
    return json_string_value(json_object_get(facts_of(stored), key));
}

eb_code eb_stored_tell(const eb_stored *stored, eb_facts *facts, eb_status *status)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)facts_of(stored), key, value)
    {
        if (json_is_string(value))
            EB_TRY(eb_facts_tell(facts, key, json_string_value(value), status));
        else if (json_is_number(value))
            EB_TRY(eb_facts_tell_number(facts, key, json_number_value(value), status));
    }
    return EB_OK;
}

/* ---- rows ---- */

/* The parts as a heap, the one with the lowest next row first. */
typedef struct merging {
    const eb_stored *stored;
    size_t *heap, count;
    size_t row; /* the next row of the table */
} merging;

static size_t next_row(const merging *m, size_t part)
{
    const view *v = &m->stored->view[part];
    return v->points ? (size_t)(uint32_t)v->points[v->at] : m->stored->index.part[part].first + v->at;
}

static void sift(merging *m, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < m->count; at = child) {
        if (child + 1 < m->count && next_row(m, m->heap[child + 1]) < next_row(m, m->heap[child]))
            child++;
        if (next_row(m, m->heap[at]) <= next_row(m, m->heap[child]))
            return;
        size_t part = m->heap[at];
        m->heap[at] = m->heap[child];
        m->heap[child] = part;
    }
}

static eb_code fail_row(const merging *m, const view *v, const char *expected, eb_status *status)
{
    return eb_fail(status, EB_BAD_FORMAT, "%s: row %zu: expected %s", v->file[EB_PART_INDPTR].path, m->row, expected);
}

/* Copies row `at` of the view behind the table's last row. */
static eb_code copy_row(const merging *m, const view *v, eb_neighbours *to, eb_status *status)
{
    const size_t width = eb_distances_width(to->kept), begin = (size_t)v->indptr[v->at];
    const size_t count = (size_t)v->indptr[v->at + 1] - begin;
    const uint64_t used = to->offsets[to->rows];
    uint32_t *columns = to->columns + used;
    bool self = !to->self;
    memcpy(columns, v->columns + begin, count * sizeof *columns);
    for (size_t k = 0; k < count; k++) {
        if (columns[k] >= to->others || (k > 0 && columns[k] <= columns[k - 1]))
            return fail_row(m, v, "ascending columns that are points", status);
        self |= columns[k] == m->row;
    }
    if (!self)
        return fail_row(m, v, "the point itself among its neighbours", status);
    if (width)
        memcpy(eb_neighbours_distances_from(to, used), (const char *)v->distances + begin * width, count * width);
    to->offsets[++to->rows] = used + count;
    return EB_OK;
}

/* The length of the next row of the view; EB_BAD_FORMAT if its ends are not those of a row. */
static eb_code row_length(const merging *m, size_t part, size_t *count, eb_status *status)
{
    const view *v = &m->stored->view[part];
    int64_t begin = v->indptr[v->at], end = v->indptr[v->at + 1];
    if (begin < 0 || end < begin || (uint64_t)end > m->stored->index.part[part].entries)
        return fail_row(m, v, "ends that ascend", status);
    *count = (size_t)(end - begin);
    return EB_OK;
}

static void drop_ended(merging *m)
{
    size_t part = m->heap[0];
    if (m->stored->view[part].at == m->stored->index.part[part].rows)
        m->heap[0] = m->heap[--m->count];
    sift(m, 0);
}

/* Fills a batch with the next rows until no further row fits. */
static eb_code fill(merging *m, eb_neighbours *batch, size_t rows, uint64_t entries, eb_status *status)
{
    while (m->count > 0 && batch->rows < rows) {
        size_t part = m->heap[0], count;
        view *v = &m->stored->view[part];
        EB_TRY(row_length(m, part, &count, status));
        if (count > entries - batch->offsets[batch->rows])
            break;
        EB_TRY(copy_row(m, v, batch, status));
        v->at++;
        m->row++;
        drop_ended(m);
    }
    return EB_OK;
}

static eb_code next_batch(merging *m, uint64_t room, eb_neighbours **out, eb_status *status)
{
    const eb_parts_table *table = &m->stored->index.table;
    const size_t entry = sizeof(uint32_t) + eb_distances_width(table->kept), left = table->n - m->row;
    size_t rows = (size_t)(room / 4 / sizeof(uint64_t)) + 1, count;
    uint64_t entries = room / 4 * 3 / entry;
    rows = rows < left ? rows : left;
    EB_TRY(row_length(m, m->heap[0], &count, status));
    entries = entries > count ? entries : count;
    EB_TRY(eb_neighbours_new(table->n, m->row, rows, entries, table->kept, out, status));
    (*out)->others = table->others;
    (*out)->self = table->self;
    (*out)->rows = 0;
    eb_code failed = fill(m, *out, rows, entries, status);
    if (failed)
        eb_neighbours_free(*out);
    return failed;
}

eb_code eb_stored_rows(const eb_stored *stored, uint64_t room, eb_batch_consumer consumer, void *context, eb_job *job,
                       eb_status *status)
{
    merging m = {.stored = stored, .heap = calloc(stored->index.parts, sizeof *m.heap), .count = stored->index.parts};
    if (!m.heap)
        return eb_fail_memory(status, "the parts of a table", stored->index.parts * sizeof *m.heap);
    for (size_t k = 0; k < m.count; k++) {
        m.heap[k] = k;
        stored->view[k].at = 0;
    }
    for (size_t k = m.count; k-- > 0;)
        sift(&m, k);
    eb_code failed = EB_OK;
    while (m.count > 0 && !failed) {
        eb_neighbours *batch = NULL;
        failed = eb_job_check(job, status);
        if (!failed)
            failed = next_batch(&m, room, &batch, status);
        if (!failed)
            failed = consumer(context, batch, status);
    }
    free(m.heap);
    return failed;
}
