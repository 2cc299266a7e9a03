#include "core/cluster/forest.h"

void eb_forest_plant(eb_tree *forests, size_t n, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            atomic_init(&forests[k * n + i], (uint32_t)i);
}

/* Parents only ever become smaller, so a path that is halved while another thread sets a link still leads to the
 * root. */
uint32_t eb_forest_root(eb_tree *forest, uint32_t i)
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

void eb_forest_unite(eb_tree *forest, uint32_t i, uint32_t j)
{
    for (;;) {
        i = eb_forest_root(forest, i);
        j = eb_forest_root(forest, j);
        if (i == j)
            return;
        uint32_t smaller = i < j ? i : j, larger = i < j ? j : i, alone = larger;
        if (atomic_compare_exchange_strong_explicit(&forest[larger], &alone, smaller, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}
