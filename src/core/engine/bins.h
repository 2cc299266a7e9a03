/* bins: how many squared distances lie in each of log-spaced bins, 64 an octave of s (128 of ε), with no range to be
 * found first. A bin is (lower, upper], so that a count up to its upper edge is what the pair test counts there. For
 * host and device.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/status.h"

#ifdef __CUDACC__
#define EB_BINS_BOTH __host__ __device__
#else
#define EB_BINS_BOTH
#endif

#define EB_BIN_SHIFT 46u   /* 52 − 6: sign, exponent and six fraction bits remain */
#define EB_BINS (1u << 17) /* 2^11 exponents · 64: every positive double has one */

/* s > 0 */
EB_BINS_BOTH static inline uint32_t eb_bin_of(double s)
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    return (uint32_t)((bits - 1) >> EB_BIN_SHIFT);
}

/* The greatest s in a bin. */
static inline double eb_bin_top(uint32_t bin)
{
    uint64_t bits = ((uint64_t)bin + 1) << EB_BIN_SHIFT;
    double s;
    memcpy(&s, &bits, sizeof s);
    return s;
}

/* What some queries saw, themselves left out. s may be a little below 0 where an engine computes by expansion, which
 * every ε takes in; NaN, which none does, is in no bin, nor is ∞: a pair that an approximate engine finds at no ε. */
typedef struct eb_bins {
    size_t queries;
    uint32_t low, high; /* bins of `count`; low > high: none, and count is NULL */
    uint32_t *zeros;    /* [queries] at s ≤ 0 */
    uint32_t *count;    /* [queries][high − low + 1] */
} eb_bins;

static inline size_t eb_bins_width(const eb_bins *bins)
{
    return bins->low > bins->high ? 0 : (size_t)bins->high - bins->low + 1;
}

/* Zeroed, for so many queries and bins. Frees what it holds when it fails. */
eb_code eb_bins_make(size_t queries, uint32_t low, uint32_t high, eb_bins *out, eb_status *status);
void eb_bins_free(eb_bins *bins); /* frees what it holds; bins holds nothing afterwards, and may be freed again */
