/* rows: some rows of a synthetic dataset. Private to io/synth. */
#pragma once

#include "io/load.h"

/* EB_USAGE or EB_TOO_LARGE for points that synth cannot make. */
eb_code eb_synth_check(eb_dtype dtype, eb_synth_kind kind, size_t n, size_t d, eb_status *status);

/* Makes rows begin … end − 1; begin must be even, as gaussian values come in pairs. values: [end − begin][d]. Advances
 * the job by the rows' units. */
eb_code eb_synth_rows(eb_dtype dtype, eb_synth_kind kind, size_t d, uint64_t seed, size_t begin, size_t end,
                      void *values, eb_job *job, eb_status *status);

/* Units of n rows, for a phase's progress. */
uint64_t eb_synth_units(eb_synth_kind kind, size_t n, size_t d);
