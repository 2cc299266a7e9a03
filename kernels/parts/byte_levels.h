/* byte_levels: the 32-bit integers that a join of bytes compares. Host and device.
 *
 * Points are bytes, signed or unsigned, of d ≤ EB_BYTES_MOST_D dimensions: a squared distance, a squared norm s and a
 * product a are at most d·255² < 2^31 − 1. With T = ⌊ε²⌋ (at most 2^31 − 2, which no squared distance exceeds) a pair
 * is within ε if s_i + s_j − 2a ≤ T; as an unsigned number this is correct modulo 2^32.
 *
 * The hot test is a ≥ h_i + h_j with h = ⌊s/2⌋ − ⌈T/4⌉: a pair within ε has a ≥ (s_i + s_j − T)/2 ≥ ⌊s_i/2⌋ + ⌊s_j/2⌋ −
 * 2·⌈T/4⌉. No part overflows: h_i + h_j is in [−2^30, 2^31 − 2], a − h_i − h_j in (−2^31, 2^31), also if h_j is the
 * least of a tile's columns.
 *
 * A left point may have a T_i of its own, at most T, while the right points' levels have T: a pair within it passes
 * with h_i = ⌊s/2⌋ − ⌈T_i/2⌉ + ⌈T/4⌉, and with s_i + (T − T_i) in place of s_i the other test is exact again, for d up
 * to EB_BYTES_MOST_EACH_D, where nothing overflows. Its result is too large by T − T_i.
 *
 * A padding point has a product of 0 with every point, and its level never passes: h_i + h_never > 0, and s_i + s_never
 * is above T and below 2^32, whatever i is.
 */
#pragma once

#include <stdint.h>

#include "kernels/parts/both.h"

#define EB_BYTES_MOST_D 33025u
#define EB_BYTES_MOST_EACH_D 16384u
#define EB_BYTES_MOST_SQUARED 0x7ffffffeu
#define EB_BYTES_NEVER_H 0x3fffffff
#define EB_BYTES_NEVER_S 0x7fffffff

/* A build may define this as 1: the test that weakens the bound must then fail. */
#ifndef EB_BYTES_TOO_HIGH
#define EB_BYTES_TOO_HIGH 0
#endif

/* Returns T. squared_eps: fl(ε·ε). */
static inline uint32_t eb_bytes_threshold(double squared_eps)
{
    return squared_eps < EB_BYTES_MOST_SQUARED ? (uint32_t)squared_eps : EB_BYTES_MOST_SQUARED;
}

EB_BOTH int32_t eb_bytes_level(int32_t s, uint32_t threshold)
{
    return s / 2 - (int32_t)((threshold + 3) / 4) + EB_BYTES_TOO_HIGH;
}

/* h of a left point with a threshold of its own. */
EB_BOTH int32_t eb_bytes_level_each(int32_t s, uint32_t own, uint32_t threshold)
{
    return s / 2 - (int32_t)(own / 2 + own % 2) + (int32_t)((threshold + 3) / 4) + EB_BYTES_TOO_HIGH;
}
