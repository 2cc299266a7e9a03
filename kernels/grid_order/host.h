/* host: an opened engine in epsilon grid order. */
#ifndef EB_KERNELS_GRID_ORDER_HOST_H
#define EB_KERNELS_GRID_ORDER_HOST_H

#include "kernels/grid_order/engine.h"
#include "kernels/grid_order/kernels.h"

typedef struct eb_eps_grid_host {
    eb_finder finder; /* first */
    const eb_eps_grid_walk *how;
    const eb_pair_kernels *kernels;
    eb_eps_grid_type type;
    bool truth; /* decides, else the authors' sums */
    bool made;  /* grid and walk, for grid.eps */
    eb_eps_grid grid;
    void *walk;
    uint64_t tasks;
    char description[128];
} eb_eps_grid_host;

eb_code eb_eps_grid_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status);

/* Grid and walk for ε, unless they are there. */
eb_code eb_eps_grid_index(eb_eps_grid_host *host, double eps, eb_status *status);

/* s of those lanes of right block b, from the left point at that place, as the engine decides. */
static inline void eb_eps_grid_sums(const eb_eps_grid_host *host, size_t query, size_t b, uint32_t lanes, double *s)
{
    (host->truth ? host->kernels->truth : host->kernels->sums)(&host->grid, query, b, lanes, s);
}

#endif
