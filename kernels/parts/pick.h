/* pick: chooses the points of a sample. Host and device. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/parts/both.h"

/* A sequence of points. With picked = 0 it has all points from number `first` on. Otherwise `count` points are divided
 * into `picked` equal parts, and the sequence has one point of each part, from part `first` on. The position in a part
 * is random, because points stored in a series may repeat at regular distances. */
typedef struct eb_pick {
    uint64_t first, count, picked, seed;
} eb_pick;

static inline eb_pick eb_pick_from(size_t first)
{
    const eb_pick pick = {first, 0, 0, 0};
    return pick;
}

/* Two seeds give two samples; of parts of k points about one in k parts has the same point in both. */
static inline eb_pick eb_pick_spread(size_t count, size_t picked, unsigned seed)
{
    const eb_pick pick = {0, count, picked, seed};
    return pick;
}

static inline eb_pick eb_pick_behind(eb_pick pick, size_t rows)
{
    pick.first += rows;
    return pick;
}

/* The hash of core/base/random.h. */
EB_BOTH_AT_RUN_TIME uint64_t eb_pick_hash(uint64_t counter)
{
    counter = (counter ^ counter >> 30) * 0xbf58476d1ce4e5b9u;
    counter = (counter ^ counter >> 27) * 0x94d049bb133111ebu;
    return counter ^ counter >> 31;
}

EB_BOTH_AT_RUN_TIME uint64_t eb_pick_row(eb_pick pick, uint64_t r)
{
    const uint64_t place = pick.first + r;
    if (pick.picked == 0)
        return place;
    const uint64_t begin = place * pick.count / pick.picked, end = (place + 1) * pick.count / pick.picked;
    return begin + eb_pick_hash((2 * place + pick.seed) * 0x9e3779b97f4a7c15u) % (end - begin);
}
