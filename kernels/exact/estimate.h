/* estimate: estimates a question's pairs from a small sample of the points (core/engine/way.h), so that a way can be
 * chosen before any is opened. */
#pragma once

#include "core/engine/way.h"

/* Samples about `wanted` pairs uniformly, the same pairs with any number of threads. A pair takes a thread up to d + 12
 * nanoseconds. The caller frees with eb_estimate_free. */
eb_code eb_estimate_make(const eb_problem *problem, const eb_question *question, size_t wanted, unsigned threads,
                         eb_estimate *out, eb_status *status);
/* Returns the number of pairs worth sampling: as many as all threads compute in a quarter of a millisecond, or in a
 * fiftieth of the time of brute force if that is longer. Up to three dimensions need few pairs. */
size_t eb_estimate_pairs_worth(const eb_problem *problem, eb_device_kind kind, unsigned threads);

void eb_estimate_free(eb_estimate *estimate); /* frees the distances, not the struct */
