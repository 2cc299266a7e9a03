/* Sampling the S(ε) curve.
 *
 * Points are ranked by their distance to the centroid, with which local density goes along, and cut into strata of
 * equal size. Two random points of each are queries: their difference is what the standard error is made of.
 *
 * Distances are binned by the top bits of s: 64 bins an octave of s (128 of ε), no range to be found first. A bin is
 * (lower, upper], so that S at an edge counts what the pair test at that ε would.
 */
#include "core/study/tune.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

#define BIN_SHIFT 46u   /* 52 − 6: sign, exponent and six fraction bits remain */
#define BINS (1u << 17) /* 2^11 exponents · 64 */
#define BATCH_BYTES ((size_t)64 << 20)

_Static_assert(BINS == (UINT64_MAX >> 1 >> BIN_SHIFT) + 1, "every positive double has a bin");

/* ---- random numbers ---- */

/* splitmix64: a counter hashed; the same seed gives the same sample everywhere. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The remainder favours small numbers by less than bound/2^64, which no sample notices. */
static size_t random_below(uint64_t *state, size_t bound) { return (size_t)(next_random(state) % bound); }

/* ---- strata ---- */

typedef struct ranked {
    double distance2; /* to the centroid */
    uint32_t row;
} ranked;

typedef struct ranking {
    const eb_dataset *ds;
    const double *centroid;
    double *buffer; /* [threads][d] */
    ranked *order;
} ranking;

#define RANK_ROWS 512u

static eb_code rank_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const ranking *r = context;
    size_t d = r->ds->d, begin = (size_t)task * RANK_ROWS;
    size_t end = r->ds->n - begin < RANK_ROWS ? r->ds->n : begin + RANK_ROWS;
    double *x = r->buffer + thread * d;
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(r->ds->dtype, eb_row(r->ds, i), d, x);
        double s = 0;
        for (size_t k = 0; k < d; k++)
            s += (x[k] - r->centroid[k]) * (x[k] - r->centroid[k]);
        r->order[i] = (ranked){.distance2 = s <= DBL_MAX ? s : DBL_MAX, .row = (uint32_t)i};
    }
    return EB_OK;
}

/* The mean of up to 1024 evenly spaced points: near enough for ranking. */
static void find_centroid(const eb_dataset *ds, double *centroid, double *x)
{
    size_t count = ds->n < 1024 ? ds->n : 1024;
    for (size_t c = 0; c < count; c++) {
        eb_to_f64(ds->dtype, eb_row(ds, c * ds->n / count), ds->d, x);
        for (size_t k = 0; k < ds->d; k++)
            centroid[k] += x[k] / (double)count;
    }
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance2 != y->distance2)
        return x->distance2 < y->distance2 ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static eb_code rank_points(const eb_dataset *ds, ranked *order, eb_job *job, eb_status *status)
{
    unsigned threads = eb_cpu_count();
    double *centroid = calloc(ds->d, sizeof *centroid), *buffer = calloc((size_t)threads * ds->d, sizeof *buffer);
    eb_code failed;
    if (centroid && buffer) {
        find_centroid(ds, centroid, buffer);
        ranking r = {.ds = ds, .centroid = centroid, .buffer = buffer, .order = order};
        failed = eb_parallel(threads, (ds->n + RANK_ROWS - 1) / RANK_ROWS, rank_block, &r, job, status);
    } else {
        failed = eb_fail_memory(status, "the centroid", ((size_t)threads + 1) * ds->d * sizeof *centroid);
    }
    if (!failed)
        qsort(order, ds->n, sizeof *order, compare_ranked);
    free(centroid);
    free(buffer);
    return failed;
}

/* How the points are cut: strata of ⌊n/strata⌋ or one more, two queries of each; or every point a query, two by two. */
typedef struct plan {
    size_t n, strata, queries;
    bool census;
} plan;

