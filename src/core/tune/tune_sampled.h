/* tune_sampled: answers of tune by the sampled curve alone. Used inside tune only. */
#pragma once

#include "core/tune/curve.h"

/* Finds out whether distances take few values where the curve reaches the target: many pairs then enter at one ε, and S
 * inside that bin of the curve is not known. Computes the distances of some points to all others. True if in doubt. */
bool eb_target_ties(const eb_opened *opened, const eb_curve *curve, double wanted, uint64_t seed);

/* Sets the target by the curve. ties: to the upper edge of the bin, where S has been sampled; else between its edges.
 * If the curve ends below the wanted S, eps stays NAN. */
void eb_target_by_curve(const eb_curve *curve, bool ties, eb_target *target);

/* The number of queries after which the band of all targets is probably narrow enough; 0: it is so now, or would take
 * more than an eighth of the `points` that queries are drawn from. */
size_t eb_queries_for(const eb_curve *curve, const eb_target *targets, size_t count, double within, size_t points);
