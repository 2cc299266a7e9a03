/* statistics: decides whether one measurement is faster than another.
 *
 * Times of repeated runs are not normally distributed: interference only ever adds time, clocks move in steps, and
 * there are few samples. So the estimate is the median of all ratios bⱼ/aᵢ (Hodges and Lehmann). Its confidence
 * interval runs between order statistics of those ratios, chosen by the exact distribution of the Mann–Whitney count,
 * which assumes nothing about the shape of the noise.
 *
 * A difference needs proof: fewer than one in a hundred pairs of equal engines may be called different. The interval at
 * 90 % must exclude 1, and one of two stricter tests must agree. The first is the interval at 99.2 %. It decides
 * nothing before the fifth trial: of 5 + 5 samples in random order, all of one side come before all of the other in 2
 * of 252 cases, of 3 + 3 in 2 of 20. The second is Student's t of the logarithms at 99.7 %. It sees a difference sooner
 * where trials repeat well; one outlier blinds it, but not the ranks. Its variance is that of both sides and, as one
 * more degree of freedom, that of a quiet machine, since three trials say little about their own scatter. If neither
 * test agrees, the verdict is UNCLEAR, and more trials will decide. Fewer than three trials a side allow no verdict.
 * Measured: tests/bench/verdict.md.
 *
 * A difference that matters is 3 % or more: the same binary run twice differs by up to 2 % through memory layout, clock
 * steps and temperature, and a true difference of 5 % is measured as 3 % or more whenever it can be seen at all. Below
 * 3 % the verdict is SAME where that is proven.
 *
 * SAME needs proof too: not "no difference seen", but an interval wholly within ±5 %. Two noisy measurements whose
 * interval contains both "4 % faster" and "20 % slower" are UNCLEAR, and more trials will decide.
 *
 * Noise above 10 %: an engine on a quiet machine repeats within 1–3 %. A coefficient of variation above 10 % says that
 * another program ran too. It need not have hit both sides alike, so samples that happen not to overlap prove little.
 * Then only a factor of 2 between the medians counts, which no neighbour process causes at 10 %.
 */
#include "core/experiment/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tune/order_statistic.h"

#define FEWEST_SAMPLES 3u
#define WORTH_A_WORD 1.03
#define SURE_Z 2.9677379 /* quantile of the normal distribution for Student's t at 99.7 % */
#define QUIET_DEVIATION 0.01
#define AS_GOOD_AS_EQUAL 1.05
#define NOISY_COV 0.10
#define CLEAR_DESPITE_NOISE 2.0
#define MOST_COUNTED_EXACTLY 50u /* samples of both sides: binomials below 2^53 are exact in FP64 */

typedef struct confidence {
    double error_per_side, z; /* z: quantile of the normal distribution */
} confidence;

static const confidence likely = {0.05, 1.6448536}, sure = {0.004, 2.6520698};

static double median_of_sorted(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] + (sorted[count / 2] - sorted[count / 2 - 1]) / 2;
}

/* The samples without NAN, ascending, on the heap; NULL if none remains or memory is short. */
static double *sorted_samples(const double *samples, size_t count, size_t *remaining)
{
    *remaining = 0;
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted)
        return NULL;
    for (size_t k = 0; k < count; k++)
        if (!isnan(samples[k]))
            sorted[(*remaining)++] = samples[k];
    if (*remaining == 0) {
        free(sorted);
        return NULL;
    }
    qsort(sorted, *remaining, sizeof *sorted, eb_compare_doubles);
    return sorted;
}

static eb_summary summarise_sorted(const double *sorted, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t k = 0; k < count; k++) { /* Welford's update: no large sums to cancel */
        double step = sorted[k] - mean;
        mean += step / (double)(k + 1);
        squares += step * (sorted[k] - mean);
    }
    return (eb_summary){
        .count = count,
        .min = sorted[0],
        .max = sorted[count - 1],
        .median = median_of_sorted(sorted, count),
        .mean = mean,
        .cov = count < 2 ? NAN : sqrt(squares / (double)(count - 1)) / mean,
    };
}

eb_summary eb_summarise(const double *samples, size_t count)
{
    size_t remaining;
    double *sorted = sorted_samples(samples, count, &remaining);
    if (!sorted)
        return (eb_summary){.count = 0, .min = NAN, .median = NAN, .mean = NAN, .max = NAN, .cov = NAN};
    eb_summary summary = summarise_sorted(sorted, remaining);
    free(sorted);
    return summary;
}

