/* Whole rows, from an engine that builds them itself (a GPU). They come from a buffer that the engine fills again, so
 * they are copied, and all that has to be done to them is done on the way, by all threads: s becomes the distance,
 * every row is checked. The first touch of the table's memory is there too, which on large tables costs more than the
 * copy. */
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/join/neighbours_builder.h"

eb_code eb_builder_check_row(const eb_neighbours *table, size_t r, eb_status *status)
{
    const uint32_t *columns = table->columns + table->offsets[r];
    size_t count = (size_t)(table->offsets[r + 1] - table->offsets[r]);
    size_t self = table->first_row + r, seen = 0;
    bool ascending = true;
    for (size_t k = 0; k < count; k++)
        seen += columns[k] == self;
    for (size_t k = 1; k < count; k++)
        ascending &= columns[k - 1] < columns[k];
    if (ascending && (seen == 1 || !table->self) && (count == 0 || columns[count - 1] < table->others))
        return EB_OK;
    return eb_fail(status, EB_INTERNAL, "the engine's row %zu is %s", self,
                   !ascending                 ? "not ascending: a pair comes twice"
                   : seen != 1 && table->self ? "without the point itself"
                                              : "with a column beyond the points");
}

eb_code eb_builder_new_table(const eb_neighbours_builder *builder, uint64_t entries, eb_neighbours **out,
                             eb_status *status)
{
    eb_code failed =
        eb_neighbours_new(builder->n, builder->row_begin, builder->rows, entries, builder->distances, out, status);
    if (!failed) {
        (*out)->others = builder->others;
        (*out)->self = builder->self;
    }
    return failed;
}

/* The rows are some that are still missing, behind those that are done. */
static eb_code check_offsets(const eb_neighbours_builder *builder, size_t first_row, size_t rows,
                             const uint64_t *offsets, eb_status *status)
{
    size_t done = builder->row_begin + builder->rows_done, end = builder->row_begin + builder->rows;
    if (first_row < done || first_row > end || rows > end - first_row)
        return eb_fail(status, EB_INTERNAL, "the engine gives rows %zu to %zu; those from %zu to %zu are missing",
                       first_row, first_row + rows, done, end);
    for (size_t r = 0; r < rows; r++)
        if (offsets[0] != 0 || offsets[r + 1] < offsets[r] || offsets[r + 1] - offsets[r] > builder->others)
            return eb_fail(status, EB_INTERNAL, "the engine gives row %zu from entry %llu to %llu of %zu points",
                           first_row + r, (unsigned long long)offsets[r], (unsigned long long)offsets[r + 1],
                           builder->others);
    return EB_OK;
}

/* ---- room ---- */

static eb_code grow_to(eb_neighbours_builder *builder, uint64_t capacity, uint64_t kept, eb_status *status)
{
    eb_neighbours *table = builder->growing;
    uint64_t needed = eb_neighbours_bytes(builder->rows, kept, builder->distances) +
                      eb_neighbours_bytes(0, capacity, builder->distances) + builder->early_bytes;
    if (builder->memory_limit && needed > builder->memory_limit)
        return eb_builder_fail_limit(builder, needed, status);
    if (capacity > SIZE_MAX / sizeof(double))
        return eb_fail_memory(status, "the neighbour table", needed);
    uint32_t *columns = realloc(table->columns, (size_t)capacity * sizeof *columns);
    if (!columns)
        return eb_fail_memory(status, "the neighbour table's columns", capacity * sizeof *columns);
    table->columns = columns;
    if (table->kept) {
        size_t bytes = (size_t)capacity * eb_distances_width(table->kept);
        void *distances = realloc(table->any_distances, bytes);
        if (!distances)
            return eb_fail_memory(status, "the neighbour table's distances", bytes);
        table->any_distances = distances;
    }
    builder->capacity = capacity;
    return EB_OK;
}

/* Grows by a quarter, so that old and new array together stay below what eb_neighbours_build_bytes says. */
static eb_code make_room(eb_neighbours_builder *builder, uint64_t entries, eb_status *status)
{
    uint64_t before = builder->capacity;
    if (entries <= before)
        return EB_OK;
    return grow_to(builder, before + before / 4 > entries ? before + before / 4 : entries, before, status);
}

