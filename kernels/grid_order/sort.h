/* sort: points by their cells, lexicographically. */
#ifndef EB_KERNELS_GRID_ORDER_SORT_H
#define EB_KERNELS_GRID_ORDER_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* cells is n × d. order [n] gets the points, least cells first; those of the same cells as they are numbered. */
eb_code eb_eps_grid_sort(const int32_t *cells, size_t n, size_t d, uint32_t *order, eb_status *status);

#endif
