/* engine: what engines that join in epsilon grid order do alike: the index, made at a question and kept for the last ε,
 * count, join, distance pass, distances. They differ in which pairs of blocks they come to, and in what order: a walk.
 *
 * Their options are `type` and `decide` (core/engine/decide.h), and `reorder`, a flag, where they have it. Distances
 * are sums in the grid's order of dimensions; before a first question, in the stored one. Sums that expand are those
 * for the last question's ε, 0 before a first one; a distance pass's for its greatest ε.
 */
#pragma once

#include "core/engine/decide.h"
#include "kernels/grid_order/grid.h"
#include "kernels/walk/collect.h"

/* What a walk has done: pairs of ranges looked at, and those of them that were left because no pair can be within ε. */
typedef struct eb_walk_effort {
    uint64_t looked, pruned;
} eb_walk_effort;

/* Row block a against column block b. */
typedef eb_code (*eb_block_callback)(void *context, size_t a, size_t b, eb_status *status);

/* Pairs of blocks that may hold points within ε, each once, of a self-join those with a ≤ b; in tasks, whose number
 * depends on no thread. And what else is its authors'. */
typedef struct eb_eps_grid_walk {
    eb_dimensions_order dimensions;
    bool expands; /* their sums are expansion.h's */
    eb_code (*make)(const eb_eps_grid *grid, const eb_options *options, void **out, uint64_t *tasks, eb_status *status);
    eb_code (*run)(const void *walk, uint64_t task, eb_block_callback callback, void *context, eb_walk_effort *effort,
                   eb_status *status);
    void (*free)(void *walk); /* NULL is fine */
} eb_eps_grid_walk;

enum { EB_WALK_TASKS = 1024 }; /* as many as there should be, where there are points enough */

/* An eb_implementation's open is this, for one walk. */
eb_code eb_eps_grid_open(const eb_eps_grid_walk *walk, const char *what, const eb_problem *problem,
                         const eb_context *context, void **state, eb_status *status);
eb_code eb_eps_grid_probe(const eb_device *device, const eb_options *options, eb_status *status);
uint64_t eb_eps_grid_memory(size_t n, size_t d, eb_dtype dtype);
uint64_t eb_eps_grid_memory_expanded(size_t n, size_t d, eb_dtype dtype);
eb_code eb_eps_grid_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
void eb_eps_grid_close(void *state);
const char *eb_eps_grid_describe(const void *state);

/* An engine's implementation, but for how it is opened and what memory it needs. */
#define EB_EPS_GRID_IMPLEMENTATION(open_walk, memory)                                                                  \
    {                                                                                                                  \
        .probe = eb_eps_grid_probe,                                                                                    \
        .memory_needed = (memory),                                                                                     \
        .open = (open_walk),                                                                                           \
        .count = eb_collect_count,                                                                                     \
        .join = eb_collect_join,                                                                                       \
        .histogram = eb_collect_histogram,                                                                             \
        .distances = eb_eps_grid_distances,                                                                            \
        .close = eb_eps_grid_close,                                                                                    \
        .describe = eb_eps_grid_describe,                                                                              \
    }
