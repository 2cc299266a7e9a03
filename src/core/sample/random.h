/* random: splitmix64, a counter hashed: the same seed gives the same numbers everywhere. */
#ifndef EB_CORE_SAMPLE_RANDOM_H
#define EB_CORE_SAMPLE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t eb_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The remainder favours small numbers by less than bound/2^64, which no sample notices. */
static inline size_t eb_random_below(uint64_t *state, size_t bound) { return (size_t)(eb_random(state) % bound); }

#endif
