/* estimate: what a small sample of the points says of a question (core/engine/way.h), so that a way can be chosen
 * before any is opened. */
#pragma once

#include "core/engine/way.h"

/* Looks at about `wanted` pairs, drawn without favour, the same each time whatever the number of
 * threads: up to d + 12 nanoseconds each on one of them. The caller
 * frees with eb_estimate_free. */
eb_code eb_estimate_make(const eb_problem *problem, const eb_question *question, size_t wanted, unsigned threads,
                         eb_estimate *out, eb_status *status);
/* As many pairs as are worth looking at: a quarter of a millisecond's worth, or a fiftieth of what brute force takes,
 * by all threads. Few dimensions are told by few pairs. */
size_t eb_estimate_pairs_worth(const eb_problem *problem, eb_device_kind kind, unsigned threads);

void eb_estimate_free(eb_estimate *estimate); /* frees what it holds */
