/* rows: makes whole rows of the neighbour table. A first pass marks and counts neighbours; a second pass writes the
 * rows to their places. The marks are kept between the passes as far as memory allows: a few bytes for each leaf in
 * which a query has neighbours. The second pass searches again for marks that were not kept. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/pages.h"
#include "core/base/parallel.h"
#include "core/join/row_sort.h"
#include "kernels/boxes/cpu/boxes.h"

enum { LEAVES_A_TASK = 4, PAGES_A_TASK = 8, LINE = 64, BYTES_AHEAD = 1024 };

typedef struct row_making {
    eb_boxes_search *search;
    uint64_t *offsets;    /* [rows + 1]; entry k + 1 is the length of row k until find_places sums */
    eb_leaf_marks **kept; /* [leaves] NULL: not kept */
    _Atomic uint64_t kept_bytes;
    uint64_t most_bytes;
    eb_row_places places;
} row_making;

/* ---- the first pass ---- */

static void keep(row_making *r, const eb_leaf_marks *found)
{
    const size_t marks = found->begin[found->queries], bytes = sizeof *found + marks * sizeof *found->marks;
    if (atomic_fetch_add_explicit(&r->kept_bytes, bytes, memory_order_relaxed) + bytes > r->most_bytes)
        return;
    eb_leaf_marks *copy = malloc(bytes);
    if (!copy)
        return;
    *copy = *found;
    copy->marks = (void *)(copy + 1);
    memcpy(copy->marks, found->marks, marks * sizeof *found->marks);
    r->kept[found->leaf] = copy;
}

static eb_code measure_rows(void *context, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    (void)thread, (void)status;
    row_making *r = context;
    const eb_boxes_search *search = r->search;
    for (uint32_t q = 0; q < found->queries; q++) {
        const uint32_t row = eb_query_point(search->boxes, found, q) - (uint32_t)search->share.row_begin;
        r->offsets[row + 1] = found->points[q];
    }
    if (found->queries)
        keep(r, found);
    return EB_OK;
}

/* ---- places ---- */

static eb_code make_pages(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    const row_making *r = context;
    const eb_share *share = &r->search->share;
    const uint64_t entries = r->offsets[share->row_end - share->row_begin];
    const size_t columns = entries * sizeof *r->places.columns, distances = entries * r->places.distance_bytes;
    const size_t first = (size_t)task * PAGES_A_TASK * EB_LARGE_PAGE;
    char *const array[] = {(char *)r->places.columns, r->places.distances};
    const size_t bytes[] = {columns, distances};
    for (size_t k = 0; k < 2; k++)
        if (first < bytes[k])
            eb_pages_populate(array[k] + first, bytes[k] - first < PAGES_A_TASK * EB_LARGE_PAGE
                                                    ? bytes[k] - first
                                                    : PAGES_A_TASK * EB_LARGE_PAGE);
    return EB_OK;
}

/* Asks the sink for the rows' places. Rows are stored in the order of the points but made leaf by leaf, so that threads
 * would fault on the same fresh pages all the time; these pages are touched first. */
static eb_code find_places(row_making *r, const eb_sink *sink, eb_status *status)
{
    const eb_share *share = &r->search->share;
    const eb_context *context = r->search->boxes->finder.context;
    const size_t rows = share->row_end - share->row_begin;
    const double start = eb_now_s();
    for (size_t row = 0; row < rows; row++)
        r->offsets[row + 1] += r->offsets[row];
    EB_TRY(sink->place(sink->context, share->row_begin, rows, r->offsets, &r->places, status));
    if (r->places.fresh) {
        const uint64_t widest = r->places.distance_bytes > 4 ? r->places.distance_bytes : 4;
        const uint64_t pages = r->offsets[rows] * widest / EB_LARGE_PAGE + 1;
        EB_TRY(eb_parallel(context->threads, (pages + PAGES_A_TASK - 1) / PAGES_A_TASK, make_pages, r, context->job,
                           status));
    }
    eb_figures_add(context->figures, &eb_figure_table, eb_now_s() - start);
    return EB_OK;
}

/* ---- writing a row ---- */

