/* ranges: walks pairs of ranges of blocks by halving them, with a stack of the pairs still to be visited. The tasks of
 * such a walk are the pairs left after some halvings of the whole. Header-only. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "kernels/grid_order/engine.h"

/* Row blocks [a, a_end) against column blocks [b, b_end). */
typedef struct eb_ranges {
    uint32_t a, a_end, b, b_end;
    uint32_t state; /* for the walk: a first dimension, or a turn of the curve */
} eb_ranges;

enum { EB_MOST_HALVES = 4, EB_RANGES_DEEP = EB_MOST_HALVES * 32 }; /* block numbers have fewer than 32 bits */

/* Writes 0 … 4 halves of a pair of ranges to out, in the order of the walk, and returns their number. 0: pruned. The
 * pair itself as the only one: all its blocks are to be visited. */
typedef size_t (*eb_halver)(const void *walk, eb_ranges *ranges, eb_ranges out[EB_MOST_HALVES]);

static inline bool eb_is_whole(const eb_ranges *ranges, const eb_ranges *halves, size_t count)
{
    return count == 1 && memcmp(ranges, halves, sizeof *ranges) == 0;
}

/* Halves all ranges until there are EB_WALK_TASKS or none can be halved. The caller frees *out. */
static inline eb_code eb_ranges_begin(const void *walk, eb_halver halve, eb_ranges all, eb_ranges **out,
                                      uint64_t *count, eb_status *status)
{
    const size_t room = 2 * EB_MOST_HALVES * (size_t)EB_WALK_TASKS;
    eb_ranges *now = malloc(room * sizeof *now), *next = malloc(room * sizeof *next);
    size_t ranges = 1, before = 0;
    bool halved = true;
    if (!now || !next) {
        free(now);
        free(next);
        return eb_fail_memory(status, "ranges of blocks", 2 * room * sizeof *now);
    }
    for (now[0] = all; ranges && ranges < EB_WALK_TASKS && halved;) {
        eb_ranges *swapped = now;
        before = ranges;
        ranges = 0;
        halved = false;
        for (size_t k = 0; k < before; k++) {
            const eb_ranges whole = now[k];
            const size_t halves = halve(walk, &now[k], next + ranges);
            halved |= !eb_is_whole(&whole, next + ranges, halves);
            ranges += halves;
        }
        now = next;
        next = swapped;
    }
    free(next);
    *out = now;
    *count = ranges;
    return EB_OK;
}

/* Visits the pairs of blocks of a task in the walk's order. */
static inline eb_code eb_ranges_run(const void *walk, eb_halver halve, eb_ranges task, eb_block_callback callback,
                                    void *context, eb_walk_effort *effort, eb_status *status)
{
    eb_ranges stack[EB_RANGES_DEEP], halves[EB_MOST_HALVES];
    size_t depth = 1;
    for (stack[0] = task; depth > 0;) {
        eb_ranges now = stack[--depth];
        const eb_ranges whole = now;
        const size_t count = halve(walk, &now, halves);
        effort->looked++;
        effort->pruned += count == 0;
        if (!eb_is_whole(&whole, halves, count)) {
            for (size_t k = count; k-- > 0;)
                stack[depth++] = halves[k];
            continue;
        }
        for (size_t a = now.a; a < now.a_end; a++)
            for (size_t b = now.b; b < now.b_end; b++)
                EB_TRY(callback(context, a, b, status));
    }
    return EB_OK;
}
