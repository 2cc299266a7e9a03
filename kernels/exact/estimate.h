/* estimate: estimates from a small sample of the points how many pairs answer a question. `exact` chooses a way
 * (core/engine/way.h) by the estimate, before it opens any. */
#pragma once

#include "core/engine/way.h"

/* Samples about `wanted` pairs uniformly, the same pairs with any number of threads. One thread takes up to d + 12
 * nanoseconds per pair. The caller frees with eb_estimate_free. */
eb_code eb_estimate_make(const eb_problem *problem, const eb_question *question, size_t wanted, unsigned threads,
                         eb_estimate *out, eb_status *status);
/* Returns the number of pairs worth sampling: as many as all threads compute in a quarter of a millisecond, or in a
 * fiftieth of the time of brute force if that is longer. Points with at most three dimensions need only few pairs. */
size_t eb_estimate_pairs_worth(const eb_problem *problem, eb_device_kind kind, unsigned threads);

void eb_estimate_free(eb_estimate *estimate); /* frees the distances, not the struct */
