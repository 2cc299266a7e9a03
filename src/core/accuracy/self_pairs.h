/* self_pairs: accuracy as FASTED's authors count it (their Tables 7 and 8): every point is among its own neighbours,
 * and errors are over ordered pairs, (i, i) among them. A point's distance to itself is what the engine's arithmetic
 * gives, which need not be 0: FASTED's s_i + s_i − 2a_ii, below 0 taken for 0. Where it is beyond ε the engine has not
 * found the pair.
 */
#pragma once

#include "core/accuracy/accuracy.h"

/* distance[i] of each point to a copy of itself, as the engine computes it: a self-join never does, a join of two sets
 * that hold the same points must. INFINITY: more than ε by its verdict. 0 throughout where it computes the truth. */
eb_code eb_self_distances(const eb_setup *setup, const eb_dataset *points, double eps, eb_job *job, double *distance,
                          eb_status *status);

/* *out is `without` and its self pairs, of these distances [n]. The histogram keeps its range: a self pair outside is
 * under or over. */
eb_code eb_accuracy_with_self(const eb_accuracy *without, const double *fast, const double *truth, eb_accuracy *out,
                              eb_status *status);
