/* make: a grid (grid.h) of points, for one ε. */
#ifndef EB_KERNELS_GRID_ORDER_MAKE_H
#define EB_KERNELS_GRID_ORDER_MAKE_H

#include "kernels/grid_order/grid.h"

eb_code eb_eps_grid_make(const eb_eps_grid_request *request, eb_eps_grid *out, eb_status *status);
void eb_eps_grid_free(eb_eps_grid *grid); /* frees what it holds; it holds nothing afterwards */

/* Bytes of one side, and of what making it takes for a while. */
uint64_t eb_eps_grid_bytes(size_t n, size_t d, bool expands);

#endif
