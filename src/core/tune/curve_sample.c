/* curve_sample: samples the S(ε) curve. One query of each stratum (strata.h) is counted against all points.
 *
 * With c_h neighbours of the query that stands for the N_h points of stratum h: S = Σ N_h·c_h / n, Var S = Σ N_h(N_h −
 * 1)·σ_h² / n². The variance within a stratum, σ_h², is half the squared difference of neighbouring queries' counts,
 * averaged over both neighbours (Wolter, Introduction to Variance Estimation, ch. 8). Counts differ more between two
 * strata than within one, so this estimate is rather too high. But it notices a cluster that begins within a stratum,
 * which the stratum's one query cannot show. The sum of S is below n² < 2^62 and kept exactly.
 *
 * A few differences may dominate the variance, which is then uncertain itself. So the interval is Student's, with
 * Satterthwaite's degrees of freedom, ν = (Σx)²/Σx² for the terms x. Squares of single differences scatter, which makes
 * ν too small: by a factor of 3 when the terms are alike, by more when they are not. A factor of 6 was measured to give
 * the right coverage (tests/bench/curve.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/experiment/statistics.h"
#include "core/sample/strata.h"
#include "core/tune/curve.h"

#define SCATTER 6.0 /* correction of ν for scattering squares, see above */

/* Queries of the early curve. A person sees it after a sixteenth of the work that a large dataset's curve takes. There
 * is no early curve if the whole one has fewer than four times as many queries. */
enum { EARLY_QUERIES = 64, WORTH_AN_EARLY_ONE = 4 * EARLY_QUERIES };

static size_t plan_queries(size_t n, size_t queries)
{
    if (queries == 0) {
        /* A query costs n single distances. A pass costs n²/2 distances in tiles, each several times cheaper. So n/256
         * queries are a few per cent of a pass. Below 64 queries the standard error itself is uncertain, and the
         * brackets grow so wide that keeping their distances costs more than sampling. Above 1024 queries the brackets
         * hardly shrink. */
        queries = n / 256 < 64 ? 64 : n / 256 > 1024 ? 1024 : n / 256;
    }
    if (queries < 4)
        queries = 4;
    return queries < n ? queries : n;
}

/* ---- counting ---- */

typedef struct bin_range {
    uint32_t low, high; /* low > high: empty */
} bin_range;

/* Counts of one query. */
typedef struct counted {
    const uint32_t *count; /* of the range's bins, from range.low on */
    bin_range range;
    uint32_t zeros; /* other points at distance 0 */
} counted;

/* Sums at distance 0, or at a bin's upper edge. */
typedef struct sums {
    uint64_t pairs;  /* n·S; in tally.bin only what this bin adds */
    double parts;    /* Σ (N_h·c_h)²; in tally.bin only what this bin adds */
    double variance; /* n²·Var S */
    double squares;  /* Σ of the squared terms in variance */
} sums;

typedef struct tally {
    const eb_strata *strata;
    size_t n;
    int exponent;    /* of the points' scaling */
    bin_range range; /* bins that are not empty */
    sums zero, *bin; /* [EB_BINS] */
} tally;

/* The smallest ε that includes the whole bin: the inverse of the pair test. */
static double upper_eps(uint32_t bin, int exponent) { return eb_smallest_eps_scaled(eb_bin_top(bin), exponent); }

static double square(double x) { return x * x; }

static void widen(bin_range *range, bin_range by)
{
    range->low = by.low < range->low ? by.low : range->low;
    range->high = by.high > range->high ? by.high : range->high;
}

static counted query_of(const eb_bins *bins, size_t q)
{
    static const uint32_t no_bin = 0; /* bins of no width have no counts to point at */
    size_t width = eb_bins_width(bins);
    return (counted){.count = width > 0 ? bins->count + q * width : &no_bin,
                     .range = {.low = bins->low, .high = bins->high},
                     .zeros = bins->zeros[q]};
}

static uint32_t count_in(const counted *q, uint32_t bin)
{
    return bin >= q->range.low && bin <= q->range.high ? q->count[bin - q->range.low] : 0;
}

static void add_query(tally *t, const counted *q, uint64_t size)
{
    double seen = (double)size * q->zeros;
    t->zero.pairs += size * q->zeros;
    t->zero.parts += square(seen);
    for (uint32_t bin = q->range.low; bin <= q->range.high; bin++) {
        uint32_t count = count_in(q, bin);
        if (count == 0)
            continue;
        double before = seen;
        seen += (double)size * count;
        t->bin[bin].pairs += size * count;
        t->bin[bin].parts += square(seen) - square(before);
    }
}

