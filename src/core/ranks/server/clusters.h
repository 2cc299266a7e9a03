/* clusters: DBSCAN's two passes over the pairs of this rank (keep/clusters.h). */
#pragma once

#include "core/ranks/server/asked.h"

eb_code eb_served_neighbours(const eb_asked_here *a, eb_status *status);
eb_code eb_served_unite(const eb_asked_here *a, eb_status *status);