static eb_code begin_table(eb_neighbours_builder *builder, uint64_t entries, eb_status *status)
{
    eb_code failed = eb_builder_agree_on_feed(builder, EB_FEED_ROWS, status);
    if (failed || builder->growing)
        return failed;
    uint64_t needed = eb_neighbours_bytes(builder->rows, entries, builder->distances);
    if (builder->memory_limit && needed > builder->memory_limit)
        return eb_builder_fail_limit(builder, needed, status);
    builder->capacity = entries ? entries : 1;
    return eb_builder_new_table(builder, entries, &builder->growing, status);
}

eb_code eb_builder_expect(void *context, uint64_t entries, eb_status *status)
{
    eb_neighbours_builder *builder = context;
    (void)pthread_mutex_lock(&builder->lock);
    eb_code failed = begin_table(builder, entries, status);
    (void)pthread_mutex_unlock(&builder->lock);
    return failed;
}

/* ---- copying ---- */

typedef struct copying {
    eb_neighbours *table;
    size_t first, end; /* rows of the table */
    uint64_t before;   /* entries before them */
    const uint32_t *columns;
    const double *s;
    double unit; /* of distances */
    size_t rows_per_task;
} copying;

static eb_code copy_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const copying *c = context;
    eb_neighbours *table = c->table;
    size_t begin = c->first + (size_t)task * c->rows_per_task;
    size_t end = c->end - begin < c->rows_per_task ? c->end : begin + c->rows_per_task;
    uint64_t at = table->offsets[begin], entries = table->offsets[end] - at;
    memcpy(table->columns + at, c->columns + (at - c->before), (size_t)entries * sizeof *table->columns);
    for (size_t r = begin; r < end; r++) {
        EB_TRY(eb_builder_check_row(table, r, status));
        for (uint64_t k = table->offsets[r]; table->kept && k < table->offsets[r + 1]; k++) {
            bool itself = table->self && table->columns[k] == table->first_row + r;
            eb_neighbours_set_distance(table, k, itself ? 0 : eb_distance_of(c->s[k - c->before], c->unit));
        }
    }
    return EB_OK;
}

/* The rows that come next. */
static eb_code append_rows(eb_neighbours_builder *builder, size_t rows, const uint64_t *offsets,
                           const uint32_t *columns, const double *s, eb_status *status)
{
    enum { ENTRIES_A_THREAD = 1 << 15 }; /* fewer are copied sooner than a thread starts */
    uint64_t before = atomic_load_explicit(&builder->entries, memory_order_relaxed), more = offsets[rows];
    EB_TRY(make_room(builder, before + more, status));
    eb_neighbours *table = builder->growing;
    for (size_t r = 0; r < rows; r++)
        table->offsets[builder->rows_done + r + 1] = before + offsets[r + 1];
    uint64_t useful = more / ENTRIES_A_THREAD;
    unsigned threads = useful < builder->threads ? (unsigned)useful + 1 : builder->threads;
    uint64_t tasks = more / EB_ENTRIES_A_TASK > threads ? more / EB_ENTRIES_A_TASK : threads;
    copying c = {.table = table,
                 .unit = builder->unit,
                 .first = builder->rows_done,
                 .end = builder->rows_done + rows,
                 .before = before,
                 .columns = columns,
                 .s = s,
                 .rows_per_task = (size_t)((rows + tasks - 1) / tasks)};
    EB_TRY(eb_parallel(threads, (rows + c.rows_per_task - 1) / c.rows_per_task, copy_rows, &c, NULL, status));
    builder->rows_done += rows;
    atomic_store_explicit(&builder->entries, before + more, memory_order_relaxed);
    return EB_OK;
}

/* ---- rows that come before their turn ---- */