/* orders[u] is the number of orders of m + n different samples in which exactly u of the m·n couples are "b before a":
 * the coefficients of the Gaussian binomial ∏ (1 − q^(n+i)) / (1 − q^i), i = 1 … m. Returns how many counts u, from 0
 * on, together are no likelier than error_per_side. The ratio of that rank, counted from 1, is the first inside the
 * interval. */
static size_t unlikely_counts(size_t m, size_t n, double error_per_side)
{
    double orders[MOST_COUNTED_EXACTLY * MOST_COUNTED_EXACTLY / 4 + 1] = {1};
    size_t top = m * n;
    for (size_t i = 1; i <= m; i++) {
        for (size_t u = top; u >= n + i; u--)
            orders[u] -= orders[u - (n + i)];
        for (size_t u = i; u <= top; u++)
            orders[u] += orders[u - i];
    }
    double all = 0, tail = 0;
    for (size_t u = 0; u <= top; u++)
        all += orders[u];
    size_t unlikely = 0;
    while (unlikely < top / 2 && (tail + orders[unlikely]) / all <= error_per_side)
        tail += orders[unlikely++];
    return unlikely;
}

/* The interval runs from the k-th smallest to the k-th largest ratio. Returns k, or 0 if there are too few ratios for
 * this confidence. */
static size_t first_inside(size_t m, size_t n, const confidence *c)
{
    if (m + n <= MOST_COUNTED_EXACTLY)
        return unlikely_counts(m, n, c->error_per_side);
    double couples = (double)m * (double)n;
    double below = floor(couples / 2 - c->z * sqrt(couples * ((double)m + (double)n + 1) / 12));
    return below > 1 ? (size_t)below : 1;
}

typedef struct interval {
    double low, middle, high; /* of the ratio b / a */
    double sure_low, sure_high;
} interval;

static int ratio_interval(const double *a, size_t count_a, const double *b, size_t count_b, interval *out)
{
    size_t couples = count_a * count_b; /* no overflow: at most a thousand trials */
    double *ratios = malloc(couples * sizeof *ratios);
    if (!ratios)
        return 0;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            ratios[i * count_b + j] = b[j] / a[i];
    qsort(ratios, couples, sizeof *ratios, eb_compare_doubles);
    size_t k = first_inside(count_a, count_b, &likely), s = first_inside(count_a, count_b, &sure);
    k = k > 0 ? k - 1 : 0;
    *out = (interval){.low = ratios[k],
                      .middle = median_of_sorted(ratios, couples),
                      .high = ratios[couples - 1 - k],
                      .sure_low = s > 0 ? ratios[s - 1] : 0,
                      .sure_high = s > 0 ? ratios[couples - s] : INFINITY};
    free(ratios);
    return 1;
}

/* ---- Student's t ---- */

double eb_student(double z, double freedom)
{
    double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/* Squared deviations of the logarithms from their mean. */
static double sum_of_squares(const double *samples, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        double x = log(samples[k]), step = x - mean;
        mean += step / (double)(k + 1);
        squares += step * (x - mean);
    }
    return squares;
}

static bool t_is_sure(const double *a, size_t count_a, const double *b, size_t count_b, double ratio)
{
    double freedom = (double)(count_a + count_b) - 1; /* both sides', and one for the quiet machine */
    double squares = sum_of_squares(a, count_a) + sum_of_squares(b, count_b) + QUIET_DEVIATION * QUIET_DEVIATION;
    double error = sqrt(squares / freedom * (1 / (double)count_a + 1 / (double)count_b));
    return fabs(log(ratio)) > error * eb_student(SURE_Z, freedom);
}

/* ---- the verdict ---- */

typedef struct judged {
    size_t count_a, count_b;
    double ratio;  /* of the medians; NAN: times are missing */
    bool has_many; /* enough trials: the next three members are valid */
    interval r;
    bool by_t;
    double noise;
} judged;

static bool is_noisy(const judged *j)
{
    return !(j->noise <= NOISY_COV) && !(j->ratio >= CLEAR_DESPITE_NOISE || j->ratio <= 1 / CLEAR_DESPITE_NOISE);
}

