/* best: the k nearest seen so far: a heap with the farthest on top; of equally far ones the larger row is farther. */
#ifndef EB_CPU_INVERTED_BEST_H
#define EB_CPU_INVERTED_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eb_near {
    float s;
    uint32_t row;
} eb_near;

typedef struct eb_best {
    size_t k, count;
    eb_near *near; /* [k] */
} eb_best;

static inline bool eb_nearer(eb_near a, eb_near b) { return a.s < b.s || (a.s == b.s && a.row < b.row); }

/* From the top down to where it belongs. */
static inline void eb_best_sink(eb_near *near, size_t count, size_t at, eb_near one)
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

static inline void eb_best_take(eb_best *best, eb_near one)
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

/* Nearest first; no heap any more. */
static inline void eb_best_sort(eb_best *best)
{
    for (size_t count = best->count; count > 1; count--) {
        const eb_near last = best->near[count - 1];
        best->near[count - 1] = best->near[0];
        eb_best_sink(best->near, count - 1, 0, last);
    }
}

#endif
