/* statistics: summaries of few samples, and verdicts at the thresholds that statistics.c argues for. */
#include <math.h>

#include "core/experiment/statistics.h"
#include "tests/unit/noisy_times.h"
#include "tests/unit/test.h"

TEST(summaries)
{
    double samples[] = {3, (double)NAN, 1, 2, 10};
    eb_summary s = eb_summarise(samples, 5);
    assert_int_equal(s.count, 4);
    assert_true(s.min == 1 && s.max == 10 && s.median == 2.5 && s.mean == 4);
    assert_true(fabs(s.cov - sqrt(50.0 / 3) / 4) < 1e-15);
    s = eb_summarise(samples, 1);
    assert_true(s.count == 1 && s.median == 3 && s.mean == 3 && isnan(s.cov));
    s = eb_summarise(samples + 1, 1);
    assert_true(s.count == 0 && isnan(s.min) && isnan(s.median) && isnan(s.mean) && isnan(s.max) && isnan(s.cov));
    s = eb_summarise(NULL, 0);
    assert_int_equal(s.count, 0);
    double even[] = {1e308, 1.5e308};
    assert_true(eb_summarise(even, 2).median == 1.25e308);
}

static eb_verdict verdict_of(const double *a, size_t count_a, const double *b, size_t count_b, double *ratio)
{
    const eb_judgement j = eb_judge_samples(a, count_a, b, count_b);
    *ratio = j.ratio;
    return j.verdict;
}

#define VERDICT(a, b) eb_verdict_name(verdict_of(a, sizeof(a) / sizeof *(a), b, sizeof(b) / sizeof *(b), &ratio))

TEST(verdicts_of_three_trials)
{
    double ratio;
    double base[] = {1.00, 1.01, 1.02};
    double twice[] = {2.00, 2.02, 2.05}, half[] = {0.51, 0.50, 0.52};
    assert_string_equal(VERDICT(base, twice), "SLOWER");
    assert_true(fabs(ratio - 2.0) < 1e-12);
    assert_string_equal(VERDICT(base, half), "FASTER");
    assert_string_equal(VERDICT(base, base), "SAME");
    assert_true(ratio == 1);

    double a_little[] = {1.025, 1.03, 1.035}; /* separate, but by less than 3 % */
    assert_string_equal(VERDICT(base, a_little), "SAME");
    double chance[] = {1.035, 1.045, 1.055}; /* separate by 3.5 %, as for three of two hundred pairs of equal engines */
    assert_string_equal(VERDICT(base, chance), "UNCLEAR");
    assert_string_equal(VERDICT(chance, base), "UNCLEAR");
    double more[] = {1.06, 1.07, 1.08};
    assert_string_equal(VERDICT(base, more), "SLOWER");
    assert_string_equal(VERDICT(more, base), "FASTER");
    double overlapping[] = {1.015, 1.09, 1.10}; /* slower, but one sample lies among the others */
    assert_string_equal(VERDICT(base, overlapping), "UNCLEAR");
}

static void expect_reason(const double *a, size_t count_a, const double *b, size_t count_b, const char *part)
{
    const eb_judgement j = eb_judge_samples(a, count_a, b, count_b);
    if (!strstr(j.reason, part))
        fail_msg("\"%s\" is not in \"%s\"", part, j.reason);
}

TEST(verdicts_have_a_reason)
{
    double base[] = {1.00, 1.01, 1.02}, twice[] = {2.00, 2.02, 2.05}, chance[] = {1.035, 1.045, 1.055};
    double noisy[] = {1.0, 1.4, 1.9}, between[] = {0.96, 1.02, 1.09};
    expect_reason(base, 3, twice, 3, "90 % interval 1.96 to 2.05×, 3 and 3 trials");
    expect_reason(base, 3, base, 3, "is within ±5 %");
    expect_reason(base, 3, chance, 3, "likely, not yet sure; five trials tell");
    expect_reason(base, 3, between, 3, "equal or different; more trials tell");
    expect_reason(base, 3, noisy, 3, "something else ran too");
    expect_reason(base, 2, twice, 3, "too few trials, 3 and 2: a verdict takes 3 of each");
    expect_reason(base, 3, NULL, 0, "there are no times of both");
}

/* From the smallest to the largest of nine ratios with three trials a side; the interval contains the ratio. */
TEST(a_ratio_has_its_interval)
{
    double base[] = {1.00, 1.02, 1.01}, twice[] = {2.05, 2.00, 2.02}, five[] = {2.00, 2.01, 2.02, 2.03, 2.04};
    eb_judgement j = eb_judge_samples(base, 3, twice, 3);
    assert_true(fabs(j.ratio - 2.0) < 1e-12);
    assert_true(fabs(j.low - 2.00 / 1.02) < 1e-12 && fabs(j.high - 2.05) < 1e-12);
    eb_judgement other = eb_judge_samples(twice, 3, base, 3);
    assert_true(fabs(other.low * j.high - 1) < 1e-12 && fabs(other.high * j.low - 1) < 1e-12);
    eb_judgement more = eb_judge_samples(base, 3, five, 5);
    assert_true(more.low > 2.00 / 1.02 && more.high < 2.04); /* order statistics further inside */
    j = eb_judge_samples(base, 2, twice, 3);
    assert_true(isnan(j.low) && isnan(j.high) && !isnan(j.ratio));
    j = eb_judge_samples(base, 3, NULL, 0);
    assert_true(isnan(j.low) && isnan(j.high) && isnan(j.ratio));
}

