/* byte_levels: the numbers that a join of bytes tests with, all of them 32-bit integers. Host and device.
 *
 * Points are bytes, signed or not, of d ≤ EB_BYTES_MOST_D dimensions: a squared distance, a squared norm s and a
 * product a are at most d·255² < 2^31 − 1. With T = ⌊ε²⌋ (at most 2^31 − 2, which no squared distance exceeds) a pair
 * is within ε where s_i + s_j − 2a ≤ T, which as a number without sign is right modulo 2^32.
 *
 * The hot test is a ≥ h_i + h_j with h = ⌊s/2⌋ − ⌈T/4⌉: a ≥ (s_i + s_j − T)/2 ≥ ⌊s_i/2⌋ + ⌊s_j/2⌋ − 2·⌈T/4⌉ where a
 * pair is within ε. Its parts fit: h_i + h_j is in [−2^30, 2^31 − 2], a − h_i − h_j in (−2^31, 2^31), and still is when
 * h_j is the least of a tile's columns.
 *
 * What is no point has a product of 0 with everything, and its level never passes: h_i + h_never > 0, and s_i + s_never
 * is above T and below 2^32, whatever i is.
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define EB_BYTES_BOTH __host__ __device__
#else
#define EB_BYTES_BOTH
#endif

#define EB_BYTES_MOST_D 33025u
#define EB_BYTES_MOST_SQUARED 0x7ffffffeu
#define EB_BYTES_NEVER_H 0x3fffffff
#define EB_BYTES_NEVER_S 0x7fffffff

/* A test that weakens the bound must fail: a build may define this as 1. */
#ifndef EB_BYTES_TOO_HIGH
#define EB_BYTES_TOO_HIGH 0
#endif

/* T. squared_eps: fl(ε·ε). */
static inline uint32_t eb_bytes_threshold(double squared_eps)
{
    return squared_eps < EB_BYTES_MOST_SQUARED ? (uint32_t)squared_eps : EB_BYTES_MOST_SQUARED;
}

static inline EB_BYTES_BOTH int32_t eb_bytes_level(int32_t s, uint32_t threshold)
{
    return s / 2 - (int32_t)((threshold + 3) / 4) + EB_BYTES_TOO_HIGH;
}