static eb_code keep_early(eb_neighbours_builder *builder, size_t first_row, size_t rows, const uint64_t *offsets,
                          const uint32_t *columns, const double *s, eb_status *status)
{
    size_t entries = (size_t)offsets[rows], distances = builder->distances ? entries : 0;
    size_t bytes =
        sizeof(eb_early_rows) + (rows + 1) * sizeof *offsets + distances * sizeof *s + entries * sizeof *columns;
    uint64_t needed =
        eb_neighbours_bytes(builder->rows, builder->capacity, builder->distances) + builder->early_bytes + bytes;
    if (builder->memory_limit && needed > builder->memory_limit)
        return eb_builder_fail_limit(builder, needed, status);
    eb_early_rows *early = malloc(bytes);
    if (!early)
        return eb_fail_memory(status, "rows that wait for others", bytes);
    *early = (eb_early_rows){.first_row = first_row, .rows = rows, .bytes = bytes, .offsets = (void *)(early + 1)};
    early->s = (void *)(early->offsets + rows + 1);
    early->columns = (void *)(early->s + distances);
    memcpy(early->offsets, offsets, (rows + 1) * sizeof *offsets);
    memcpy(early->columns, columns, entries * sizeof *columns);
    if (distances)
        memcpy(early->s, s, distances * sizeof *s);
    eb_early_rows **at = &builder->early;
    while (*at && (*at)->first_row < first_row)
        at = &(*at)->next;
    early->next = *at;
    *at = early;
    builder->early_bytes += bytes;
    return EB_OK;
}

/* Those whose turn it is by now. One that begins before it comes twice. */
static eb_code append_early(eb_neighbours_builder *builder, eb_status *status)
{
    eb_code failed = EB_OK;
    while (!failed && builder->early && builder->early->first_row <= builder->row_begin + builder->rows_done) {
        eb_early_rows *early = builder->early;
        failed = check_offsets(builder, early->first_row, early->rows, early->offsets, status);
        if (!failed)
            failed = append_rows(builder, early->rows, early->offsets, early->columns, early->s, status);
        builder->early = early->next;
        builder->early_bytes -= early->bytes;
        free(early);
    }
    return failed;
}

static eb_code take_rows(eb_neighbours_builder *builder, size_t first_row, size_t rows, const uint64_t *offsets,
                         const uint32_t *columns, const double *s, eb_status *status)
{
    if (builder->distances && !s)
        return eb_fail(status, EB_INTERNAL, "the engine gives rows without distances");
    eb_code failed = begin_table(builder, 0, status);
    if (!failed)
        failed = check_offsets(builder, first_row, rows, offsets, status);
    if (failed || rows == 0)
        return failed;
    if (first_row > builder->row_begin + builder->rows_done)
        return keep_early(builder, first_row, rows, offsets, columns, s, status);
    failed = append_rows(builder, rows, offsets, columns, s, status);
    return !failed ? append_early(builder, status) : failed;
}

eb_code eb_builder_take_rows(void *context, size_t first_row, size_t rows, const uint64_t *offsets,
                             const uint32_t *columns, const double *s, eb_status *status)
{
    eb_neighbours_builder *builder = context;
    (void)pthread_mutex_lock(&builder->lock);
    eb_code failed = take_rows(builder, first_row, rows, offsets, columns, s, status);
    (void)pthread_mutex_unlock(&builder->lock);
    return failed;
}

/* ---- the end ---- */

/* Gives back what growing left over; a system that cannot leaves the array as it is. */
static void shrink(eb_neighbours *table, uint64_t capacity)
{
    size_t entries = (size_t)table->offsets[table->rows];
    if (entries == 0 || entries == capacity)
        return;
    uint32_t *columns = realloc(table->columns, entries * sizeof *columns);
    if (columns)
        table->columns = columns;
    void *distances = table->kept ? realloc(table->any_distances, entries * eb_distances_width(table->kept)) : NULL;
    if (distances)
        table->any_distances = distances;
}

eb_code eb_builder_finish_rows(eb_neighbours_builder *builder, eb_neighbours **out, eb_status *status)
{
    if (builder->rows_done != builder->rows)
        return eb_fail(status, EB_INTERNAL, "the engine gave %zu rows; expected %zu", builder->rows_done,
                       builder->rows);
    eb_neighbours *table = builder->growing;
    uint64_t found = eb_neighbours_builder_found(builder), stored = table->offsets[table->rows];
    if (stored != found)
        return eb_fail(status, EB_INTERNAL, "%llu pairs found but %llu stored", (unsigned long long)found,
                       (unsigned long long)stored);
    builder->growing = NULL;
    shrink(table, builder->capacity);
    *out = table;
    return EB_OK;
}