TEST(few_or_noisy_samples_are_unclear)
{
    double ratio;
    double base[] = {1.00, 1.01, 1.02}, two[] = {5, 5.01};
    assert_string_equal(VERDICT(base, two), "UNCLEAR");
    assert_true(fabs(ratio - 5.005 / 1.01) < 1e-12);
    double with_unknown[] = {5, (double)NAN, 5.01};
    assert_string_equal(VERDICT(base, with_unknown), "UNCLEAR");
    double noisy[] = {1.2, 1.5, 1.9}; /* slower each time, but another program may have run */
    assert_string_equal(VERDICT(base, noisy), "UNCLEAR");
    double noisy_and_far[] = {12, 15, 19};
    assert_string_equal(VERDICT(base, noisy_and_far), "SLOWER");
    assert_string_equal(VERDICT(noisy_and_far, base), "FASTER");
    double unknown[] = {(double)NAN, (double)NAN, (double)NAN}, zero[] = {0, 0, 0};
    assert_string_equal(VERDICT(base, unknown), "UNCLEAR");
    assert_true(isnan(ratio));
    assert_string_equal(VERDICT(base, zero), "UNCLEAR"); /* below the clock's resolution: no ratio */
    assert_true(isnan(ratio));
    assert_int_equal(eb_judge_samples(base, 3, NULL, 0).verdict, EB_UNCLEAR);
}

/* With more trials single overlaps no longer spoil a verdict, and the exact counts agree with the normal
 * approximation. */
TEST(more_trials_tell_more)
{
    for (size_t count = 8; count <= 40; count += 4) {
        double a[40], b[40], ratio;
        for (size_t k = 0; k < count; k++)
            a[k] = 1 + 0.04 * (double)((k * 7) % count) / (double)count;
        for (size_t k = 0; k < count; k++)
            b[k] = 1.06 * a[count - 1 - k];
        b[3] = 1.0;
        assert_int_equal(verdict_of(a, count, b, count, &ratio), EB_SLOWER);
        assert_int_equal(eb_judge_samples(b, count, a, count).verdict, EB_FASTER);
        assert_int_equal(eb_judge_samples(a, count, a, count).verdict, EB_SAME);
        assert_true(ratio > 1.03 && ratio < 1.08);
    }
}

/* Five trials with an outlier each: Student's t is not sure, the ranks are; with four trials they cannot be. */
TEST(ranks_do_not_mind_outliers)
{
    double ratio;
    double a[] = {1.00, 1.01, 1.02, 0.99, 1.05}, b[] = {1.06, 1.07, 1.07, 1.25, 1.06};
    assert_string_equal(VERDICT(a, b), "SLOWER");
    assert_string_equal(VERDICT(b, a), "FASTER");
    assert_int_equal(eb_judge_samples(a + 1, 4, b + 1, 4).verdict, EB_UNCLEAR);
}

/* Fewer than one in a hundred pairs of equal engines are called different. Of quiet engines, 5 % are detected from the
 * fifth trial on. tests/bench/verdict.md has more pairs. */
TEST(equal_engines_are_not_called_different)
{
    enum { PAIRS = 4000, MOST = 10 };
    static const size_t trials[] = {3, 5, MOST};
    for (size_t n = 0; n < NOISY_KINDS; n++)
        for (size_t t = 0; t < 3; t++) {
            uint64_t seed = 100 * n + t;
            size_t different = 0, found = 0;
            for (size_t p = 0; p < PAIRS; p++) {
                double a[MOST], b[MOST];
                noisy_pair(&noisy_kinds[n], a, b, trials[t], &seed);
                eb_verdict verdict = eb_judge_samples(a, trials[t], b, trials[t]).verdict;
                different += verdict == EB_FASTER || verdict == EB_SLOWER;
                for (size_t k = 0; k < trials[t]; k++)
                    b[k] *= 1.05;
                found += eb_judge_samples(a, trials[t], b, trials[t]).verdict == EB_SLOWER;
            }
            bool quiet = noisy_kinds[n].deviation <= 0.01 && noisy_kinds[n].outliers <= 0 && noisy_kinds[n].skew <= 0;
            if (different > PAIRS / 100 || (quiet && trials[t] >= 5 && found < PAIRS * 95 / 100))
                fail_msg("%s, %zu trials: %zu of %d called different, %zu of 5 %% found", noisy_kinds[n].name,
                         trials[t], different, PAIRS, found);
        }
}

TEST(students_quantiles)
{
    assert_true(fabs(eb_student(1.959964, 3) / 3.182446 - 1) < 0.02); /* tables of 97.5 % … */
    assert_true(fabs(eb_student(1.959964, 10) / 2.228139 - 1) < 0.001);
    assert_true(fabs(eb_student(2.878162, 5) / 5.030244 - 1) < 0.02); /* … and 99.8 % */
    assert_true(fabs(eb_student(1.959964, 1e9) - 1.959964) < 1e-6);
}

RUN_TESTS