static plan plan_queries(size_t n, size_t queries)
{
    if (queries == 0) {
        /* A query costs n distances one by one, a pass n²/2 in tiles, several times cheaper each: n/256 queries are
         * a few per cent of a pass. Below 64 queries a standard error is itself uncertain and the brackets grow so
         * wide that keeping their distances costs more than sampling; beyond 1024 they hardly shrink. */
        queries = n / 256 < 64 ? 64 : n / 256 > 1024 ? 1024 : n / 256;
    }
    if (queries < 4)
        queries = 4;
    if (queries >= n)
        return (plan){.n = n, .strata = (n + 1) / 2, .queries = n, .census = true};
    return (plan){.n = n, .strata = queries / 2, .queries = queries / 2 * 2};
}

static size_t stratum_begin(const plan *p, size_t h)
{
    if (p->census)
        return 2 * h < p->n ? 2 * h : p->n;
    size_t each = p->n / p->strata, larger = p->n % p->strata; /* the first ones are larger */
    return h * each + (h < larger ? h : larger);
}

static size_t stratum_size(const plan *p, size_t h) { return stratum_begin(p, h + 1) - stratum_begin(p, h); }

/* The queries, stratum after stratum: two distinct points of each, drawn without favour. */
static void choose_queries(const plan *p, const ranked *order, uint64_t seed, uint32_t *rows)
{
    for (size_t h = 0, q = 0; h < p->strata; h++) {
        size_t begin = stratum_begin(p, h), size = stratum_size(p, h);
        size_t first = 0, second = 1;
        if (!p->census) {
            first = random_below(&seed, size);
            second = random_below(&seed, size - 1);
            second += second >= first;
        }
        rows[q++] = order[begin + first].row;
        if (size > 1)
            rows[q++] = order[begin + second].row;
    }
}

/* ---- counting ---- */

/* With stratum h of Nₕ points and its two queries' cumulated counts c₁, c₂:
 *     S = Σ Nₕ(c₁ + c₂) / 2n,   Var S = Σ Nₕ(Nₕ − 2)(c₁ − c₂)² / 4n²,
 * the (Nₕ − 2) being the correction for drawing without replacement. The first sum is below 2n² < 2^63 and kept
 * exactly. */
typedef struct tally {
    plan plan;
    int exponent;                   /* the points' scaling */
    uint32_t lowest, highest;       /* bins that hold something; lowest > highest: none */
    uint64_t zeros, *pairs;         /* 2n·S's increments: at distance 0, [BINS] */
    double zeros_squares, *squares; /* Σ Nₕ(Nₕ − 2)(c₁ − c₂)²: at distance 0, [BINS] at each bin's upper edge */
    uint32_t *count[2];             /* [BINS] a stratum's two queries; all 0 in between */
} tally;

typedef struct bin_range {
    uint32_t low, high;
} bin_range;

static uint32_t bin_of(double s) /* s > 0 */
{
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    return (uint32_t)((bits - 1) >> BIN_SHIFT);
}

/* The smallest ε that takes in the whole bin: the pair test's own inverse. */
static double upper_eps(uint32_t bin, int exponent)
{
    uint64_t bits = ((uint64_t)bin + 1) << BIN_SHIFT;
    double s;
    memcpy(&s, &bits, sizeof s);
    return eb_smallest_eps_scaled(s, exponent);
}

/* Bins one query's distances to the others; returns how many are 0. An engine that computes by expansion may give an
 * s a little below 0, which every ε takes in, or NaN, which none does. */
static uint32_t bin_distances(const double *s, size_t n, uint32_t self, uint32_t *count, bin_range *range)
{
    uint32_t zeros = 0, low = range->low, high = range->high;
    for (size_t j = 0; j < n; j++) {
        if (s[j] > 0) {
            uint32_t bin = bin_of(s[j]);
            count[bin]++;
            low = bin < low ? bin : low;
            high = bin > high ? bin : high;
        } else {
            zeros += s[j] <= 0;
        }
    }
    *range = (bin_range){.low = low, .high = high};
    return zeros - (s[self] <= 0);
}

