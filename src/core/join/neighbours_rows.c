/* neighbours_rows: building a table from whole rows, which an engine on a GPU writes into the table itself. This file
 * gives rows their places in the table. Rows that come before their predecessors get arrays of their own first. */
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/pool.h"
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

/* ---- row offsets: ten million rows have 80 MB, which are checked and copied in parallel ---- */

#define OFFSETS_A_TASK ((size_t)1 << 16)
#define MOST_READING 8u /* threads; enough for the memory's bandwidth */

typedef struct offset_pass {
    const eb_neighbours_builder *builder;
    size_t first_row, rows;
    const uint64_t *offsets; /* [rows + 1] */
    uint64_t *to, before;    /* target of the offsets, each increased by `before` */
} offset_pass;

static eb_code pass_over(offset_pass *pass, eb_parallel_body body, eb_status *status)
{
    const unsigned threads = pass->builder->threads < MOST_READING ? pass->builder->threads : MOST_READING;
    return eb_parallel(threads, (pass->rows + OFFSETS_A_TASK - 1) / OFFSETS_A_TASK, body, pass, NULL, status);
}

static size_t end_of_task(const offset_pass *pass, uint64_t task)
{
    const size_t end = (size_t)(task + 1) * OFFSETS_A_TASK;
    return end < pass->rows ? end : pass->rows;
}

static bool is_row(const uint64_t *offsets, size_t r, uint64_t others)
{
    return (offsets[r + 1] >= offsets[r]) & (offsets[r + 1] - offsets[r] <= others);
}

static eb_code check_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const offset_pass *pass = context;
    const uint64_t *offsets = pass->offsets, others = pass->builder->others;
    const size_t begin = (size_t)task * OFFSETS_A_TASK, end = end_of_task(pass, task);
    bool sound = offsets[0] == 0;
    (void)thread;
    for (size_t r = begin; r < end; r++)
        sound &= is_row(offsets, r, others);
    if (sound)
        return EB_OK;
    size_t r = begin;
    while (offsets[0] == 0 && is_row(offsets, r, others))
        r++;
    return eb_fail(status, EB_INTERNAL, "the engine gives row %zu from entry %llu to %llu of %zu points",
                   pass->first_row + r, (unsigned long long)offsets[r], (unsigned long long)offsets[r + 1],
                   pass->builder->others);
}

static eb_code copy_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const offset_pass *pass = context;
    (void)thread;
    (void)status;
    for (size_t r = (size_t)task * OFFSETS_A_TASK; r < end_of_task(pass, task); r++)
        pass->to[r + 1] = pass->before + pass->offsets[r + 1];
    return EB_OK;
}

/* Checks that the rows are in the builder's range, after the finished rows, and that their offsets are valid. */
static eb_code check_offsets(const eb_neighbours_builder *builder, size_t first_row, size_t rows,
                             const uint64_t *offsets, eb_status *status)
{
    size_t done = builder->row_begin + builder->rows_done, end = builder->row_begin + builder->rows;
    if (first_row < done || first_row > end || rows > end - first_row)
        return eb_fail(status, EB_INTERNAL, "the engine gives rows %zu to %zu; those from %zu to %zu are missing",
                       first_row, first_row + rows, done, end);
    offset_pass pass = {.builder = builder, .first_row = first_row, .rows = rows, .offsets = offsets};
    return pass_over(&pass, check_task, status);
}

/* ---- memory ---- */

static eb_code check_limit(const eb_neighbours_builder *builder, uint64_t needed, eb_status *status)
{
    needed += builder->early_bytes;
    return builder->memory_limit && needed > builder->memory_limit ? eb_builder_fail_limit(builder, needed, status)
                                                                   : EB_OK;
}

/* Resizes the arrays to `capacity` entries and preserves the first `kept` ones. */
static eb_code resize(eb_neighbours *table, uint64_t kept, uint64_t capacity, eb_status *status)
{
    if (capacity > SIZE_MAX / sizeof(double))
        return eb_fail_memory(status, "the neighbour table", UINT64_MAX);
    size_t filled = (size_t)kept, entries = (size_t)capacity;
    uint32_t *columns = eb_pool_resize(table->columns, filled * sizeof *columns, entries * sizeof *columns);
    if (!columns)
        return eb_fail_memory(status, "the neighbour table's columns", entries * sizeof *columns);
    table->columns = columns;
    if (!table->kept)
        return EB_OK;
    size_t width = eb_distances_width(table->kept);
    void *distances = eb_pool_resize(table->any_distances, filled * width, entries * width);
    if (!distances)
        return eb_fail_memory(status, "the neighbour table's distances", entries * width);
    table->any_distances = distances;
    return EB_OK;
}

