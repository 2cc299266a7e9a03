/* lookup: the cost of look-up tables in shared memory for a warp whose 32 lanes each look up a code of their own in the
 * same table of 256 entries (an inverted file's scan, core/inverted/question.h), and the number of blocks that such
 * tables leave an SM.
 */
#pragma once

#include "core/model/occupancy.h"

/* Mean wavefronts of one look-up (banks.h): 32 independent codes, all 256 equally likely; entries of 1, 2 or 4 bytes,
 * contiguous from a multiple of 128 bytes on. The exact expectation, not a sample. */
double eb_lookup_wavefronts(unsigned entry_bytes);

/* The occupancy of an SM by blocks of `threads` threads, each with the tables of m subspaces; registers are ignored. */
eb_occupancy eb_lookup_occupancy(const eb_machine *machine, unsigned m, unsigned entry_bytes, unsigned threads);
