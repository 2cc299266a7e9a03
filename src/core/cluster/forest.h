/* forest: connected components of n points from their pairs, which may come from several threads in any order.
 *
 * A disjoint-set forest with path halving (Tarjan & van Leeuwen 1984) whose links are set by compare-and-swap (Anderson
 * & Woll 1991). A root is the smallest point of its set, so the result does not depend on the order. 4 bytes a point.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic uint32_t eb_tree; /* parent of a point; a root is its own parent */

/* Initialises `count` forests of n points each, stored one after another: every point is a set of its own. */
static inline void eb_forest_plant(eb_tree *forests, size_t n, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            atomic_init(&forests[k * n + i], (uint32_t)i);
}

/* The smallest point of i's set; final only while no thread unites. Parents only ever become smaller, so a path that is
 * halved while another thread sets a link still leads to the root. */
static inline uint32_t eb_forest_root(eb_tree *forest, uint32_t i)
{
    for (;;) {
        uint32_t parent = atomic_load_explicit(&forest[i], memory_order_relaxed);
        if (parent == i)
            return i;
        uint32_t above = atomic_load_explicit(&forest[parent], memory_order_relaxed);
        if (above != parent)
            (void)atomic_compare_exchange_weak_explicit(&forest[i], &parent, above, memory_order_relaxed,
                                                        memory_order_relaxed);
        i = above;
    }
}

/* True: i and j were in two sets until this call. The pairs for which it is true connect all that is connected, without
 * circles. */
static inline bool eb_forest_unite(eb_tree *forest, uint32_t i, uint32_t j)
{
    for (;;) {
        i = eb_forest_root(forest, i);
        j = eb_forest_root(forest, j);
        if (i == j)
            return false;
        uint32_t smaller = i < j ? i : j, larger = i < j ? j : i, alone = larger;
        if (atomic_compare_exchange_strong_explicit(&forest[larger], &alone, smaller, memory_order_relaxed,
                                                    memory_order_relaxed))
            return true;
    }
}
