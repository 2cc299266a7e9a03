/* part: which part of a question a rank computes. */
#pragma once

#include "core/engine/engine.h"

/* Of P ranks, the part of a share that rank r computes. */
static inline eb_share eb_share_of_rank(const eb_share *share, unsigned rank, unsigned ranks)
{
    eb_share part = {share->row_begin, share->row_end, share->part * ranks + rank, share->parts * ranks, NULL};
    return part;
}

/* The first of `count` queries that rank r computes; for r = P: count. */
static inline size_t eb_first_of_rank(size_t count, unsigned rank, unsigned ranks)
{
    return (size_t)((uint64_t)count * rank / ranks);
}

/* The distances in a message, at most. */
enum { EB_VALUES_AT_ONCE = 1 << 19 };

/* Hits in a message, at most. */
enum { EB_HITS_AT_ONCE = 1 << 14 };

enum { EB_DESCRIBED = 300 }; /* bytes of an engine's description in an answer */
