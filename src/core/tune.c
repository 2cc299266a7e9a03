/* From a curve to exact order statistics: brackets, one pass that counts below them and keeps what is inside, and more passes only
 * for what they missed. */
#include "core/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BRACKET_SIGMAS 4.0
#define KEEP_LIMIT ((uint64_t)1 << 26) /* distances kept in one pass: 512 MiB */
#define NARROWING 1024u                /* pieces a bracket is cut into when it holds too many to keep */
#define EPS_MAX 1e154                  /* its square is finite, and no finite s lies beyond it that a target could mean */

__extension__ typedef unsigned __int128 wide;

/* Where a target's u-th smallest distance lies: above `low` (none when has_low is false), not above `high`. */
typedef struct search {
    eb_target *target;
    uint64_t rank;   /* u: unordered pairs wanted */
    double low, high;
    bool has_low;
    double expected; /* pairs inside, as far as known */
    bool found;
} search;

/* u = ⌈S·n/2⌉, exactly: S is m·2^e with an integer m of 53 bits. */
static uint64_t pairs_wanted(double selectivity, size_t n)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(selectivity, &exponent), 53);
    int shift = exponent - 53 - 1; /* S·n/2 = mantissa · n · 2^shift */
    wide product = (wide)mantissa * n;
    if (shift >= 0)
        return (uint64_t)(product << shift);
    if (shift <= -127)
        return 1;
    wide unit = (wide)1 << -shift;
    return (uint64_t)((product + unit - 1) >> -shift);
}

static eb_code check_target(const eb_target *target, size_t n, eb_status *status)
{
    if (!(target->wanted > 0) || !isfinite(target->wanted))
        return eb_fail(status, EB_USAGE, "a selectivity must be a number above 0, found %g", target->wanted);
    if (target->wanted > (double)n - 1)
        return eb_fail(status, EB_UNREACHABLE,
                       "S = %g is unreachable: with %zu point%s the most is S = %zu, when every point is within ε of all others",
                       target->wanted, n, n == 1 ? "" : "s", n - 1);
    return EB_OK;
}

/* The curve's ±4σ bracket, to whole bins and one more bin each way for the bins' own edges. */
static void bracket(search *b, const eb_curve *curve)
{
    eb_target *t = b->target;
    t->sampled_eps = eb_curve_eps(curve, t->wanted);
    size_t low = 0, high = 0;
    while (low < curve->points && curve->s[low] + BRACKET_SIGMAS * curve->s_error[low] < t->wanted)
        low++;
    while (high < curve->points && curve->s[high] - BRACKET_SIGMAS * curve->s_error[high] < t->wanted)
        high++;
    b->has_low = low >= 2;
    b->low = b->has_low ? curve->eps[low - 2] : 0;
    b->high = high + 1 < curve->points ? curve->eps[high + 1] : EPS_MAX;
    double below = b->has_low ? curve->s[low - 2] : 0, above = high + 1 < curve->points ? curve->s[high + 1] : (double)curve->n - 1;
    b->expected = (above - below) * (double)curve->n / 2;
    if (!(b->high > b->low)) { /* a curve that is not one: search everywhere */
        b->has_low = false;
        b->low = 0;
        b->high = EPS_MAX;
        b->expected = (double)curve->n * ((double)curve->n - 1) / 2;
    }
    t->bracket_low = b->low;
    t->bracket_high = b->high;
}

/* ---- the edges of one pass ---- */

typedef struct edges {
    size_t count;
    double *eps;
    bool *keep;
    uint64_t *pairs;
    double **kept;
} edges;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The ε `piece`/NARROWING of the way from low to high, by bit pattern: pieces shrink to single values in a few rounds. */
static double piece_of(double low, double high, unsigned piece)
{
    uint64_t from, to;
    memcpy(&from, &low, sizeof from);
    memcpy(&to, &high, sizeof to);
    uint64_t at = from + (uint64_t)((wide)(to - from) * piece / NARROWING);
    double eps;
    memcpy(&eps, &at, sizeof eps);
    return eps;
}

static bool too_many(const search *b) { return b->expected > (double)KEEP_LIMIT; }

