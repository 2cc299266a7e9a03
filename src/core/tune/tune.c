/* tune: turns a sampled curve into exact order statistics. One pass counts the pairs below the brackets and keeps the
 * distances inside; more passes follow only for brackets that missed. */
#include "core/tune/tune.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/scaling.h"
#include "core/tune/order_statistic.h"
#include "core/tune/tune_search.h"

/* ---- S and pairs ---- */

/* 2u/n. If the exact quotient is at least some double, so is the result. For this, the whole and the fractional part
 * are converted separately when 2u is above 2^53. */
static double selectivity_of(uint64_t pairs, size_t n)
{
    uint64_t ordered = 2 * pairs;
    if (ordered <= (uint64_t)1 << 53)
        return (double)ordered / (double)n;
    uint64_t whole = ordered / n, rest = ordered % n;
    return (double)whole + (double)rest / (double)n;
}

/* Computes ⌈S·n/2⌉ first. With fma, S·n is known without error as p + e, and both are halved. If p/2 is not whole, e/2
 * is too small to reach a whole number. Then steps back while the reported S still equals the S requested: with 10
 * points, 36 pairs are S = 7.2, though the double 7.2 is a little above 72/10. */
uint64_t eb_pairs_wanted(double selectivity, size_t n)
{
    double points = (double)n, product = selectivity * points, half = product / 2;
    double error = fma(selectivity, points, -product) / 2;
    double rounded = ceil(half);
    int64_t least = (int64_t)rounded;
    if (half >= rounded)
        least += (int64_t)ceil(error);
    uint64_t pairs = least > 1 ? (uint64_t)least : 1;
    while (pairs > 1 && selectivity_of(pairs - 1, n) >= selectivity)
        pairs--;
    return pairs;
}

static eb_code check_target(const eb_target *target, size_t n, eb_status *status)
{
    if (!(target->wanted > 0) || !isfinite(target->wanted))
        return eb_fail(status, EB_USAGE, "a selectivity must be a number above 0; found %g", target->wanted);
    if (n == 1)
        return eb_fail(status, EB_UNREACHABLE,
                       "S = %g is unreachable: the dataset has a single point, so the most is S = 0", target->wanted);
    if (target->wanted > (double)(n - 1))
        return eb_fail(status, EB_UNREACHABLE,
                       "S = %.17g is unreachable: with %zu points the most is S = %zu, every point within ε of all "
                       "others",
                       target->wanted, n, n - 1);
    return EB_OK;
}

static void settle(eb_search *b, double eps, uint64_t pairs, uint64_t ties, double middle, size_t n)
{
    eb_target *t = b->target;
    b->found = true;
    t->eps = eps;
    t->middle = middle;
    t->pairs = 2 * pairs + n;
    t->selectivity = selectivity_of(pairs, n);
    t->ties = ties;
    t->reached_at_zero = eps <= 0;
}

static double threshold_of(double eps, int exponent) { return eb_squared_threshold(eb_scaled_eps(eps, exponent)); }

/* True if interval x contains a single ε, at which all its pairs enter. */
static bool is_single(const eb_distance_pass *e, size_t x)
{
    return x > 0 ? nextafter(e->eps[x - 1], INFINITY) >= e->eps[x] : e->eps[x] <= 0;
}

#define FARTHEST 1.25

static double least_above(const eb_distance_pass *e, size_t x, double limit)
{
    double least = INFINITY;
    for (uint64_t k = 0; k < e->pairs[x]; k++)
        least = e->kept[x][k] > limit ? fmin(least, e->kept[x][k]) : least;
    return least;
}

/* The ε of the first pair in the intervals from x on. An interval that was only counted gives its lower end. */
static double next_eps(const eb_distance_pass *e, size_t x, int exponent)
{
    while (x < e->edges && e->pairs[x] == 0)
        x++;
    if (x == e->edges)
        return e->eps[e->edges - 1];
    if (e->keep[x])
        return eb_smallest_eps_scaled(least_above(e, x, -INFINITY), exponent);
    return is_single(e, x) ? e->eps[x] : e->eps[x - 1];
}

