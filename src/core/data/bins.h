/* bins: counting squared distances in log-spaced bins, 64 per octave of s (128 per octave of ε), without a pass that
 * finds the range first. Bins are intervals (lower, upper], so the count up to an upper edge is what the pair test
 * gives there. Compiles as host and device code.
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
#define EB_BINS (1u << 17) /* 2^11 exponents · 64, enough for every positive double */

/* The bin of s > 0. */
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

/* The binned distances of some queries, without the queries' distances to themselves. An s computed by expansion may be
 * slightly negative; it is within every ε and counts in `zeros`. NaN and ∞ are within no ε and count nowhere: ∞ marks
 * pairs that an approximate engine never finds. */
typedef struct eb_bins {
    size_t queries;
    uint32_t low, high; /* range of bins in `count`; low > high: none, and count is NULL */
    uint32_t *zeros;    /* [queries] distances with s ≤ 0 */
    uint32_t *count;    /* [queries][high − low + 1] */
} eb_bins;

static inline size_t eb_bins_width(const eb_bins *bins)
{
    return bins->low > bins->high ? 0 : (size_t)bins->high - bins->low + 1;
}

/* Allocates zeroed counts. On failure nothing has to be freed. */
eb_code eb_bins_make(size_t queries, uint32_t low, uint32_t high, eb_bins *out, eb_status *status);
void eb_bins_free(eb_bins *bins); /* frees the arrays, not the struct; a second call is harmless */

/* Makes the bins of all queries of several, one after another. The caller frees *out. */
eb_code eb_bins_join(const eb_bins *parts, unsigned count, eb_bins *out, eb_status *status);

/* Upper bound of the s of a query's k-th nearest, k ≥ 1; the query itself may be among the distances. ∞: it has fewer
 * than k. */
double eb_bins_reach(const eb_bins *bins, size_t query, size_t k);

/* ---- counting ---- */

/* The bins of some queries while they are counted, each thread for itself and without locks. */
typedef struct eb_tallied {
    uint32_t *count;              /* EB_BINS for each query; the memory of bins without distances is never touched */
    uint32_t *low, *high, *zeros; /* [queries] low > high: no bin has a distance */
} eb_tallied;

typedef struct eb_tally {
    unsigned threads;
    size_t queries;
    eb_tallied *thread; /* [threads] */
} eb_tally;

/* Rows that are counted at a time. Distances of one query often fall into the same bin, whose count must have reached
 * memory before it is read again; counts of several queries do not wait for each other. */
#define EB_TALLY_AT_ONCE 4u

/* On failure nothing has to be freed. */
eb_code eb_tally_make(unsigned threads, size_t queries, eb_tally *out, eb_status *status);
void eb_tally_free(eb_tally *tally);

/* Counts row[q][0 … count) for the queries first … first + m − 1. Only `thread` may call it with this number. */
void eb_tally_rows(const eb_tally *tally, unsigned thread, size_t first, size_t m, const double *const *row,
                   size_t count);

/* The sums over all threads. The caller frees *out with eb_bins_free. */
eb_code eb_tally_bins(const eb_tally *tally, eb_bins *out, eb_status *status);
