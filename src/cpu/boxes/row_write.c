/* A row's way from a thread's arrays to its places: short ones sorted by counting smaller columns, longer ones first
 * spread over stretches of the columns, each of which is then a short one. */
#include <string.h>

#include "core/data/scaling.h"
#include "core/join/row_sort.h"
#include "cpu/boxes/boxes.h"

enum {
    A_BUCKET = 32, /* entries, were the row's columns spread evenly */
    MOST_BUCKETS = 4096,
    MOST_RANKED = 1024, /* in a bucket: beyond it counting all is no longer the quickest */
};

/* Entries [0, count) by rank to entry `at` on. */
static void put(const uint32_t *columns, const double *distance, const uint32_t *rank, size_t count,
                const eb_row_places *places, uint64_t at)
{
    uint32_t *to = places->columns + at;
    for (size_t k = 0; k < count; k++)
        to[rank[k]] = columns[k];
    if (places->distance_bytes == sizeof(double)) {
        double *wide = (double *)places->distances + at;
        for (size_t k = 0; k < count; k++)
            wide[rank[k]] = distance[k];
    } else if (places->distance_bytes) {
        float *narrow = (float *)places->distances + at;
        for (size_t k = 0; k < count; k++)
            narrow[rank[k]] = (float)distance[k];
    }
}

/* Columns that lie close together, as many of them: unsorted to their places, and sorted there. */
static void put_crowd(const eb_boxes_thread *mine, uint32_t *columns, const double *distance, size_t count,
                      const eb_row_places *places, uint64_t at, void *scratch)
{
    const eb_distances kept = places->distance_bytes == sizeof(double) ? EB_DISTANCES_F64
                              : places->distance_bytes                 ? EB_DISTANCES_F32
                                                                       : EB_DISTANCES_NONE;
    for (uint32_t k = 0; k < count; k++)
        mine->rank[k] = k;
    put(columns, distance, mine->rank, count, places, at);
    void *distances = kept ? (char *)places->distances + at * places->distance_bytes : NULL;
    eb_row_sort(places->columns + at, distances, kept, count, scratch);
}

/* Where each bucket ends; entries go to sorted_columns and sorted_s. */
static void spread(eb_boxes_thread *mine, size_t count, size_t buckets, size_t columns)
{
    const uint64_t factor = ((uint64_t)buckets << 32) / columns;
    uint32_t *end = mine->bucket;
    memset(end, 0, buckets * sizeof *end);
    for (size_t k = 0; k < count; k++)
        end[mine->columns[k] * factor >> 32]++;
    for (uint32_t b = 0, sum = 0; b < buckets; b++) {
        const uint32_t here = end[b];
        end[b] = sum;
        sum += here;
    }
    for (size_t k = 0; k < count; k++) {
        const uint32_t to = end[mine->columns[k] * factor >> 32]++;
        mine->sorted_columns[to] = mine->columns[k];
        mine->sorted_s[to] = mine->s[k];
    }
}

static void write_long(const eb_boxes *boxes, eb_boxes_thread *mine, size_t count, const eb_row_places *places,
                       uint64_t at)
{
    const size_t wanted = count / A_BUCKET, buckets = wanted < MOST_BUCKETS ? wanted : MOST_BUCKETS;
    spread(mine, count, buckets, boxes->problem->right->n);
    for (size_t b = 0, begin = 0; b < buckets; b++) {
        const size_t here = mine->bucket[b] - begin;
        uint32_t copy[MOST_RANKED + EB_ROW_SLACK]; /* ranking writes behind the last */
        uint32_t *columns = mine->sorted_columns + begin;
        if (here > MOST_RANKED) {
            put_crowd(mine, columns, mine->sorted_s + begin, here, places, at + begin, mine->s);
        } else {
            memcpy(copy, columns, here * sizeof *copy);
            boxes->kernels->rank(copy, here, mine->rank);
            put(columns, mine->sorted_s + begin, mine->rank, here, places, at + begin);
        }
        begin += here;
    }
}

void eb_boxes_write_row(const eb_boxes *boxes, eb_boxes_thread *mine, size_t count, const eb_row_places *places,
                        uint64_t at)
{
    if (places->distance_bytes)
        boxes->kernels->roots(mine->s, count, places->unit);
    if (count > EB_RANKED) {
        write_long(boxes, mine, count, places, at);
        return;
    }
    boxes->kernels->rank(mine->columns, count, mine->rank);
    put(mine->columns, mine->s, mine->rank, count, places, at);
}
