/* statistics: summarises repeated measurements and decides which of two is faster. */
#pragma once

#include <stddef.h>

typedef struct eb_summary {
    size_t count;
    double min, median, mean, max;
    double cov; /* coefficient of variation: sample standard deviation / mean; NAN below 2 samples */
} eb_summary;

/* Leaves out samples that are NAN. All fields are NAN when none remains. */
eb_summary eb_summarise(const double *samples, size_t count);

/* Student's quantile where the normal distribution's quantile is z, by Cornish and Fisher's expansion: within 2 % for
 * the 97.5 % point from 3 degrees of freedom on, for the 99.8 % point from 5 on. */
double eb_student(double z, double freedom);

typedef enum eb_verdict { EB_UNCLEAR, EB_SAME, EB_FASTER, EB_SLOWER } eb_verdict;

const char *eb_verdict_name(eb_verdict verdict); /* "SAME", "FASTER", "SLOWER", "UNCLEAR" */

#define EB_REASON_TEXT 160u

/* The verdict on two runs' trials and its reason. */
typedef struct eb_judgement {
    eb_verdict verdict;
    double ratio;                /* median of b / median of a, below 1 when b is faster; NAN when unknown */
    double low, high;            /* 90 % interval of the ratio b / a; NAN: too few samples */
    char reason[EB_REASON_TEXT]; /* in words: "90 % interval 3.9 to 4.3×, 5 and 5 trials" */
} eb_judgement;

/* Is b faster than the baseline a? Samples are seconds; NAN samples are left out. The .c justifies the thresholds. */
eb_judgement eb_judge_samples(const double *a, size_t count_a, const double *b, size_t count_b);
