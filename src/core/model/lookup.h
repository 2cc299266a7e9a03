/* lookup: what look-up tables in shared memory cost a warp whose 32 lanes each look up a code of their own in the same
 * table of 256 entries (an inverted file's scan, core/inverted/question.h), and how many blocks such tables leave an
 * SM.
 */
#pragma once

#include "core/model/occupancy.h"

/* Mean wavefronts of one look-up (banks.h): 32 codes, independent, all 256 equally likely, of entries of 1, 2 or 4
 * bytes that lie one after the other from a multiple of 128 bytes on. The expectation itself, no sample. */
double eb_lookup_wavefronts(unsigned entry_bytes);

/* Blocks of so many threads, each with the tables of m subspaces, that fit an SM; registers are not looked at. */
eb_occupancy eb_lookup_occupancy(const eb_machine *machine, unsigned m, unsigned entry_bytes, unsigned threads);