/* The middle between ε and the next pair's, NAN if they are neighbours. */
static double middle_of(double eps, double next)
{
    double middle = eps + (fmin(next, FARTHEST * eps) - eps) / 2;
    return middle > eps && middle < next ? middle : NAN;
}

/* Finds the answer among the distances kept of interval x; `below` pairs come before that interval. */
static void settle_by_kept(eb_search *b, const eb_distance_pass *e, size_t x, uint64_t below, const eb_opened *opened)
{
    double s = eb_order_statistic(e->kept[x], e->pairs[x], b->rank - below);
    int exponent = opened->scaling.exponent;
    double eps = eb_smallest_eps_scaled(s, exponent);
    /* fl(ε·ε) may exceed s and include more pairs than s itself, so count with the pair test. */
    double limit = threshold_of(eps, exponent), limit_before = eps > 0 ? threshold_of(nextafter(eps, 0), exponent) : -1;
    uint64_t within = 0, within_before = 0;
    for (uint64_t k = 0; k < e->pairs[x]; k++) {
        within += e->kept[x][k] <= limit;
        within_before += e->kept[x][k] <= limit_before;
    }
    double least = within < e->pairs[x] ? least_above(e, x, limit) : INFINITY;
    double next = isfinite(least) ? eb_smallest_eps_scaled(least, exponent) : next_eps(e, x + 1, exponent);
    settle(b, eps, below + within, within - within_before, middle_of(eps, next), opened->problem.left->n);
}

/* Evaluates a finished pass for one search: sets the target, or narrows floor and ceiling. EB_UNREACHABLE if even the
 * largest ε includes too few pairs (an engine whose distances are NaN). */
static eb_code examine(eb_search *b, const eb_distance_pass *e, const eb_opened *opened, eb_status *status)
{
    uint64_t below = 0;
    size_t x = 0;
    while (x < e->edges && below + e->pairs[x] < b->rank)
        below += e->pairs[x++];
    if (x > 0) {
        b->floor = e->eps[x - 1];
        b->floor_pairs = below;
    }
    if (x == e->edges) {
        b->misses++;
        if (b->floor < DBL_MAX)
            return EB_OK;
        return eb_fail(status, EB_UNREACHABLE,
                       "S = %g is unreachable: %llu unordered pairs are wanted, only %llu have a distance that is a "
                       "number",
                       b->target->wanted, (unsigned long long)b->rank, (unsigned long long)below);
    }
    if (is_single(e, x)) {
        settle(b, e->eps[x], below + e->pairs[x], e->pairs[x],
               middle_of(e->eps[x], next_eps(e, x + 1, opened->scaling.exponent)), opened->problem.left->n);
    } else if (e->keep[x]) {
        settle_by_kept(b, e, x, below, opened);
    } else {
        b->ceiling = e->eps[x];
        b->ceiling_pairs = below + e->pairs[x];
    }
    return b->found ? eb_check_eps_reach(opened, b->target->eps, status) : EB_OK;
}

/* ---- passes ---- */

static eb_code run_pass(eb_opened *opened, eb_distance_pass *pass, eb_status *status)
{
    eb_job_phase(opened->context.job, "exact pass", opened->problem.left->n);
    return eb_ask_histogram(opened, pass, status);
}

static eb_code make_pass(eb_opened *opened, eb_search *searches, size_t count, eb_status *status)
{
    eb_distance_pass pass;
    EB_TRY(eb_pass_make(searches, count, &pass, status));
    eb_code failed = run_pass(opened, &pass, status);
    for (size_t k = 0; k < count && !failed; k++) {
        if (searches[k].found)
            continue;
        searches[k].target->passes++;
        failed = examine(&searches[k], &pass, opened, status);
    }
    eb_pass_free(&pass);
    return failed;
}

static size_t aim_all(eb_search *searches, size_t count, const eb_curve *curve, uint64_t keep_limit)
{
    size_t open = 0;
    for (size_t k = 0; k < count; k++) {
        if (searches[k].found)
            continue;
        eb_search_aim(&searches[k], curve);
        open++;
    }
    eb_searches_limit(searches, count, keep_limit);
    return open;
}

