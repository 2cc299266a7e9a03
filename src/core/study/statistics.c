/* When is one measurement faster than another?
 *
 * Times of repeated runs are not normally distributed: interference only ever adds, clocks move in steps, and there are
 * few samples. So nothing here rests on means and variances. The estimate is the median of all ratios bⱼ/aᵢ (Hodges and
 * Lehmann), and its confidence interval runs between order statistics of those ratios, chosen by the exact distribution
 * of the Mann–Whitney count, which assumes nothing about the shape of the noise.
 *
 * Confidence, 90 %: what the least we accept can give. Of 3 + 3 samples in random order, all of one side come before
 * all of the other in 2 of 20 cases. So with three trials each the whole range of ratios is the interval, and only
 * samples that do not overlap at all count as different. With fewer than three a side no verdict is honest: UNCLEAR.
 *
 * A difference that matters, 2 %: the same binary run twice differs by about that through memory layout, clock steps
 * and temperature. A difference may be certain and still not worth a word; below 2 % the word is SAME.
 *
 * SAME needs proof too: not "no difference seen", but an interval wholly within ±5 %. Two noisy measurements whose
 * interval holds both "4 % faster" and "20 % slower" are UNCLEAR, and more trials will tell.
 *
 * Noise, 10 %: an engine on a quiet machine repeats within 1–3 %. A coefficient of variation beyond 10 % says that
 * something else ran too, and it need not have hit both sides alike, so samples that happen not to overlap prove
 * little. Then only a factor of 2 between the medians counts: no neighbour process makes that of 10 %.
 */
#include "core/study/statistics.h"

#include <math.h>
#include <stdlib.h>

#define FEWEST_SAMPLES 3u
#define ERROR_PER_SIDE 0.05       /* 90 % between the two sides */
#define NORMAL_QUANTILE 1.6448536 /* of ERROR_PER_SIDE */
#define WORTH_A_WORD 1.02
#define AS_GOOD_AS_EQUAL 1.05
#define NOISY_COV 0.10
#define CLEAR_DESPITE_NOISE 2.0
#define MOST_COUNTED_EXACTLY 50u /* samples of both sides: binomials below 2^53 are exact in FP64 */

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of_sorted(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] + (sorted[count / 2] - sorted[count / 2 - 1]) / 2;
}

/* The samples without NAN, ascending; NULL when none remains or memory is short. */
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
    qsort(sorted, *remaining, sizeof *sorted, compare_doubles);
    return sorted;
}

static eb_summary summarise_sorted(const double *sorted, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t k = 0; k < count; k++) { /* Welford: no large sums to cancel */
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

/* orders[u]: in how many of the orders of m + n different samples exactly u of the m·n couples are "b before a": the
 * coefficients of the Gaussian binomial ∏ (1 − q^(n+i)) / (1 − q^i), i = 1 … m. Returns how many u, from 0 on, are
 * together no likelier than one side's error: that one's number is the first ratio inside the interval, counted from
 * 1. */
static size_t unlikely_counts(size_t m, size_t n)
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
    while (unlikely < top / 2 && (tail + orders[unlikely]) / all <= ERROR_PER_SIDE)
        tail += orders[unlikely++];
    return unlikely;
}

/* The interval is from the k-th smallest to the k-th largest ratio; returns k − 1 ≥ 0. */
static size_t left_out(size_t m, size_t n)
{
    size_t unlikely;
    if (m + n <= MOST_COUNTED_EXACTLY) {
        unlikely = unlikely_counts(m, n);
    } else {
        double couples = (double)m * (double)n;
        double spread = sqrt(couples * ((double)m + (double)n + 1) / 12);
        double below = floor(couples / 2 - NORMAL_QUANTILE * spread);
        unlikely = below > 0 ? (size_t)below : 0;
    }
    return unlikely > 0 ? unlikely - 1 : 0;
}

typedef struct interval {
    double low, middle, high; /* of the ratio b / a */
} interval;

static int ratio_interval(const double *a, size_t count_a, const double *b, size_t count_b, interval *out)
{
    size_t couples = count_a * count_b; /* trials are at most a thousand */
    double *ratios = malloc(couples * sizeof *ratios);
    if (!ratios)
        return 0;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            ratios[i * count_b + j] = b[j] / a[i];
    qsort(ratios, couples, sizeof *ratios, compare_doubles);
    size_t k = left_out(count_a, count_b);
    *out = (interval){.low = ratios[k], .middle = median_of_sorted(ratios, couples), .high = ratios[couples - 1 - k]};
    free(ratios);
    return 1;
}

static eb_verdict judge(const interval *r, double medians, double noise)
{
    /* Written so that NAN anywhere ends in UNCLEAR. */
    if (!(noise <= NOISY_COV) && !(medians >= CLEAR_DESPITE_NOISE || medians <= 1 / CLEAR_DESPITE_NOISE))
        return EB_UNCLEAR;
    if (r->high < 1 && r->middle <= 1 / WORTH_A_WORD)
        return EB_FASTER;
    if (r->low > 1 && r->middle >= WORTH_A_WORD)
        return EB_SLOWER;
    if (r->low >= 1 / AS_GOOD_AS_EQUAL && r->high <= AS_GOOD_AS_EQUAL)
        return EB_SAME;
    return EB_UNCLEAR;
}

eb_verdict eb_compare_samples(const double *a, size_t count_a, const double *b, size_t count_b, double *ratio)
{
    size_t na, nb;
    double *sorted_a = sorted_samples(a, count_a, &na), *sorted_b = sorted_samples(b, count_b, &nb);
    eb_verdict verdict = EB_UNCLEAR;
    double medians = NAN;
    if (sorted_a && sorted_b && sorted_a[0] > 0 && sorted_b[0] > 0) {
        eb_summary of_a = summarise_sorted(sorted_a, na), of_b = summarise_sorted(sorted_b, nb);
        interval r;
        medians = of_b.median / of_a.median;
        if (na >= FEWEST_SAMPLES && nb >= FEWEST_SAMPLES && ratio_interval(sorted_a, na, sorted_b, nb, &r))
            verdict = judge(&r, medians, fmax(of_a.cov, of_b.cov));
    }
    if (ratio)
        *ratio = medians;
    free(sorted_a);
    free(sorted_b);
    return verdict;
}

const char *eb_verdict_name(eb_verdict verdict)
{
    switch (verdict) {
    case EB_UNCLEAR: return "UNCLEAR";
    case EB_SAME: return "SAME";
    case EB_FASTER: return "FASTER";
    case EB_SLOWER: return "SLOWER";
    }
    return "UNCLEAR";
}
