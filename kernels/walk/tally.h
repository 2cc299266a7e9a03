/* tally: a distance pass (engine.h) being filled by threads without locks: each counts and keeps for itself. */
#ifndef EB_KERNELS_WALK_TALLY_H
#define EB_KERNELS_WALK_TALLY_H

#include "core/engine/engine.h"

typedef struct eb_tally eb_tally;

/* The pass outlives it, and has edges. */
eb_code eb_tally_new(const eb_distance_pass *pass, unsigned threads, eb_tally **out, eb_status *status);

/* Squared distances, none beyond the last edge's. */
eb_code eb_tally_take(eb_tally *tally, unsigned thread, const double *s, size_t count, eb_status *status);

/* Fills the pass's pairs and kept; on failure nothing is kept. */
eb_code eb_tally_finish(eb_tally *tally, eb_distance_pass *pass, eb_status *status);
void eb_tally_free(eb_tally *tally); /* NULL is fine */

#endif
