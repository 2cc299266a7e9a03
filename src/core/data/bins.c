#include "core/data/bins.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

eb_code eb_bins_make(size_t queries, uint32_t low, uint32_t high, eb_bins *out, eb_status *status)
{
    *out = (eb_bins){.queries = queries, .low = low, .high = high};
    size_t counts = queries * eb_bins_width(out);
    out->zeros = calloc(queries ? queries : 1, sizeof *out->zeros);
    out->count = counts ? calloc(counts, sizeof *out->count) : NULL;
    if (out->zeros && (out->count || counts == 0))
        return EB_OK;
    eb_bins_free(out);
    return eb_fail_memory(status, "the queries' bins", (queries + counts) * sizeof *out->count);
}

void eb_bins_free(eb_bins *bins)
{
    free(bins->zeros);
    free(bins->count);
    *bins = (eb_bins){.low = 1};
}

static void copy_bins(const eb_bins *part, size_t first, eb_bins *out)
{
    const size_t width = eb_bins_width(part), whole = eb_bins_width(out);
    memcpy(out->zeros + first, part->zeros, part->queries * sizeof *part->zeros);
    for (size_t q = 0; q < part->queries && width && out->count; q++)
        memcpy(out->count + (first + q) * whole + (part->low - out->low), part->count + q * width,
               width * sizeof *part->count);
}

eb_code eb_bins_join(const eb_bins *parts, unsigned count, eb_bins *out, eb_status *status)
{
    uint32_t low = EB_BINS, high = 0;
    size_t queries = 0, first = 0;
    for (unsigned p = 0; p < count; p++) {
        queries += parts[p].queries;
        if (eb_bins_width(&parts[p]) == 0)
            continue;
        low = parts[p].low < low ? parts[p].low : low;
        high = parts[p].high > high ? parts[p].high : high;
    }
    EB_TRY(eb_bins_make(queries, low, high, out, status));
    for (unsigned p = 0; p < count; first += parts[p++].queries)
        copy_bins(&parts[p], first, out);
    return EB_OK;
}

double eb_bins_reach(const eb_bins *bins, size_t query, size_t k)
{
    const size_t width = eb_bins_width(bins);
    uint64_t seen = bins->zeros[query];
    size_t bin = 0;
    for (; seen <= k && bin < width; bin++)
        seen += bins->count[query * width + bin];
    if (seen < k)
        return INFINITY;
    return bin == 0 ? 0 : eb_bin_top(bins->low + (uint32_t)bin - 1);
}

/* ---- counting ---- */

/* Tables lie a little more than EB_BINS apart. Else a processor that compares only the last bits of addresses would
 * take the counts of four queries for the same. */
#define PITCH (EB_BINS + 272u)

static void free_thread(eb_tallied *of)
{
    free(of->count);
    free(of->low);
}

static bool make_thread(size_t queries, eb_tallied *out)
{
    out->count = calloc(queries, PITCH * sizeof *out->count);
    out->low = calloc(queries, 3 * sizeof *out->low);
    if (!out->count || !out->low) {
        free_thread(out);
        return false;
    }
    out->high = out->low + queries;
    out->zeros = out->high + queries;
    for (size_t q = 0; q < queries; q++)
        out->low[q] = EB_BINS;
    return true;
}

eb_code eb_tally_make(unsigned threads, size_t queries, eb_tally *out, eb_status *status)
{
    *out = (eb_tally){.queries = queries, .thread = calloc(threads, sizeof *out->thread)};
    const size_t room = queries > 0 ? queries : 1;
    while (out->thread && out->threads < threads && make_thread(room, &out->thread[out->threads]))
        out->threads++;
    if (out->threads == threads)
        return EB_OK;
    eb_tally_free(out);
    return eb_fail_memory(status, "the queries' bins", threads * room * PITCH * sizeof(uint32_t));
}

void eb_tally_free(eb_tally *tally)
{
    for (unsigned t = 0; tally->thread && t < tally->threads; t++)
        free_thread(&tally->thread[t]);
    free(tally->thread);
    *tally = (eb_tally){.threads = 0};
}

/* Zero, negative numbers, ∞ and NaN are not below this once 1 is subtracted from their bits. */
#define POSITIVE ((uint64_t)0x7ff0000000000000 - 1)

static uint32_t *counts_of(const eb_tallied *of, size_t q) { return of->count + q * PITCH; }

static void first_in_bin(const eb_tallied *of, size_t q, uint32_t bin)
{
    of->low[q] = bin < of->low[q] ? bin : of->low[q];
    of->high[q] = bin > of->high[q] ? bin : of->high[q];
}

static inline void count_one(const eb_tallied *of, size_t q, uint32_t *to, double s)
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    if (__builtin_expect(bits - 1 >= POSITIVE, 0))
        of->zeros[q] += s <= 0;
    else if (to[eb_bin_of(s)]++ == 0)
        first_in_bin(of, q, eb_bin_of(s));
}

static void count_four(const eb_tallied *of, size_t q, const double *const row[4], size_t count)
{
    uint32_t *const a = counts_of(of, q), *const b = counts_of(of, q + 1), *const c = counts_of(of, q + 2),
                    *const d = counts_of(of, q + 3);
    for (size_t j = 0; j < count; j++) {
        count_one(of, q, a, row[0][j]);
        count_one(of, q + 1, b, row[1][j]);
        count_one(of, q + 2, c, row[2][j]);
        count_one(of, q + 3, d, row[3][j]);
    }
}

_Static_assert(EB_TALLY_AT_ONCE == 4, "count_four");

void eb_tally_rows(const eb_tally *tally, unsigned thread, size_t first, size_t m, const double *const *row,
                   size_t count)
{
    const eb_tallied *of = &tally->thread[thread];
    size_t q = 0;
    for (; q + EB_TALLY_AT_ONCE <= m; q += EB_TALLY_AT_ONCE)
        count_four(of, first + q, row + q, count);
    for (; q < m; q++)
        for (size_t j = 0; j < count; j++)
            count_one(of, first + q, counts_of(of, first + q), row[q][j]);
}

static void add_up(const eb_tally *tally, size_t q, eb_bins *out)
{
    uint32_t *to = out->count ? out->count + q * eb_bins_width(out) : NULL;
    for (unsigned t = 0; t < tally->threads; t++) {
        const eb_tallied *of = &tally->thread[t];
        out->zeros[q] += of->zeros[q];
        for (uint32_t bin = of->low[q]; to && bin <= of->high[q]; bin++)
            to[bin - out->low] += counts_of(of, q)[bin];
    }
}

eb_code eb_tally_bins(const eb_tally *tally, eb_bins *out, eb_status *status)
{
    uint32_t low = EB_BINS, high = 0;
    for (unsigned t = 0; t < tally->threads; t++)
        for (size_t q = 0; q < tally->queries; q++) {
            const eb_tallied *of = &tally->thread[t];
            low = of->low[q] < low ? of->low[q] : low;
            high = of->high[q] > high ? of->high[q] : high;
        }
    EB_TRY(eb_bins_make(tally->queries, low, high, out, status));
    for (size_t q = 0; q < tally->queries; q++)
        add_up(tally, q, out);
    return EB_OK;
}