static double square(double x) { return x * x; }

/* Takes in one stratum's queries: `taken` is 2, or 1 where a census has an odd point left. */
static void add_stratum(tally *t, size_t size, const double *s, const uint32_t *rows, size_t taken)
{
    size_t n = t->plan.n;
    uint64_t weight = t->plan.census ? 2 : size;
    double spread = t->plan.census ? 0 : (double)size * ((double)size - 2);
    bin_range range = {.low = BINS, .high = 0};
    uint32_t zeros[2] = {0, 0};
    for (size_t q = 0; q < taken; q++)
        zeros[q] = bin_distances(s + q * n, n, rows[q], t->count[q], &range);
    double difference = (double)zeros[0] - (double)zeros[1];
    t->zeros += weight * ((uint64_t)zeros[0] + zeros[1]);
    t->zeros_squares += spread * square(difference);
    if (range.low == BINS)
        return; /* all others lie at distance 0, for both alike */
    /* What differs at 0 differs at every edge until the first distance beyond it. */
    for (uint32_t bin = 0; difference != 0 && bin < range.low; bin++)
        t->squares[bin] += spread * square(difference);
    for (uint32_t bin = range.low; bin <= range.high; bin++) {
        uint32_t a = t->count[0][bin], b = t->count[1][bin];
        t->pairs[bin] += weight * ((uint64_t)a + b);
        difference += (double)a - (double)b;
        t->squares[bin] += spread * square(difference);
        t->count[0][bin] = t->count[1][bin] = 0;
    }
    t->lowest = range.low < t->lowest ? range.low : t->lowest;
    t->highest = range.high > t->highest ? range.high : t->highest;
}

static eb_code count_strata(tally *t, eb_opened *opened, const uint32_t *rows, double *s, size_t batch,
                            eb_status *status)
{
    const plan *p = &t->plan;
    for (size_t first = 0; first < p->strata; first += batch) {
        size_t strata = p->strata - first < batch ? p->strata - first : batch;
        size_t row = 2 * first, queries = row + 2 * strata < p->queries ? 2 * strata : p->queries - row;
        eb_code failed = eb_ask_distances(opened, rows + row, queries, s, status);
        for (size_t h = 0; h < strata && !failed; h++) {
            size_t taken = queries - 2 * h < 2 ? 1 : 2;
            add_stratum(t, stratum_size(p, first + h), s + 2 * h * p->n, rows + row + 2 * h, taken);
            failed = eb_job_check(opened->context.job, status);
        }
        if (failed)
            return failed;
    }
    return EB_OK;
}

/* ---- the curve ---- */

/* Two queries that both saw c neighbours, or both none, say little about their stratum. However even the counts came
 * out, S is not known better than C + 1 counted pairs allow, by Poisson's law: √(C + 1) of them. */
static double standard_error(const plan *p, double s, double squares)
{
    if (p->census)
        return 0;
    double n = (double)p->n, queries = (double)p->queries;
    double between = squares / (4 * n * n);
    double counting = (s * queries + 1) / (queries * queries) * (1 - queries / n);
    return sqrt(fmax(between, counting));
}

static bool is_empty(const tally *t, uint32_t bin) { return t->pairs[bin] == 0; }

/* Whether a bin's upper edge says something: at both ends of a run of empty bins, not inside it. */
static bool is_edge(const tally *t, uint32_t bin) { return !is_empty(t, bin) || !is_empty(t, bin + 1); }

static void add_point(const tally *t, eb_curve *curve, double eps, uint64_t pairs, double squares)
{
    double s = (double)pairs / (2 * (double)t->plan.n);
    curve->eps[curve->points] = eps;
    curve->s[curve->points] = s;
    curve->s_error[curve->points++] = standard_error(&t->plan, s, squares);
}