static bool seems_faster(const interval *r) { return r->high < 1 && r->middle <= 1 / WORTH_A_WORD; }
static bool seems_slower(const interval *r) { return r->low > 1 && r->middle >= WORTH_A_WORD; }

/* Conditions are written so that NAN anywhere gives UNCLEAR. */
static eb_verdict verdict_of(const judged *j)
{
    const interval *r = &j->r;
    if (!j->has_many || is_noisy(j))
        return EB_UNCLEAR;
    if (seems_faster(r))
        return j->by_t || r->sure_high < 1 ? EB_FASTER : EB_UNCLEAR;
    if (seems_slower(r))
        return j->by_t || r->sure_low > 1 ? EB_SLOWER : EB_UNCLEAR;
    return r->low >= 1 / AS_GOOD_AS_EQUAL && r->high <= AS_GOOD_AS_EQUAL ? EB_SAME : EB_UNCLEAR;
}

static judged judge(const double *a, size_t count_a, const double *b, size_t count_b)
{
    judged j = {.ratio = NAN};
    double *sorted_a = sorted_samples(a, count_a, &j.count_a), *sorted_b = sorted_samples(b, count_b, &j.count_b);
    if (sorted_a && sorted_b && sorted_a[0] > 0 && sorted_b[0] > 0) {
        eb_summary of_a = summarise_sorted(sorted_a, j.count_a), of_b = summarise_sorted(sorted_b, j.count_b);
        j.ratio = of_b.median / of_a.median;
        j.noise = fmax(of_a.cov, of_b.cov);
        j.has_many = j.count_a >= FEWEST_SAMPLES && j.count_b >= FEWEST_SAMPLES &&
                     ratio_interval(sorted_a, j.count_a, sorted_b, j.count_b, &j.r);
        j.by_t = j.has_many && t_is_sure(sorted_a, j.count_a, sorted_b, j.count_b, j.r.middle);
    }
    free(sorted_a);
    free(sorted_b);
    return j;
}

/* The reason in words: what decided, or what is missing. */
static void say_why(const judged *j, eb_verdict verdict, char reason[EB_REASON_TEXT])
{
    char span[64];
    (void)snprintf(span, sizeof span, "90 %% interval %.3g to %.3g×", j->r.low, j->r.high);
    if (isnan(j->ratio))
        (void)snprintf(reason, EB_REASON_TEXT, "there are no times of both");
    else if (!j->has_many)
        (void)snprintf(reason, EB_REASON_TEXT, "too few trials, %zu and %zu: a verdict takes %u of each", j->count_b,
                       j->count_a, FEWEST_SAMPLES);
    else if (is_noisy(j))
        (void)snprintf(reason, EB_REASON_TEXT, "times scatter by %.0f %% (CoV): something else ran too; try again",
                       100 * j->noise);
    else if (verdict == EB_SAME)
        (void)snprintf(reason, EB_REASON_TEXT, "%s is within ±5 %%", span);
    else if (verdict != EB_UNCLEAR)
        (void)snprintf(reason, EB_REASON_TEXT, "%s, %zu and %zu trials", span, j->count_b, j->count_a);
    else if (seems_faster(&j->r) || seems_slower(&j->r))
        (void)snprintf(reason, EB_REASON_TEXT, "%s: likely, not yet sure; %s trials tell", span,
                       j->count_a + j->count_b < 10 ? "five" : "more");
    else
        (void)snprintf(reason, EB_REASON_TEXT, "%s: equal or different; more trials tell", span);
}

eb_judgement eb_judge_samples(const double *a, size_t count_a, const double *b, size_t count_b)
{
    const judged j = judge(a, count_a, b, count_b);
    eb_judgement out = {.verdict = verdict_of(&j),
                        .ratio = j.ratio,
                        .low = j.has_many ? j.r.low : NAN,
                        .high = j.has_many ? j.r.high : NAN};
    say_why(&j, out.verdict, out.reason);
    return out;
}

const char *eb_verdict_name(eb_verdict verdict)
{
    static const char *const names[] =
        {[EB_UNCLEAR] = "UNCLEAR", [EB_SAME] = "SAME", [EB_FASTER] = "FASTER", [EB_SLOWER] = "SLOWER"};
    return names[verdict];
}
