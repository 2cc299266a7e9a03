/* tune_sampled: reads targets from the sampled curve, and says how many queries a narrow band needs. */
#include "core/tune/tune_sampled.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"
#include "core/tune/order_statistic.h"
#include "core/tune/tune.h"

/* ---- ties ---- */

/* LOOKS: points whose distances are looked at. FEWEST: with fewer distances in the bin nothing is known. */
enum { LOOKS = 64, FEWEST = 8, AT_ONCE_BYTES = 1 << 26 };

/* An ε between two edges of the curve may then be wrong by this share of the bin's pairs. */
#define TIED_SHARE 0.1

typedef struct look {
    double low, high; /* squared distances looked for: (low, high] */
    double *kept;
    size_t count, room;
} look;

static void keep_inside(look *l, const double *s, size_t n)
{
    for (size_t k = 0; k < n && l->count < l->room; k++)
        if (s[k] > l->low && s[k] <= l->high)
            l->kept[l->count++] = s[k];
}

static eb_code look_from_points(look *l, const eb_opened *opened, uint64_t seed, double *s, size_t at_once)
{
    const size_t n = opened->problem.left->n;
    uint32_t rows[LOOKS];
    eb_code failed = EB_OK;
    for (size_t k = 0; k < LOOKS; k++)
        rows[k] = (uint32_t)eb_random_below(&seed, n);
    for (size_t first = 0; first < LOOKS && !failed; first += at_once) {
        const size_t m = LOOKS - first < at_once ? LOOKS - first : at_once;
        failed = eb_ask_distances(opened, rows + first, m, s, NULL);
        for (size_t q = 0; q < m && !failed; q++)
            keep_inside(l, s + q * n, n);
    }
    return failed;
}

/* True if one value has a large share of the distances, or if they are too few to tell. */
static bool one_stands_out(look *l)
{
    size_t run = 1, longest = 1;
    qsort(l->kept, l->count, sizeof *l->kept, eb_compare_doubles);
    for (size_t k = 1; k < l->count; k++) {
        run = l->kept[k] == l->kept[k - 1] ? run + 1 : 1;
        longest = run > longest ? run : longest;
    }
    return l->count < FEWEST || (longest > 1 && (double)longest > TIED_SHARE * (double)l->count);
}

/* The first edge at which the curve has the wanted S; the curve reaches it. */
static size_t edge_of(const eb_curve *curve, double wanted)
{
    size_t k = 0;
    while (curve->s[k] < wanted)
        k++;
    return k;
}

bool eb_target_ties(const eb_opened *opened, const eb_curve *curve, double wanted, uint64_t seed)
{
    const size_t n = opened->problem.left->n, fitting = AT_ONCE_BYTES / (n * sizeof(double));
    const size_t at_once = fitting < 1 ? 1 : fitting < LOOKS ? fitting : LOOKS;
    const double eps = eb_curve_eps(curve, wanted);
    if (isnan(eps) || !(eps > 0))
        return true;
    const size_t edge = edge_of(curve, wanted);
    const int exponent = opened->scaling.exponent;
    double *s = malloc(at_once * n * sizeof *s);
    look l = {.low = eb_squared_threshold(eb_scaled_eps(edge > 0 ? curve->eps[edge - 1] : 0, exponent)),
              .high = eb_squared_threshold(eb_scaled_eps(curve->eps[edge], exponent)),
              .room = 4096};
    l.kept = malloc(l.room * sizeof *l.kept);
    const bool unknown = !s || !l.kept || look_from_points(&l, opened, seed, s, at_once);
    const bool ties = unknown || one_stands_out(&l);
    free(s);
    free(l.kept);
    return ties;
}

/* ---- a target by the curve ---- */

void eb_target_by_curve(const eb_curve *curve, bool ties, eb_target *t)
{
    const double wanted = t->wanted, eps = eb_curve_eps(curve, wanted);
    *t = (eb_target){.wanted = wanted,
                     .eps = NAN,
                     .low = NAN,
                     .high = NAN,
                     .middle = NAN,
                     .beyond = NAN,
                     .sampled_eps = eps,
                     .bracket_low = NAN,
                     .bracket_high = NAN};
    if (isnan(eps))
        return;
    t->eps = ties ? curve->eps[edge_of(curve, wanted)] : eps;
    t->selectivity = eb_curve_selectivity(curve, t->eps, &t->low, &t->high);
    t->pairs = (uint64_t)llround((t->selectivity + 1) * (double)curve->n);
    t->sampled = true;
    t->reached_at_zero = t->eps <= 0;
}

bool eb_target_is_narrow(const eb_target *t, double within)
{
    return t->sampled && t->high <= t->wanted * (1 + within) && t->low >= t->wanted * (1 - within);
}

/* ---- how many queries ---- */

/* A wider band needs more queries by the square of its width. They are never more than eight times as many, because the
 * width of a band of few queries is uncertain itself; and a few more than needed, so that one more round is rare. */
#define MORE 1.2
#define MOST_GROWTH 8.0
enum { MOST_SHARE = 8 };

static double excess(const eb_curve *curve, double wanted, double within)
{
    double low, high, eps = eb_curve_eps(curve, wanted);
    if (isnan(eps))
        return 2;
    (void)eb_curve_selectivity(curve, eps, &low, &high);
    return fmax(high - wanted, wanted - low) / (within * wanted);
}

size_t eb_queries_for(const eb_curve *curve, const eb_target *targets, size_t count, double within, size_t points)
{
    double most = floor((double)points / MOST_SHARE), queries = (double)curve->queries, widest = 0;
    for (size_t k = 0; k < count; k++)
        widest = fmax(widest, excess(curve, targets[k].wanted, within));
    const double needed = queries * widest * widest * MORE;
    if (!(widest > 1) || needed > most)
        return 0;
    return (size_t)fmin(fmin(needed, queries * MOST_GROWTH), most) + 1;
}