/* Short rows are sorted by counting smaller columns. Longer rows are first spread over buckets of columns, each of
 * which is then sorted as a short row. Rows are sorted in the thread's arrays and then copied, because the table is not
 * in cache. (Stores that bypass the caches take longer: a row is a few cache lines, two of them partial.) */
enum {
    A_BUCKET = 32, /* entries of a bucket if the row's columns were spread evenly */
    MOST_BUCKETS = 4096,
    MOST_RANKED = 1024, /* entries of a bucket up to which counting is the fastest sort */
};

/* Arrays of entries. s: squared distances or distances. */
typedef struct row_arrays {
    uint32_t *columns;
    double *s;
} row_arrays;

static void put(row_arrays from, const uint32_t *rank, size_t count, row_arrays to)
{
    for (size_t k = 0; k < count; k++) {
        to.columns[rank[k]] = from.columns[k];
        to.s[rank[k]] = from.s[k];
    }
}

/* Sorts entries into buckets. end: where each bucket ends. */
static void spread(const uint32_t *columns, const double *s, size_t count, uint64_t columns_of_all, uint32_t *end,
                   size_t buckets, row_arrays to)
{
    const uint64_t factor = ((uint64_t)buckets << 32) / columns_of_all;
    memset(end, 0, buckets * sizeof *end);
    for (size_t k = 0; k < count; k++)
        end[columns[k] * factor >> 32]++;
    for (uint32_t b = 0, sum = 0; b < buckets; b++) {
        const uint32_t here = end[b];
        end[b] = sum;
        sum += here;
    }
    for (size_t k = 0; k < count; k++) {
        const uint32_t at = end[columns[k] * factor >> 32]++;
        to.columns[at] = columns[k];
        to.s[at] = s[k];
    }
}

static void sort_bucket(const eb_boxes *boxes, const eb_boxes_thread *mine, row_arrays from, size_t count,
                        row_arrays to)
{
    if (count > MOST_RANKED) { /* many columns are close together */
        memcpy(to.columns, from.columns, count * sizeof *to.columns);
        memcpy(to.s, from.s, count * sizeof *to.s);
        eb_row_sort(to.columns, to.s, EB_DISTANCES_F64, count, mine->sort_room);
        return;
    }
    uint32_t columns[MOST_RANKED + EB_ROW_SLACK]; /* rank() writes past the last */
    memcpy(columns, from.columns, count * sizeof *columns);
    boxes->kernels->rank(columns, count, mine->rank);
    put(from, mine->rank, count, to);
}

/* The sorted row is in `columns` and `s` again. */
static row_arrays sort_long(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count)
{
    const size_t wanted = count / A_BUCKET, buckets = wanted < MOST_BUCKETS ? wanted : MOST_BUCKETS;
    const row_arrays row = {mine->columns, mine->s}, other = {mine->sorted_columns, mine->sorted_s};
    uint32_t end[MOST_BUCKETS];
    spread(row.columns, row.s, count, boxes->finder.problem->right->n, end, buckets, other);
    for (size_t b = 0, begin = 0; b < buckets; begin = end[b++])
        sort_bucket(boxes, mine, (row_arrays){other.columns + begin, other.s + begin}, end[b] - begin,
                    (row_arrays){row.columns + begin, row.s + begin});
    return row;
}

static row_arrays sort_short(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count)
{
    const row_arrays row = {mine->columns, mine->s}, sorted = {mine->sorted_columns, mine->sorted_s};
    boxes->kernels->rank(row.columns, count, mine->rank);
    put(row, mine->rank, count, sorted);
    return sorted;
}

/* Sorts the thread's row and writes it to the places, beginning at entry `at`. */
static void write_row(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count, const eb_row_places *places,
                      uint64_t at)
{
    if (places->distance_bytes && places->unit > 0)
        boxes->kernels->roots(mine->s, count, places->unit);
    const row_arrays row = count > EB_RANKED ? sort_long(boxes, mine, count) : sort_short(boxes, mine, count);
    memcpy(places->columns + at, row.columns, count * sizeof *row.columns);
    if (places->distance_bytes == sizeof(double))
        memcpy((double *)places->distances + at, row.s, count * sizeof *row.s);
    for (size_t k = 0; k < count && places->distance_bytes == sizeof(float); k++)
        ((float *)places->distances)[at + k] = (float)row.s[k];
}

/* ---- the second pass ---- */

