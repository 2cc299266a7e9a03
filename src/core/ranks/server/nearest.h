/* nearest: the k nearest of this rank's range of queries (shared_nearest.h). */
#pragma once

#include "core/ranks/server/asked.h"

eb_code eb_served_nearest(const eb_asked_here *a, eb_status *status);