/* Grows the table by a quarter at least, so that old and new arrays together stay below eb_neighbours_build_bytes. No
 * thread may be filling rows, since the arrays move. */
static eb_code grow(eb_neighbours_builder *builder, uint64_t entries, eb_status *status)
{
    uint64_t before = builder->capacity;
    if (entries <= before)
        return EB_OK;
    uint64_t capacity = before + before / 4 > entries ? before + before / 4 : entries;
    EB_TRY(check_limit(builder,
                       eb_neighbours_bytes(builder->rows, before, builder->distances) +
                           eb_neighbours_bytes(0, capacity, builder->distances),
                       status));
    EB_TRY(resize(builder->growing, builder->entries, capacity, status));
    builder->capacity = capacity;
    return EB_OK;
}

static eb_code begin_table(eb_neighbours_builder *builder, uint64_t entries, eb_status *status)
{
    EB_TRY(check_limit(builder, eb_neighbours_bytes(builder->rows, entries, builder->distances), status));
    builder->capacity = entries ? entries : 1;
    return eb_builder_new_table(builder, entries, &builder->growing, status);
}

static eb_code make_room(eb_neighbours_builder *builder, uint64_t entries, eb_status *status)
{
    if (!builder->growing)
        return begin_table(builder, entries, status);
    while (entries > builder->capacity && builder->filling > 0)
        (void)pthread_cond_wait(&builder->quiet, &builder->lock);
    return grow(builder, entries, status);
}

/* Gives the next rows their places in the table; their entries begin at *at. */
static eb_code append_rows(eb_neighbours_builder *builder, size_t rows, const uint64_t *offsets, uint64_t *at,
                           eb_status *status)
{
    uint64_t before = builder->entries, more = offsets[rows];
    EB_TRY(make_room(builder, before + more, status));
    offset_pass pass = {.builder = builder,
                        .rows = rows,
                        .offsets = offsets,
                        .to = builder->growing->offsets + builder->rows_done,
                        .before = before};
    EB_TRY(pass_over(&pass, copy_task, status));
    builder->rows_done += rows;
    builder->entries = before + more;
    *at = before;
    return EB_OK;
}

/* ---- rows that come before their predecessors ---- */

void eb_row_piece_free(eb_row_piece *piece)
{
    free(piece->offsets);
    eb_pool_give(piece->columns);
    eb_pool_give(piece->distances);
    free(piece);
}

eb_code eb_row_piece_new(size_t first_row, size_t rows, const uint64_t *offsets, size_t width, size_t bytes,
                         eb_row_piece **out, eb_status *status)
{
    const size_t entries = (size_t)offsets[rows];
    eb_row_piece *piece = calloc(1, sizeof *piece);
    if (!piece)
        return eb_fail_memory(status, "rows of the engine", bytes);
    *piece = (eb_row_piece){.first_row = first_row,
                            .rows = rows,
                            .bytes = bytes,
                            .offsets = malloc((rows + 1) * sizeof *offsets),
                            .columns = eb_pool_take(entries * sizeof(uint32_t)),
                            .distances = width ? eb_pool_take(entries * width) : NULL};
    if (!piece->offsets || !piece->columns || (width && !piece->distances)) {
        eb_row_piece_free(piece);
        return eb_fail_memory(status, "rows of the engine", bytes);
    }
    memcpy(piece->offsets, offsets, (rows + 1) * sizeof *offsets);
    *out = piece;
    return EB_OK;
}

static eb_code new_early(const eb_neighbours_builder *builder, size_t first_row, size_t rows, const uint64_t *offsets,
                         eb_row_piece **out, eb_status *status)
{
    size_t bytes = sizeof **out + (size_t)eb_neighbours_bytes(rows, offsets[rows], builder->distances);
    EB_TRY(check_limit(builder, eb_neighbours_bytes(builder->rows, builder->capacity, builder->distances) + bytes,
                       status));
    return eb_row_piece_new(first_row, rows, offsets, eb_distances_width(builder->distances), bytes, out, status);
}