/* Prefetches the place of a row while the previous row is made: rows of a leaf are far apart in the table. */
static void fetch(const row_making *r, size_t row)
{
    const uint64_t at = r->offsets[row], entries = r->offsets[row + 1] - at;
    const char *columns = (const char *)(r->places.columns + at), *distances = r->places.distances;
    for (size_t k = 0; k < BYTES_AHEAD && k < entries * sizeof *r->places.columns; k += LINE)
        __builtin_prefetch(columns + k, 1);
    for (size_t k = 0; k < BYTES_AHEAD && k < entries * r->places.distance_bytes; k += LINE)
        __builtin_prefetch(distances + at * r->places.distance_bytes + k, 1);
}

static size_t row_of(const row_making *r, const eb_leaf_marks *found, uint32_t query)
{
    return eb_query_point(r->search->boxes, found, query) - r->search->share.row_begin;
}

static eb_code write_leaf(const row_making *r, unsigned thread, const eb_leaf_marks *found, eb_status *status)
{
    const eb_boxes_search *search = r->search;
    for (uint32_t q = 0; q < found->queries; q++) {
        if (q + 1 < found->queries)
            fetch(r, row_of(r, found, q + 1));
        EB_TRY(eb_boxes_take(search, thread, found, q, status));
        write_row(search->boxes, &search->threads[thread], found->points[q], &r->places,
                  r->offsets[row_of(r, found, q)]);
    }
    eb_job_advance(search->boxes->finder.context->job, found->queries - found->queries / 2);
    return EB_OK;
}

static eb_code write_leaves(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const row_making *r = context;
    const size_t leaves = r->search->boxes->leaves.order.leaves;
    for (size_t k = 0; k < LEAVES_A_TASK; k++) {
        const size_t leaf = (size_t)task * LEAVES_A_TASK + k;
        const eb_leaf_marks *marks;
        eb_leaf_marks found;
        if (leaf >= leaves)
            break;
        EB_TRY(eb_job_check(r->search->boxes->finder.context->job, status));
        marks = r->kept[leaf];
        if (!marks) {
            EB_TRY(eb_boxes_find_leaf(r->search, thread, (uint32_t)leaf, &found, status));
            marks = &found;
        }
        EB_TRY(write_leaf(r, thread, marks, status));
    }
    return EB_OK;
}

static eb_code write_rows(row_making *r, eb_status *status)
{
    const eb_context *context = r->search->boxes->finder.context;
    const size_t leaves = r->search->boxes->leaves.order.leaves;
    const double start = eb_now_s();
    EB_TRY(eb_parallel(context->threads, (leaves + LEAVES_A_TASK - 1) / LEAVES_A_TASK, write_leaves, r, context->job,
                       status));
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return EB_OK;
}

/* ---- both passes ---- */

static uint64_t memory_for_marks(const eb_boxes *boxes)
{
    const uint64_t limit = boxes->finder.context->memory_limit;
    const uint64_t points = eb_leaves_bytes(boxes->finder.problem->left->n, boxes->leaves.d);
    return limit == 0 ? UINT64_MAX : limit > points ? limit - points : 0;
}

static eb_code make_rows(row_making *r, const eb_sink *sink, eb_status *status)
{
    EB_TRY(eb_boxes_find(r->search, measure_rows, r, status));
    EB_TRY(find_places(r, sink, status));
    EB_TRY(write_rows(r, status));
    return sink->placed(sink->context, status);
}

eb_code eb_boxes_rows(eb_boxes_search *search, const eb_sink *sink, eb_status *status)
{
    const size_t leaves = search->boxes->leaves.order.leaves, rows = search->share.row_end - search->share.row_begin;
    row_making r = {.search = search, .most_bytes = memory_for_marks(search->boxes)};
    search->followed = true;
    r.offsets = calloc(rows + 1, sizeof *r.offsets);
    r.kept = calloc(leaves, sizeof(void *));
    const eb_code failed = r.offsets && r.kept ? make_rows(&r, sink, status)
                                               : eb_fail_memory(status, "the lengths of rows", (rows + 1) * 8);
    for (size_t leaf = 0; r.kept && leaf < leaves; leaf++)
        free(r.kept[leaf]);
    free(r.kept);
    free(r.offsets);
    return failed;
}
