#include "core/cluster/gather.h"

void eb_gather_counts(void *gathering, unsigned thread, const eb_link *links, size_t count)
{
    const eb_gathering *g = gathering;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const eb_link *link = &links[k];
        (void)atomic_fetch_add_explicit(&g->count[link->i * g->levels + link->level], 1, memory_order_relaxed);
        if (g->forest && link->i < link->j)
            (void)eb_forest_unite(g->forest + link->level * g->n, link->i, link->j);
    }
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

void eb_gather_reach(const eb_gathering *g, uint32_t point, uint32_t level)
{
    _Atomic uint32_t *reach = &g->reach[point];
    uint32_t is = atomic_load_explicit(reach, memory_order_relaxed);
    while (level < is &&
           !atomic_compare_exchange_weak_explicit(reach, &is, level, memory_order_relaxed, memory_order_relaxed))
        ;
}

void eb_gather_core(void *gathering, unsigned thread, const eb_link *links, size_t count)
{
    const eb_gathering *g = gathering;
    (void)thread;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = links[k].i, j = links[k].j;
        const uint32_t from_i = later(links[k].level, g->core[i]), from_j = later(links[k].level, g->core[j]);
        const uint32_t level = later(from_i, from_j);
        eb_gather_reach(g, j, from_i);
        eb_gather_reach(g, i, from_j);
        if (level < g->levels)
            (void)eb_forest_unite(g->forest + level * g->n, i, j);
    }
}

eb_code eb_gather_anew(void *gathering, eb_status *status)
{
    const eb_gathering *g = gathering;
    (void)status;
    for (size_t k = 0; k < g->n * g->levels; k++)
        atomic_init(&g->count[k], 0);
    return EB_OK;
}
