#include "core/join/row_sort.h"

#include <string.h>

/* Below this length insertion beats merging; it also bounds how many runs there can be. */
#define SHORTEST_RUN 32u

typedef struct lane { /* a row, or its copy in the scratch */
    uint32_t *columns;
    double *distances; /* NULL: none */
} lane;

static size_t most_runs(size_t count) { return count / SHORTEST_RUN + 1; }

size_t eb_row_sort_scratch_bytes(size_t longest, bool distances)
{
    size_t words = longest + most_runs(longest) + 1;
    return (distances ? longest * sizeof(double) : 0) + (words + words % 2) * sizeof(uint32_t);
}

/* Sorts [begin, end), of which [begin, sorted) is in order already. */
static void insert_rest(lane row, size_t begin, size_t sorted, size_t end)
{
    for (size_t k = sorted; k < end; k++) {
        uint32_t column = row.columns[k];
        double distance = row.distances ? row.distances[k] : 0;
        size_t at = k;
        for (; at > begin && row.columns[at - 1] > column; at--) {
            row.columns[at] = row.columns[at - 1];
            if (row.distances)
                row.distances[at] = row.distances[at - 1];
        }
        row.columns[at] = column;
        if (row.distances)
            row.distances[at] = distance;
    }
}

/* Cuts the row into ascending runs, all but the last at least SHORTEST_RUN long: run k is [bound[k], bound[k + 1]). */
static size_t cut_into_runs(lane row, size_t count, uint32_t *bound)
{
    size_t runs = 0;
    bound[0] = 0;
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && row.columns[end - 1] <= row.columns[end])
            end++;
        if (end - begin < SHORTEST_RUN && end < count) {
            size_t longer = count - begin < SHORTEST_RUN ? count : begin + SHORTEST_RUN;
            insert_rest(row, begin, end, longer);
            end = longer;
        }
        bound[++runs] = (uint32_t)end;
        begin = end;
    }
    return runs;
}

static void copy(lane to, lane from, size_t begin, size_t end)
{
    memcpy(to.columns + begin, from.columns + begin, (end - begin) * sizeof *to.columns);
    if (to.distances)
        memcpy(to.distances + begin, from.distances + begin, (end - begin) * sizeof *to.distances);
}

/* Which run gives the next entry is a coin toss, so it is computed instead of branched on. */
static void merge(lane to, lane from, size_t begin, size_t middle, size_t end)
{
    size_t left = begin, right = middle, at = begin;
    while (left < middle && right < end) {
        bool take_right = from.columns[right] < from.columns[left];
        size_t source = take_right ? right : left;
        to.columns[at] = from.columns[source];
        if (to.distances)
            to.distances[at] = from.distances[source];
        right += take_right;
        left += !take_right;
        at++;
    }
    size_t rest = left < middle ? left : right;
    size_t length = end - at;
    memcpy(to.columns + at, from.columns + rest, length * sizeof *to.columns);
    if (to.distances)
        memcpy(to.distances + at, from.distances + rest, length * sizeof *to.distances);
}

void eb_row_sort(uint32_t *columns, double *distances, size_t count, void *scratch)
{
    if (count < 2)
        return;
    lane row = {.columns = columns, .distances = distances}, other = {.columns = NULL};
    unsigned char *free_scratch = scratch;
    if (distances) {
        other.distances = (void *)free_scratch;
        free_scratch += count * sizeof(double);
    }
    other.columns = (void *)free_scratch;
    uint32_t *bound = other.columns + count;

    size_t runs = cut_into_runs(row, count, bound);
    while (runs > 1) {
        size_t merged = 0;
        for (size_t k = 0; k < runs; k += 2) {
            if (k + 1 < runs)
                merge(other, row, bound[k], bound[k + 1], bound[k + 2]);
            else
                copy(other, row, bound[k], bound[k + 1]);
            /* bound[merged + 1] lies at or before bound[k + 1], which has been read. */
            bound[++merged] = k + 1 < runs ? bound[k + 2] : bound[k + 1];
        }
        runs = merged;
        lane swapped = row;
        row = other;
        other = swapped;
    }
    if (row.columns != columns)
        copy(other, row, 0, count);
}