eb_code eb_tune(eb_opened *opened, const eb_curve *curve, eb_target *targets, size_t count, uint64_t keep_limit,
                unsigned *passes, eb_status *status)
{
    size_t n = opened->problem.left->n;
    *passes = 0;
    for (size_t k = 0; k < count; k++)
        EB_TRY(check_target(&targets[k], n, status));
    if (curve->n != n)
        return eb_fail(status, EB_INTERNAL, "a curve of %zu points for a dataset of %zu", curve->n, n);
    eb_search *searches = calloc(count ? count : 1, sizeof *searches);
    if (!searches)
        return eb_fail_memory(status, "the targets", count * sizeof *searches);
    for (size_t k = 0; k < count; k++) {
        double wanted = targets[k].wanted;
        targets[k] = (eb_target){.wanted = wanted,
                                 .eps = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .middle = NAN,
                                 .beyond = NAN,
                                 .sampled_eps = eb_curve_eps(curve, wanted)};
        searches[k] =
            (eb_search){.target = &targets[k], .rank = eb_pairs_wanted(wanted, n), .floor = -1, .ceiling = NAN};
    }
    eb_code failed = EB_OK;
    while (!failed && aim_all(searches, count, curve, keep_limit) > 0) {
        failed = make_pass(opened, searches, count, status);
        *passes += !failed;
    }
    free(searches);
    return failed;
}

/* ---- the next distance after an answer ---- */

enum { FEW_POINTS = 4096 };

eb_code eb_tune_gap(eb_opened *opened, eb_target *t, eb_status *status)
{
    double edge[] = {t->eps * (1 - EB_TIE), t->eps * (1 + EB_TIE), t->eps * FARTHEST}, *kept[3] = {NULL};
    uint64_t pairs[3] = {0};
    eb_distance_pass pass = {.edges = 3,
                             .eps = edge,
                             .keep = (bool[]){false, false, true},
                             .pairs = pairs,
                             .kept = kept};
    if (t->ties < 2 || !(t->eps > 0) || opened->problem.left->n > FEW_POINTS || !isfinite(edge[2]))
        return EB_OK;
    eb_code failed = run_pass(opened, &pass, status);
    double least = INFINITY;
    for (uint64_t k = 0; k < pairs[2] && !failed; k++)
        least = fmin(least, kept[2][k]);
    free(kept[2]);
    if (failed)
        return failed;
    t->near = pairs[1];
    t->beyond = fmin(edge[2], eb_distance_of(least, ldexp(1, -opened->scaling.exponent)));
    return EB_OK;
}

/* ---- sweep ---- */

eb_code eb_sweep_check(const eb_opened *opened, const double *eps, size_t m, eb_status *status)
{
    for (size_t k = 0; k < m; k++) {
        if (!(eps[k] >= 0) || !isfinite(eps[k]))
            return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", eps[k]);
        if (k > 0 && !(eps[k] > eps[k - 1]))
            return eb_fail(status, EB_USAGE, "ε must ascend; found %.17g after %.17g", eps[k], eps[k - 1]);
        EB_TRY(eb_check_eps_reach(opened, eps[k], status));
    }
    return EB_OK;
}

eb_code eb_sweep(eb_opened *opened, const double *eps, size_t m, uint64_t *pairs, eb_status *status)
{
    EB_TRY(eb_sweep_check(opened, eps, m, status));
    if (m == 0)
        return EB_OK;
    bool *keep = calloc(m, sizeof *keep);
    double **kept = calloc(m, sizeof(double *));
    eb_distance_pass pass = {.edges = m, .eps = eps, .keep = keep, .pairs = pairs, .kept = kept};
    memset(pairs, 0, m * sizeof *pairs);
    eb_code failed = keep && kept ? run_pass(opened, &pass, status)
                                  : eb_fail_memory(status, "the sweep", m * (sizeof *keep + sizeof *kept));
    free(keep);
    free(kept);
    uint64_t within = 0;
    for (size_t k = 0; k < m && !failed; k++) {
        within += pairs[k];
        pairs[k] = 2 * within + opened->problem.left->n;
    }
    return failed;
}
