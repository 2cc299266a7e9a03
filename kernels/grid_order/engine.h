/* engine: the common part of engines that join in epsilon grid order: count, join, distance pass, distances, and the
 * index, which is made for a question and kept for the last ε. An engine's walk determines which pairs of blocks are
 * visited, and in what order.
 *
 * The engines have the options `type` and `decide` (core/engine/decide.h), and may have the flag `reorder`. Distances
 * are sums in the grid's order of dimensions, or in the stored order before the first question. Sums that expand depend
 * on ε: the last question's, 0 before the first question, and the greatest ε of a distance pass.
 */
#pragma once

#include "core/engine/decide.h"
#include "kernels/grid_order/grid.h"
#include "kernels/walk/collect.h"

/* The work of a walk: pairs of ranges visited, and pairs of ranges pruned because no pair of points can be within ε. */
typedef struct eb_walk_effort {
    uint64_t looked, pruned;
} eb_walk_effort;

/* Visits row block a against column block b. */
typedef eb_code (*eb_block_callback)(void *context, size_t a, size_t b, eb_status *status);

/* A walk visits the pairs of blocks that may hold points within ε, each once; for a self-join those with a ≤ b. It is
 * divided into tasks, whose number does not depend on the number of threads. */
typedef struct eb_eps_grid_walk {
    eb_dimensions_order dimensions;
    bool expands; /* the authors' sums are those of expansion.h */
    eb_code (*make)(const eb_eps_grid *grid, const eb_options *options, void **out, uint64_t *tasks, eb_status *status);
    eb_code (*run)(const void *walk, uint64_t task, eb_block_callback callback, void *context, eb_walk_effort *effort,
                   eb_status *status);
    void (*free)(void *walk); /* accepts NULL */
} eb_eps_grid_walk;

enum { EB_WALK_TASKS = 1024 }; /* desired number of tasks, if there are points enough */

/* An engine's open calls this with its walk. what: the engine's title. */
eb_code eb_eps_grid_open(const eb_eps_grid_walk *walk, const char *what, const eb_problem *problem,
                         const eb_context *context, void **state, eb_status *status);
eb_code eb_eps_grid_probe(const eb_device *device, const eb_options *options, eb_status *status);
uint64_t eb_eps_grid_memory(size_t n, size_t d, eb_dtype dtype);
uint64_t eb_eps_grid_memory_expanded(size_t n, size_t d, eb_dtype dtype);
eb_code eb_eps_grid_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
void eb_eps_grid_close(void *state);
const char *eb_eps_grid_describe(const void *state);

/* An engine's implementation, given its open and memory_needed. */
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