static void edges_free(edges *e)
{
    for (size_t k = 0; e->kept && k < e->count; k++)
        free(e->kept[k]);
    free(e->eps);
    free(e->keep);
    free(e->pairs);
    free(e->kept);
}

/* Merges the open searches' brackets into ascending edges. A bracket that holds too many is cut into pieces instead of kept. */
static eb_code make_edges(const search *searches, size_t count, edges *e, eb_status *status)
{
    *e = (edges){0};
    size_t room = 0;
    for (size_t k = 0; k < count; k++)
        room += searches[k].found ? 0 : too_many(&searches[k]) ? NARROWING + 1 : 2;
    e->eps = calloc(room, sizeof *e->eps);
    e->keep = calloc(room, sizeof *e->keep);
    e->pairs = calloc(room, sizeof *e->pairs);
    e->kept = calloc(room, sizeof *e->kept);
    if (!e->eps || !e->keep || !e->pairs || !e->kept) {
        edges_free(e);
        return eb_fail_memory(status, "the brackets", room * sizeof *e->eps);
    }
    size_t made = 0;
    for (size_t k = 0; k < count; k++) {
        const search *b = &searches[k];
        if (b->found)
            continue;
        if (b->has_low)
            e->eps[made++] = b->low;
        for (unsigned piece = 1; too_many(b) && piece < NARROWING; piece++)
            e->eps[made++] = piece_of(b->low, b->high, piece);
        e->eps[made++] = b->high;
    }
    qsort(e->eps, made, sizeof *e->eps, compare_doubles);
    for (size_t k = 0; k < made; k++)
        if (k == 0 || e->eps[k] > e->eps[e->count - 1])
            e->eps[e->count++] = e->eps[k];
    for (size_t x = 0; x < e->count; x++) {
        for (size_t k = 0; k < count; k++) {
            const search *b = &searches[k];
            bool inside = e->eps[x] <= b->high && (x == 0 ? !b->has_low : e->eps[x - 1] >= b->low);
            e->keep[x] = e->keep[x] || (!b->found && !too_many(b) && inside);
        }
        /* What another search cuts into pieces is too much to keep for this one as well. */
        for (size_t k = 0; k < count; k++)
            if (!searches[k].found && too_many(&searches[k]) && e->eps[x] <= searches[k].high &&
                (x == 0 ? !searches[k].has_low : e->eps[x - 1] >= searches[k].low))
                e->keep[x] = false;
    }
    return EB_OK;
}

/* ---- selecting ---- */

static void swap(double *a, double *b)
{
    double held = *a;
    *a = *b;
    *b = held;
}

/* The rank-th smallest (from 1) of values, which it reorders. Three-way partition: many equal values cost nothing extra. */
static double select_rank(double *values, uint64_t count, uint64_t rank)
{
    uint64_t begin = 0, end = count, target = rank - 1;
    for (;;) {
        double a = values[begin], b = values[begin + (end - begin) / 2], c = values[end - 1];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        uint64_t less = begin, at = begin, more = end;
        while (at < more) {
            if (values[at] < pivot)
                swap(&values[less++], &values[at++]);
            else if (values[at] > pivot)
                swap(&values[at], &values[--more]);
            else
                at++;
        }
        if (target < less)
            end = less;
        else if (target >= more)
            begin = more;
        else
            return pivot;
    }
}

/* ε is one representable value wide: every pair inside passes the test at `high` and none below it. */
static bool is_single(const search *b) { return b->has_low ? nextafter(b->low, INFINITY) >= b->high : b->high == 0; }

static void settle(search *b, double eps, uint64_t pairs, uint64_t ties, size_t n)
{
    eb_target *t = b->target;
    b->found = true;
    t->eps = eps;
    t->pairs = 2 * pairs + n;
    t->selectivity = 2 * (double)pairs / (double)n;
    t->ties = ties;
    t->reached_at_zero = eps == 0;
}