static void queue_early(eb_neighbours_builder *builder, eb_row_piece *early)
{
    eb_row_piece **at = &builder->early;
    while (*at && (*at)->first_row < early->first_row)
        at = &(*at)->next;
    early->next = *at;
    *at = early;
    builder->early_bytes += early->bytes;
}

static eb_code append_one(eb_neighbours_builder *builder, const eb_row_piece *early, eb_status *status)
{
    uint64_t at;
    size_t entries = (size_t)early->offsets[early->rows];
    EB_TRY(check_offsets(builder, early->first_row, early->rows, early->offsets, status));
    EB_TRY(append_rows(builder, early->rows, early->offsets, &at, status));
    memcpy(builder->growing->columns + at, early->columns, entries * sizeof *early->columns);
    if (early->distances)
        memcpy(eb_neighbours_distances_from(builder->growing, at), early->distances,
               entries * eb_distances_width(builder->distances));
    return EB_OK;
}

/* Appends the early rows whose predecessors are done. Rows that begin before rows_done came twice; check_offsets
 * refuses them. */
static eb_code append_early(eb_neighbours_builder *builder, eb_status *status)
{
    eb_code failed = EB_OK;
    while (!failed && builder->early && builder->early->first_row <= builder->row_begin + builder->rows_done) {
        eb_row_piece *early = builder->early;
        failed = append_one(builder, early, status);
        builder->early = early->next;
        builder->early_bytes -= early->bytes;
        eb_row_piece_free(early);
    }
    return failed;
}

/* ---- the sink's functions ---- */

static eb_code place(eb_neighbours_builder *builder, size_t first_row, size_t rows, const uint64_t *offsets,
                     eb_row_places *out, eb_status *status)
{
    EB_TRY(eb_builder_agree_on_feed(builder, EB_FEED_ROWS, status));
    EB_TRY(check_offsets(builder, first_row, rows, offsets, status));
    *out = (eb_row_places){.unit = builder->unit, .distance_bytes = eb_distances_width(builder->distances)};
    if (first_row > builder->row_begin + builder->rows_done) {
        eb_row_piece *early = NULL;
        EB_TRY(new_early(builder, first_row, rows, offsets, &early, status));
        queue_early(builder, early);
        out->columns = early->columns;
        out->distances = early->distances;
    } else {
        uint64_t at;
        EB_TRY(append_rows(builder, rows, offsets, &at, status));
        const eb_neighbours *table = builder->growing;
        out->columns = table->columns + at;
        out->distances = eb_neighbours_distances_from(table, at);
        out->fresh =
            eb_pool_is_fresh(table->columns) && (!table->any_distances || eb_pool_is_fresh(table->any_distances));
    }
    builder->filling++;
    return EB_OK;
}

eb_code eb_builder_place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                         eb_status *status)
{
    eb_neighbours_builder *builder = context;
    (void)pthread_mutex_lock(&builder->lock);
    eb_code failed = place(builder, first_row, rows, offsets, out, status);
    (void)pthread_mutex_unlock(&builder->lock);
    return failed;
}

/* Early rows are appended only when no engine thread is filling rows, since then all of them are complete. */
eb_code eb_builder_placed(void *context, eb_status *status)
{
    eb_neighbours_builder *builder = context;
    (void)pthread_mutex_lock(&builder->lock);
    eb_code failed = EB_OK;
    if (--builder->filling == 0) {
        failed = append_early(builder, status);
        (void)pthread_cond_broadcast(&builder->quiet);
    }
    (void)pthread_mutex_unlock(&builder->lock);
    return failed;
}

/* ---- completion ---- */

eb_code eb_builder_finish_rows(eb_neighbours_builder *builder, eb_neighbours **out, eb_status *status)
{
    if (builder->rows_done != builder->rows || builder->filling > 0)
        return eb_fail(status, EB_INTERNAL, "the engine gave %zu rows and is still at %u pieces; expected %zu",
                       builder->rows_done, builder->filling, builder->rows);
    eb_neighbours *table = builder->growing;
    uint64_t found = eb_neighbours_builder_found(builder), stored = table->offsets[table->rows];
    if (stored != found)
        return eb_fail(status, EB_INTERNAL, "%llu pairs found but %llu stored", (unsigned long long)found,
                       (unsigned long long)stored);
    if (stored > 0 && stored < builder->capacity)
        EB_TRY(resize(table, stored, stored, status));
    builder->growing = NULL;
    *out = table;
    return EB_OK;
}