/* Weight of stratum h's difference to a neighbour in the variance: h's differences are averaged if h has two
 * neighbours. */
static double share_of_difference(const tally *t, size_t h)
{
    double size = (double)t->strata->size[h];
    bool outermost = h == 0 || h + 1 == t->strata->count;
    return size * (size - 1) / (outermost ? 2 : 4);
}

static void add_term(sums *at, double weight, double difference)
{
    double term = weight * square(difference);
    at->variance += term;
    at->squares += square(term);
}

/* Adds the difference of the queries of strata h − 1 and h. */
static void add_difference(tally *t, size_t h, const counted *a, const counted *b)
{
    double weight = share_of_difference(t, h - 1) + share_of_difference(t, h);
    double difference = (double)a->zeros - (double)b->zeros;
    bin_range range = a->range;
    widen(&range, b->range);
    if (weight <= 0)
        return;
    add_term(&t->zero, weight, difference);
    if (range.low > range.high)
        return; /* both queries have all other points at distance 0 */
    /* A difference at distance 0 remains at every edge before the next distance. */
    for (uint32_t bin = 0; difference != 0 && bin < range.low; bin++)
        add_term(&t->bin[bin], weight, difference);
    for (uint32_t bin = range.low; bin <= range.high; bin++) {
        difference += (double)count_in(a, bin) - (double)count_in(b, bin);
        add_term(&t->bin[bin], weight, difference);
    }
}

/* Adds the strata from `first` on. last: the query of the stratum before `first`. */
static void add_strata(tally *t, size_t first, const eb_bins *bins, const counted *last)
{
    counted before = *last;
    widen(&t->range, (bin_range){.low = bins->low, .high = bins->high});
    for (size_t q = 0; q < bins->queries; q++) {
        counted this = query_of(bins, q);
        add_query(t, &this, t->strata->size[first + q]);
        if (first + q > 0)
            add_difference(t, first + q, &before, &this);
        before = this;
    }
}

static eb_code count_strata(tally *t, eb_opened *opened, eb_status *status)
{
    const eb_strata *strata = t->strata;
    eb_bins now = {.low = 1}, before = {.low = 1};
    eb_code failed = EB_OK;
    for (size_t first = 0; first < strata->count && !failed; first += EB_BINS_AT_ONCE) {
        size_t queries = strata->count - first < EB_BINS_AT_ONCE ? strata->count - first : EB_BINS_AT_ONCE;
        failed = eb_ask_bins(opened, strata->row + first, queries, &now, status);
        if (failed)
            break;
        counted last = before.queries > 0 ? query_of(&before, before.queries - 1) : (counted){.range = {.low = 1}};
        add_strata(t, first, &now, &last);
        eb_bins_free(&before);
        before = now;
        failed = eb_job_check(opened->context.job, status);
    }
    eb_bins_free(&before);
    return failed;
}

/* ---- the curve ---- */

/* Two neighbouring queries with the same count, or with none, say little about the variance. S is at best as certain as
 * C + 1 counted pairs allow by Poisson's law, √(C + 1). */
static double standard_error(const tally *t, double s, const sums *at)
{
    double n = (double)t->n, queries = (double)t->strata->count;
    if (t->strata->count == t->n)
        return 0;
    double between = at->variance / square(n), most = 2 * (queries - 1) / 3; /* neighbours share a query */
    double freedom = at->squares > 0 ? fmin(SCATTER * square(at->variance) / at->squares, most) : most;
    double counting = (s * queries + 1) / square(queries) * (1 - queries / n);
    return sqrt(fmax(between, counting)) * eb_student(EB_SIGMAS_95, fmax(freedom, 2)) / EB_SIGMAS_95;
}

static bool is_empty(const tally *t, uint32_t bin) { return t->bin[bin].pairs == 0; }

/* True if the bin's upper edge is a point of the curve: at both ends of a run of empty bins, but not inside it. */
static bool is_edge(const tally *t, uint32_t bin) { return !is_empty(t, bin) || !is_empty(t, bin + 1); }

/* at: the sums up to this point. */
static void add_point(const tally *t, eb_curve *curve, double eps, const sums *at)
{
    double pairs = (double)at->pairs, s = pairs / (double)t->n;
    curve->eps[curve->points] = eps;
    curve->s[curve->points] = s;
    curve->carriers[curve->points] = at->parts > 0 ? square(pairs) / at->parts : 0;
    curve->s_error[curve->points++] = standard_error(t, s, at);
}