static eb_code make_curve(const tally *t, eb_curve *out, eb_status *status)
{
    bool any = t->lowest <= t->highest;
    size_t room = 1;
    for (uint32_t bin = t->lowest; any && bin <= t->highest; bin++)
        room += bin == t->highest || is_edge(t, bin);
    eb_curve curve = {.queries = t->plan.queries, .n = t->plan.n};
    curve.eps = malloc(room * sizeof *curve.eps);
    curve.s = malloc(room * sizeof *curve.s);
    curve.s_error = malloc(room * sizeof *curve.s_error);
    if (!curve.eps || !curve.s || !curve.s_error) {
        eb_curve_free(&curve);
        return eb_fail_memory(status, "the curve", 3 * room * sizeof *curve.eps);
    }
    uint64_t pairs = t->zeros;
    add_point(t, &curve, any && t->lowest > 0 ? upper_eps(t->lowest - 1, t->exponent) : 0, pairs, t->zeros_squares);
    for (uint32_t bin = t->lowest; any && bin <= t->highest; bin++) {
        pairs += t->pairs[bin];
        if (bin == t->highest || is_edge(t, bin))
            add_point(t, &curve, upper_eps(bin, t->exponent), pairs, t->squares[bin]);
    }
    *out = curve;
    return EB_OK;
}

static void free_tally(tally *t)
{
    free(t->pairs);
    free(t->squares);
    free(t->count[0]);
    free(t->count[1]);
}

static bool make_tally(const plan *p, int exponent, tally *t)
{
    *t = (tally){.plan = *p, .exponent = exponent, .lowest = BINS};
    t->pairs = calloc(BINS, sizeof *t->pairs);
    t->squares = calloc(BINS, sizeof *t->squares);
    t->count[0] = calloc(BINS, sizeof *t->count[0]);
    t->count[1] = calloc(BINS, sizeof *t->count[1]);
    return t->pairs && t->squares && t->count[0] && t->count[1];
}

static eb_code draw_queries(const plan *p, const eb_dataset *ds, uint64_t seed, uint32_t *rows, eb_job *job,
                            eb_status *status)
{
    ranked *order = malloc(p->n * sizeof *order);
    if (!order)
        return eb_fail_memory(status, "the strata", p->n * sizeof *order);
    eb_code failed = rank_points(ds, order, job, status);
    if (!failed)
        choose_queries(p, order, seed, rows);
    free(order);
    return failed;
}

static eb_code sample(tally *t, eb_opened *opened, uint64_t seed, eb_curve *out, eb_status *status)
{
    const plan *p = &t->plan;
    size_t stratum_bytes = 2 * p->n * sizeof(double);
    size_t batch = stratum_bytes < BATCH_BYTES ? BATCH_BYTES / stratum_bytes : 1;
    if (batch > p->strata)
        batch = p->strata ? p->strata : 1;
    uint32_t *rows = calloc(p->queries, sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "the queries", p->queries * sizeof *rows);
    eb_code failed = draw_queries(p, opened->problem.left, seed, rows, opened->context.job, status);
    if (!failed) {
        double *s = calloc(batch, stratum_bytes);
        if (s)
            failed = count_strata(t, opened, rows, s, batch, status);
        else
            failed = eb_fail_memory(status, "the queries' distances", batch * stratum_bytes);
        free(s);
    }
    free(rows);
    return failed ? failed : make_curve(t, out, status);
}

eb_code eb_curve_sample(eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out, eb_status *status)
{
    plan p = plan_queries(opened->problem.left->n, queries);
    tally t;
    eb_job_phase(opened->context.job, "sampling the curve", p.queries);
    eb_code failed;
    if (make_tally(&p, opened->scaling.exponent, &t))
        failed = sample(&t, opened, seed, out, status);
    else
        failed = eb_fail_memory(status, "the curve's bins", BINS * sizeof(uint64_t) * 3);
    free_tally(&t);
    return failed;
}
