/* leaf_orders: points in random order, cut into leaves of any size, and lists of pairs of these leaves. Header-only. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "core/engine/schedule.h"
#include "tests/unit/naive_points.h"

typedef struct leaf_order {
    eb_order order;
    eb_schedule list;
    uint32_t *point, *first; /* the order's arrays */
    uint32_t *leaf;          /* [n] leaf of each point */
    eb_leaf_pair *pair;      /* the list's pairs */
    bool *listed;            /* [leaves][leaves], a ≤ b */
} leaf_order;

/* Points in a leaf: random from least to most, or the remaining ones. least = 0 adds an empty last leaf. */
typedef struct leaf_sizes {
    size_t least, most;
} leaf_sizes;

static const leaf_sizes leaf_shapes[] = {{SIZE_MAX, SIZE_MAX}, {1, 1}, {16, 16}, {128, 128}, {1, 23}, {0, 2}};
enum { LEAF_SHAPES = sizeof leaf_shapes / sizeof leaf_shapes[0] };

static inline void shuffle_points(leaf_order *l, uint64_t *seed)
{
    for (size_t k = 0; k < l->order.n; k++) {
        size_t other = naive_random(seed) % (k + 1);
        l->point[k] = l->point[other];
        l->point[other] = (uint32_t)k;
    }
}

/* Makes at most 2n leaves and an empty one. */
static inline void cut_leaves(leaf_order *l, leaf_sizes sizes, uint64_t *seed)
{
    size_t n = l->order.n, leaves = 0;
    for (size_t begin = 0; begin < n; leaves++) {
        size_t size = sizes.least + naive_random(seed) % (sizes.most - sizes.least + 1);
        if (size > n - begin || leaves + 1 == 2 * n)
            size = n - begin;
        l->first[leaves] = (uint32_t)begin;
        for (size_t end = begin + size; begin < end; begin++)
            l->leaf[l->point[begin]] = (uint32_t)leaves;
    }
    if (sizes.least == 0)
        l->first[leaves++] = (uint32_t)n;
    l->first[leaves] = (uint32_t)n;
    l->order.leaves = leaves;
}

/* A random order of n points, without a list. */
static inline leaf_order grow_leaves(size_t n, leaf_sizes sizes, uint64_t *seed)
{
    leaf_order l = {.point = malloc(n * sizeof *l.point),
                    .first = malloc((2 * n + 2) * sizeof *l.first),
                    .leaf = malloc(n * sizeof *l.leaf)};
    if (!l.point || !l.first || !l.leaf)
        abort();
    l.order = (eb_order){.n = n, .point = l.point, .first = l.first};
    shuffle_points(&l, seed);
    cut_leaves(&l, sizes, seed);
    return l;
}

static inline void start_list(leaf_order *l)
{
    size_t leaves = l->order.leaves;
    l->pair = malloc(leaves * (leaves + 1) / 2 * sizeof *l->pair);
    l->listed = calloc(leaves * leaves, sizeof *l->listed);
    if (!l->pair || !l->listed)
        abort();
    l->list = (eb_schedule){.kind = EB_SCHEDULE_LIST, .pair = l->pair};
}

static inline void list_pair(leaf_order *l, uint32_t a, uint32_t b)
{
    l->pair[l->list.pairs++] = (eb_leaf_pair){a, b};
    l->listed[a * l->order.leaves + b] = true;
}

/* Lists each pair of leaves with a probability of `percent`. */
static inline void list_leaves(leaf_order *l, unsigned percent, uint64_t *seed)
{
    start_list(l);
    for (uint32_t a = 0; a < l->order.leaves; a++)
        for (uint32_t b = a; b < l->order.leaves; b++)
            if (naive_random(seed) % 100 < percent)
                list_pair(l, a, b);
}

/* Lists each leaf with itself and with the next. */
static inline void list_next_leaves(leaf_order *l)
{
    start_list(l);
    for (uint32_t a = 0; a < l->order.leaves; a++)
        for (uint32_t b = a; b < l->order.leaves && b <= a + 1; b++)
            list_pair(l, a, b);
}

/* True if two points lie in a listed pair of leaves. */
static inline bool is_listed(const leaf_order *l, size_t i, size_t j)
{
    size_t a = l->leaf[i], b = l->leaf[j];
    return l->listed[(a < b ? a : b) * l->order.leaves + (a < b ? b : a)];
}

static inline void free_leaves(leaf_order *l)
{
    free(l->point);
    free(l->first);
    free(l->leaf);
    free(l->pair);
    free(l->listed);
}
