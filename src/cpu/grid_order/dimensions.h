/* dimensions: which of them tell most points apart. */
#ifndef EB_CPU_GRID_ORDER_DIMENSIONS_H
#define EB_CPU_GRID_ORDER_DIMENSIONS_H

#include "cpu/grid_order/grid.h"

/* The stored dimensions into order [d], by how few of some random pairs of points lie within ε of each other along
 * each; among equals those first along which pairs are further apart, then as they are stored. */
eb_code eb_eps_grid_order_dimensions(const eb_eps_grid_request *request, uint32_t *order, eb_status *status);

#endif
