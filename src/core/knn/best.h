/* best: the k nearest rows seen so far, as a heap with the farthest on top. Of equally far rows the larger row counts
 * as farther. `far` is a distance or its square, as the caller likes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eb_near_row {
    double far;
    uint32_t row;
} eb_near_row;

typedef struct eb_best {
    size_t k, count;
    eb_near_row *near; /* [k] */
} eb_best;

static inline bool eb_nearer(eb_near_row a, eb_near_row b)
{
    return a.far < b.far || (!(a.far > b.far) && a.row < b.row);
}

/* Sinks `one` from `at` to its place in the heap. */
static inline void eb_best_sink(eb_near_row *near, size_t count, size_t at, eb_near_row one)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && eb_nearer(near[child], near[child + 1]))
            child++;
        if (!eb_nearer(one, near[child]))
            break;
        near[at] = near[child];
    }
    near[at] = one;
}

static inline void eb_best_take(eb_best *best, eb_near_row one)
{
    if (best->count == best->k) {
        if (eb_nearer(one, best->near[0]))
            eb_best_sink(best->near, best->k, 0, one);
        return;
    }
    size_t at = best->count++;
    for (; at > 0 && eb_nearer(best->near[(at - 1) / 2], one); at = (at - 1) / 2)
        best->near[at] = best->near[(at - 1) / 2];
    best->near[at] = one;
}

/* Sorts nearest first. Afterwards `near` is not a heap any more. */
static inline void eb_best_sort(eb_best *best)
{
    for (size_t count = best->count; count > 1; count--) {
        const eb_near_row last = best->near[count - 1];
        best->near[count - 1] = best->near[0];
        eb_best_sink(best->near, count - 1, 0, last);
    }
}
