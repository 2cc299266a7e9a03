#include "core/join/row_sort.h"

#include <string.h>

/* Shorter runs are extended by insertion, which is faster than merging. This length also bounds the number of runs. */
#define SHORTEST_RUN 32u

typedef struct lane { /* a row, or its copy in the scratch */
    uint32_t *columns;
    double *wide;  /* FP64 distances, or NULL */
    float *narrow; /* FP32 distances, or NULL */
} lane;

static lane lane_of(uint32_t *columns, void *distances, eb_distances kept)
{
    return (lane){.columns = columns,
                  .wide = kept == EB_DISTANCES_F64 ? distances : NULL,
                  .narrow = kept == EB_DISTANCES_F32 ? distances : NULL};
}

static inline void move(lane to, size_t at, lane from, size_t source)
{
    to.columns[at] = from.columns[source];
    if (to.wide)
        to.wide[at] = from.wide[source];
    else if (to.narrow)
        to.narrow[at] = from.narrow[source];
}

static size_t most_runs(size_t count) { return count / SHORTEST_RUN + 1; }

size_t eb_row_sort_scratch_bytes(size_t longest, eb_distances kept)
{
    size_t words = longest + most_runs(longest) + 1;
    return longest * eb_distances_width(kept) + (words + words % 2) * sizeof(uint32_t);
}

/* Sorts [begin, end) by insertion; [begin, sorted) is sorted already. */
static void insert_rest(lane row, size_t begin, size_t sorted, size_t end)
{
    for (size_t k = sorted; k < end; k++) {
        uint32_t column = row.columns[k];
        double wide = row.wide ? row.wide[k] : 0;
        float narrow = row.narrow ? row.narrow[k] : 0;
        size_t at = k;
        for (; at > begin && row.columns[at - 1] > column; at--)
            move(row, at, row, at - 1);
        row.columns[at] = column;
        if (row.wide)
            row.wide[at] = wide;
        else if (row.narrow)
            row.narrow[at] = narrow;
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

static void copy(lane to, size_t at, lane from, size_t source, size_t count)
{
    memcpy(to.columns + at, from.columns + source, count * sizeof *to.columns);
    if (to.wide)
        memcpy(to.wide + at, from.wide + source, count * sizeof *to.wide);
    else if (to.narrow)
        memcpy(to.narrow + at, from.narrow + source, count * sizeof *to.narrow);
}

/* Merges two runs. The run of the next entry is unpredictable, so it is selected without a branch. */
static void merge(lane to, lane from, size_t begin, size_t middle, size_t end)
{
    size_t left = begin, right = middle, at = begin;
    while (left < middle && right < end) {
        bool take_right = from.columns[right] < from.columns[left];
        move(to, at, from, take_right ? right : left);
        right += take_right;
        left += !take_right;
        at++;
    }
    copy(to, at, from, left < middle ? left : right, end - at);
}

void eb_row_sort(uint32_t *columns, void *distances, eb_distances kept, size_t count, void *scratch)
{
    if (count < 2)
        return;
    uint32_t *behind = (void *)((unsigned char *)scratch + count * eb_distances_width(kept));
    lane row = lane_of(columns, distances, kept), other = lane_of(behind, scratch, kept);
    uint32_t *bound = other.columns + count;

    size_t runs = cut_into_runs(row, count, bound);
    while (runs > 1) {
        size_t merged = 0;
        for (size_t k = 0; k < runs; k += 2) {
            if (k + 1 < runs)
                merge(other, row, bound[k], bound[k + 1], bound[k + 2]);
            else
                copy(other, bound[k], row, bound[k], bound[k + 1] - bound[k]);
            /* bound[merged + 1] is at or before bound[k + 1], which was read already. */
            bound[++merged] = k + 1 < runs ? bound[k + 2] : bound[k + 1];
        }
        runs = merged;
        lane swapped = row;
        row = other;
        other = swapped;
    }
    if (row.columns != columns)
        copy(other, 0, row, 0, count);
}
