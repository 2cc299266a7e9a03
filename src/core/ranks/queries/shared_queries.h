/* shared_queries: bins and distances of queries, of which each rank computes those of a range of rows. */
#pragma once

#include "core/ranks/shared.h"

/* `bins` and `distances` of eb_implementation; the state is an eb_shared. */
eb_code eb_shared_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);
eb_code eb_shared_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);
