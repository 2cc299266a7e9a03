/* noisy_times: pairs of simulated measurements of the same thing, with a machine's noise. Header-only. */
#pragma once

#include "tests/unit/uneven_points.h"

typedef struct noisy_kind {
    const char *name;
    double deviation; /* deviation of each trial's logarithm */
    double outliers;  /* share of trials that are slower, by 10 % on average */
    double drift;     /* deviation of the logarithm that two consecutive runs drift together */
    double between;   /* deviation of the logarithm between runs */
    double skew;      /* exponential noise added to each trial */
} noisy_kind;

static const noisy_kind noisy_kinds[] = {
    {.name = "0.5 %", .deviation = 0.005},
    {.name = "1 %", .deviation = 0.01},
    {.name = "2 %", .deviation = 0.02},
    {.name = "3 %", .deviation = 0.03},
    {.name = "1 %, one of ten slow", .deviation = 0.01, .outliers = 0.1},
    {.name = "2 %, one of twenty slow", .deviation = 0.02, .outliers = 0.05},
    {.name = "1 %, drifting by 1 %", .deviation = 0.01, .drift = 0.01},
    {.name = "1 %, runs apart by 0.5 %", .deviation = 0.01, .between = 0.005},
    {.name = "0.5 % and 2 % to one side", .deviation = 0.005, .skew = 0.02},
};
#define NOISY_KINDS (sizeof noisy_kinds / sizeof noisy_kinds[0])

static inline void noisy_run(const noisy_kind *kind, double *out, size_t trials, double from, double to, uint64_t *seed)
{
    double level = kind->between > 0 ? kind->between * uneven_normal(seed) : 0;
    for (size_t k = 0; k < trials; k++) {
        double x = level + from + (to - from) * (double)k / (double)trials + kind->deviation * uneven_normal(seed);
        if (uneven_uniform(seed) < kind->outliers)
            x += log(1 - 0.1 * log(uneven_uniform(seed)));
        out[k] = exp(x) - kind->skew * log(uneven_uniform(seed));
    }
}

/* Two consecutive runs of the same thing. */
static inline void noisy_pair(const noisy_kind *kind, double *a, double *b, size_t trials, uint64_t *seed)
{
    double drift = kind->drift > 0 ? kind->drift * uneven_normal(seed) : 0;
    noisy_run(kind, a, trials, 0, drift / 2, seed);
    noisy_run(kind, b, trials, drift / 2, drift, seed);
}
