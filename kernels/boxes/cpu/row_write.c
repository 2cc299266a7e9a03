/* row_write: sorts a row in a thread's arrays and writes it to its places in the table. Short rows are sorted by
 * counting smaller columns. Longer rows are first spread over buckets of columns, each of which is then sorted as a
 * short row. Rows are sorted in the thread's arrays and then copied, because the table is not in cache. (Stores that
 * bypass the caches take longer: a row is a few cache lines, two of them partial.) */
#include <string.h>

#include "core/join/row_sort.h"
#include "kernels/boxes/cpu/boxes.h"

enum {
    A_BUCKET = 32, /* entries of a bucket if the row's columns were spread evenly */
    MOST_BUCKETS = 4096,
    MOST_RANKED = 1024, /* entries of a bucket up to which counting is the fastest sort */
};

/* Arrays of entries. s: squared distances or distances. */
typedef struct entries {
    uint32_t *columns;
    double *s;
} entries;

static void put(entries from, const uint32_t *rank, size_t count, entries to)
{
    for (size_t k = 0; k < count; k++) {
        to.columns[rank[k]] = from.columns[k];
        to.s[rank[k]] = from.s[k];
    }
}

/* Sorts entries into buckets. end: where each bucket ends. */
static void spread(const uint32_t *columns, const double *s, size_t count, uint64_t columns_of_all, uint32_t *end,
                   size_t buckets, entries to)
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

static void sort_bucket(const eb_boxes *boxes, const eb_boxes_thread *mine, entries from, size_t count, entries to)
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
static entries sort_long(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count)
{
    const size_t wanted = count / A_BUCKET, buckets = wanted < MOST_BUCKETS ? wanted : MOST_BUCKETS;
    const entries row = {mine->columns, mine->s}, other = {mine->sorted_columns, mine->sorted_s};
    uint32_t end[MOST_BUCKETS];
    spread(row.columns, row.s, count, boxes->finder.problem->right->n, end, buckets, other);
    for (size_t b = 0, begin = 0; b < buckets; begin = end[b++])
        sort_bucket(boxes, mine, (entries){other.columns + begin, other.s + begin}, end[b] - begin,
                    (entries){row.columns + begin, row.s + begin});
    return row;
}

static entries sort_short(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count)
{
    const entries row = {mine->columns, mine->s}, sorted = {mine->sorted_columns, mine->sorted_s};
    boxes->kernels->rank(row.columns, count, mine->rank);
    put(row, mine->rank, count, sorted);
    return sorted;
}

void eb_boxes_write_row(const eb_boxes *boxes, const eb_boxes_thread *mine, size_t count, const eb_row_places *places,
                        uint64_t at)
{
    if (places->distance_bytes && places->unit > 0)
        boxes->kernels->roots(mine->s, count, places->unit);
    const entries row = count > EB_RANKED ? sort_long(boxes, mine, count) : sort_short(boxes, mine, count);
    memcpy(places->columns + at, row.columns, count * sizeof *row.columns);
    if (places->distance_bytes == sizeof(double))
        memcpy((double *)places->distances + at, row.s, count * sizeof *row.s);
    for (size_t k = 0; k < count && places->distance_bytes == sizeof(float); k++)
        ((float *)places->distances)[at + k] = (float)row.s[k];
}