/* Looks where the wanted rank fell. Either the answer is there, or the search goes on inside that interval. */
static void examine(search *b, const edges *e, size_t n)
{
    uint64_t below = 0, total = (uint64_t)n * (n - 1) / 2;
    size_t x = 0;
    while (x < e->count && below + e->pairs[x] < b->rank)
        below += e->pairs[x++];
    if (x < e->count && e->keep[x]) {
        uint64_t inside = e->pairs[x], counted = 0, ties = 0;
        double s = select_rank(e->kept[x], inside, b->rank - below), eps = eb_smallest_eps(s);
        for (uint64_t k = 0; k < inside; k++) {
            counted += e->kept[x][k] <= eb_squared_threshold(eps);
            ties += e->kept[x][k] == s;
        }
        settle(b, eps, below + counted, ties, n);
        return;
    }
    b->has_low = x > 0;
    b->low = x > 0 ? e->eps[x - 1] : 0;
    b->high = x < e->count ? e->eps[x] : EPS_MAX;
    uint64_t inside = x < e->count ? e->pairs[x] : total - below;
    b->expected = (double)inside;
    if (x < e->count && is_single(b))
        settle(b, b->high, below + inside, inside, n);
}

static bool any_open(const search *searches, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!searches[k].found)
            return true;
    return false;
}

static eb_code make_pass(const eb_engine *engine, void *state, search *searches, size_t count, size_t n, eb_job *job,
                         eb_status *status)
{
    edges e;
    eb_code code = make_edges(searches, count, &e, status);
    if (code != EB_OK)
        return code;
    eb_timing timing = eb_timing_none();
    eb_distance_pass pass = {.edges = e.count, .eps = e.eps, .keep = e.keep, .pairs = e.pairs, .kept = e.kept};
    eb_job_phase(job, "exact pass", n);
    code = engine->histogram(state, &pass, job, &timing, status);
    for (size_t k = 0; k < count && code == EB_OK; k++) {
        if (searches[k].found)
            continue;
        searches[k].target->passes++;
        examine(&searches[k], &e, n);
    }
    edges_free(&e);
    return code;
}

eb_code eb_tune(const eb_engine *engine, void *state, const eb_dataset *ds, const eb_curve *curve, eb_target *targets,
                size_t count, eb_job *job, unsigned *passes, eb_status *status)
{
    *passes = 0;
    for (size_t k = 0; k < count; k++) {
        eb_code code = check_target(&targets[k], ds->n, status);
        if (code != EB_OK)
            return code;
    }
    search *searches = calloc(count ? count : 1, sizeof *searches);
    if (!searches)
        return eb_fail_memory(status, "the targets", count * sizeof *searches);
    for (size_t k = 0; k < count; k++) {
        targets[k] = (eb_target){.wanted = targets[k].wanted};
        searches[k] = (search){.target = &targets[k], .rank = pairs_wanted(targets[k].wanted, ds->n)};
        bracket(&searches[k], curve);
    }
    eb_code code = EB_OK;
    while (code == EB_OK && any_open(searches, count)) {
        code = make_pass(engine, state, searches, count, ds->n, job, status);
        ++*passes;
    }
    free(searches);
    return code;
}

eb_code eb_sweep(const eb_engine *engine, void *state, size_t n, const double *eps, size_t m, uint64_t *pairs, eb_job *job,
                 eb_status *status)
{
    bool *keep = calloc(m ? m : 1, sizeof *keep);
    uint64_t *inside = calloc(m ? m : 1, sizeof *inside);
    double **kept = calloc(m ? m : 1, sizeof *kept);
    eb_code code = EB_OK;
    if (!keep || !inside || !kept)
        code = eb_fail_memory(status, "the sweep", m * sizeof *inside);
    if (code == EB_OK && m > 0) {
        eb_timing timing = eb_timing_none();
        eb_distance_pass pass = {.edges = m, .eps = eps, .keep = keep, .pairs = inside, .kept = kept};
        eb_job_phase(job, "exact pass", n);
        code = engine->histogram(state, &pass, job, &timing, status);
    }
    uint64_t below = 0;
    for (size_t k = 0; k < m && code == EB_OK; k++) {
        below += inside[k];
        pairs[k] = 2 * below + n;
    }
    free(keep);
    free(inside);
    free(kept);
    return code;
}
