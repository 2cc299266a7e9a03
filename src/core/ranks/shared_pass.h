/* shared_pass: a distance pass of which each rank has a part of the pairs. The distances that other ranks keep come in
 * pieces while rank 0 computes. */
#pragma once

#include "core/ranks/shared.h"

/* `histogram` of eb_implementation; the state is an eb_shared. */
eb_code eb_shared_histogram(void *state, eb_distance_pass *pass, eb_status *status);
