/* random: the random number generator splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * 2014). It hashes a counter, so the same seed gives the same numbers on every machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EB_RANDOM_STEP 0x9e3779b97f4a7c15u /* difference of consecutive counters */

/* The random number of a counter. */
static inline uint64_t eb_random_of(uint64_t counter)
{
    counter = (counter ^ counter >> 30) * 0xbf58476d1ce4e5b9u;
    counter = (counter ^ counter >> 27) * 0x94d049bb133111ebu;
    return counter ^ counter >> 31;
}

static inline uint64_t eb_random(uint64_t *state) { return eb_random_of(*state += EB_RANDOM_STEP); }

/* A number below bound. The remainder favours small numbers by less than bound/2^64, which is negligible. */
static inline size_t eb_random_below(uint64_t *state, size_t bound) { return (size_t)(eb_random(state) % bound); }
