/* self_pairs: accuracy as FASTED's authors count it (their Tables 7 and 8): each point is its own neighbour, and errors
 * are over ordered pairs including (i, i). A point's distance to itself is what the engine's arithmetic gives, which
 * need not be 0: for FASTED s_i + s_i − 2a_ii, with negative values taken as 0. If that distance is beyond ε, the
 * engine has not found the pair.
 */
#pragma once

#include "core/accuracy/accuracy.h"

/* distance[i]: from each point to a copy of itself, as the engine computes it. A self-join never computes this
 * distance; a join of two sets that contain the same points does. INFINITY if the engine finds it beyond ε. 0 for all
 * points if the engine computes the truth. */
eb_code eb_self_distances(const eb_setup *setup, const eb_dataset *points, double eps, eb_job *job, double *distance,
                          eb_status *status);

/* *out is `without` with the self pairs of these distances [n] added. The histogram keeps its range: a self pair
 * outside is in under or over. */
eb_code eb_accuracy_with_self(const eb_accuracy *without, const double *fast, const double *truth, eb_accuracy *out,
                              eb_status *status);
