/* dimensions: which of them tell most points apart. */
#ifndef EB_KERNELS_GRID_ORDER_DIMENSIONS_H
#define EB_KERNELS_GRID_ORDER_DIMENSIONS_H

#include "kernels/grid_order/grid.h"

/* The stored dimensions into order [d], as the request has them ordered; among equals as they are stored.
 * EB_DIMENSIONS_APART: those first along which 2,000 random pairs of points are further apart in the mean.
 * EB_DIMENSIONS_CELLS: those first whose cells of side ε leave fewest pairs: Σ h(h − 1)/2 + h·h' over the points h of a
 * cell and h' of the next; of the left points, 100,000 of them at most, evenly spread. */
eb_code eb_eps_grid_order_dimensions(const eb_eps_grid_request *request, uint32_t *order, eb_status *status);

#endif