static eb_code make_curve(const tally *t, eb_curve *out, eb_status *status)
{
    uint32_t low = t->range.low, high = t->range.high;
    bool any = low <= high;
    size_t room = 1;
    for (uint32_t bin = low; any && bin <= high; bin++)
        room += bin == high || is_edge(t, bin);
    eb_curve curve = {.queries = t->strata->count, .n = t->n};
    curve.eps = malloc(room * sizeof *curve.eps);
    curve.s = malloc(room * sizeof *curve.s);
    curve.s_error = malloc(room * sizeof *curve.s_error);
    curve.carriers = malloc(room * sizeof *curve.carriers);
    if (!curve.eps || !curve.s || !curve.s_error || !curve.carriers) {
        eb_curve_free(&curve);
        return eb_fail_memory(status, "the curve", 4 * room * sizeof *curve.eps);
    }
    sums at = t->zero;
    add_point(t, &curve, any && low > 0 ? upper_eps(low - 1, t->exponent) : 0, &at);
    for (uint32_t bin = low; any && bin <= high; bin++) {
        at = (sums){.pairs = at.pairs + t->bin[bin].pairs,
                    .parts = at.parts + t->bin[bin].parts,
                    .variance = t->bin[bin].variance,
                    .squares = t->bin[bin].squares};
        if (bin == high || is_edge(t, bin))
            add_point(t, &curve, upper_eps(bin, t->exponent), &at);
    }
    *out = curve;
    return EB_OK;
}

static eb_code ask_queries(const eb_strata *strata, eb_opened *opened, eb_curve *out, eb_status *status)
{
    tally t = {.strata = strata,
               .n = opened->problem.left->n,
               .exponent = opened->scaling.exponent,
               .range = {.low = EB_BINS},
               .bin = calloc(EB_BINS, sizeof *t.bin)};
    if (!t.bin)
        return eb_fail_memory(status, "the curve's bins", EB_BINS * sizeof *t.bin);
    eb_code failed = count_strata(&t, opened, status);
    if (!failed)
        failed = make_curve(&t, out, status);
    free(t.bin);
    return failed;
}

/* Samples one query from each of `queries` strata. */
static eb_code sample(eb_opened *opened, const eb_strata_order *order, size_t queries, uint64_t seed, eb_curve *out,
                      eb_status *status)
{
    eb_strata strata;
    EB_TRY(eb_strata_cut(order, queries, seed, &strata, status));
    eb_code failed = ask_queries(&strata, opened, out, status);
    eb_strata_free(&strata);
    return failed;
}

static eb_code sample_early(eb_opened *opened, const eb_strata_order *order, uint64_t seed,
                            const eb_curve_watcher *watcher, eb_status *status)
{
    eb_curve early;
    EB_TRY(sample(opened, order, EARLY_QUERIES, seed, &early, status));
    watcher->curve(watcher->context, &early);
    eb_curve_free(&early);
    return eb_job_check(opened->context.job, status);
}

eb_code eb_curve_order_make(const eb_dataset *ds, size_t queries, uint64_t seed, eb_job *job, eb_strata_order *out,
                            eb_status *status)
{
    return eb_strata_order_make(ds, plan_queries(ds->n, queries), seed, job, out, status);
}

eb_code eb_curve_sample_ordered(eb_opened *opened, size_t queries, uint64_t seed, const eb_strata_order *order,
                                const eb_curve_watcher *watcher, eb_curve *out, eb_status *status)
{
    const size_t n = opened->problem.left->n;
    queries = plan_queries(n, queries);
    bool early = watcher && queries >= WORTH_AN_EARLY_ONE && queries < n;
    eb_job_phase(opened->context.job, "sampling the curve", early ? EARLY_QUERIES : queries);
    if (early) {
        EB_TRY(sample_early(opened, order, seed, watcher, status));
        eb_job_phase(opened->context.job, "sampling the curve", queries);
    }
    return sample(opened, order, queries, seed, out, status);
}

eb_code eb_curve_sample(eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out, eb_status *status)
{
    eb_strata_order order;
    EB_TRY(eb_curve_order_make(opened->problem.left, queries, seed, opened->context.job, &order, status));
    eb_code failed = eb_curve_sample_ordered(opened, queries, seed, &order, NULL, out, status);
    eb_strata_order_free(&order);
    return failed;
}
