/* bench_verdict: how often are equal engines called different, and engines that differ found to?
 * usage: bench_verdict [PAIRS [RUNS [FILE]]]
 *
 * First PAIRS (20000 unless said) pairs of made measurements for each kind of noise and number of trials: equal ones,
 * and ones where the second takes 5 % longer. Then RUNS (60) runs of ref64 on the first points of demo, one after the
 * other, each compared with the next: once as they are, once with the second's times made 5 % longer. Their times
 * go to FILE, or come from it when it is there: another version's verdicts on the same runs. Prints Markdown.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/experiment/measure.h"
#include "core/experiment/statistics.h"
#include "engines.h"
#include "io/load.h"
#include "tests/bench/bench_host.h"
#include "tests/unit/noisy_times.h"

enum { MOST_TRIALS = 20, REAL_POINTS = 1500 };
#define LONGER 1.05

/* Verdicts, in per cent of pairs. */
typedef struct tally {
    double different, unclear, found;
} tally;

static void add_pair(tally *t, const double *a, const double *b, size_t trials)
{
    double longer[MOST_TRIALS];
    eb_verdict equal = eb_judge_samples(a, trials, b, trials).verdict;
    for (size_t k = 0; k < trials; k++)
        longer[k] = LONGER * b[k];
    t->different += equal == EB_FASTER || equal == EB_SLOWER;
    t->unclear += equal == EB_UNCLEAR;
    t->found += eb_judge_samples(a, trials, longer, trials).verdict == EB_SLOWER;
}

static void print_tally(const tally *t, size_t pairs)
{
    double share = 100 / (double)pairs;
    printf(" %.2f | %.1f | %.1f |", share * t->different, share * t->unclear, share * t->found);
}

static const size_t trials[] = {3, 5, 10, 20};
#define TRIALS (sizeof trials / sizeof trials[0])

static void print_head(const char *what)
{
    printf("\n| %s |", what);
    for (size_t k = 0; k < TRIALS; k++)
        printf(" %zu trials: false %% | UNCLEAR %% | 5 %% found |", trials[k]);
    printf("\n|---|");
    for (size_t k = 0; k < 3 * TRIALS; k++)
        printf("---:|");
    printf("\n");
}

static void bench_made(size_t pairs)
{
    print_head("noise");
    for (size_t n = 0; n < NOISY_KINDS; n++) {
        printf("| %s |", noisy_kinds[n].name);
        for (size_t k = 0; k < TRIALS; k++) {
            uint64_t seed = 1000 * n + k;
            tally t = {.different = 0};
            for (size_t p = 0; p < pairs; p++) {
                double a[MOST_TRIALS], b[MOST_TRIALS];
                noisy_pair(&noisy_kinds[n], a, b, trials[k], &seed);
                add_pair(&t, a, b, trials[k]);
            }
            print_tally(&t, pairs);
        }
        printf("\n");
    }
}

/* ---- runs on this machine ---- */

static void measure(const eb_dataset *ds, double *times)
{
    eb_status status = {.code = EB_OK};
    const eb_setup setup = setup_of("ref64", 1);
    eb_measure_request request = {.setup = &setup,
                                  .problem = eb_self_join(ds),
                                  .eps = 1400,
                                  .mode = EB_RUN_COUNT,
                                  .trials = MOST_TRIALS,
                                  .warm_up = EB_WARM_UP_FULL};
    eb_run run;
    if (eb_measure(&request, NULL, NULL, &run, &status) != EB_OK)
        die("measuring", &status);
    double *samples = eb_run_samples(&run, eb_figure_total.key);
    if (!samples)
        die("measuring", NULL);
    for (size_t k = 0; k < MOST_TRIALS; k++)
        times[k] = samples[k];
    free(samples);
    eb_run_free(&run);
}

static void measure_all(double (*times)[MOST_TRIALS], size_t runs)
{
    eb_status status = {.code = EB_OK};
    eb_dataset *ds;
    if (eb_load("demo", NULL, &ds, &status) != EB_OK)
        die("demo", &status);
    ds->n = REAL_POINTS;
    for (size_t r = 0; r < runs; r++)
        measure(ds, times[r]);
    eb_dataset_free(ds);
}

static void read_or_measure(double (*times)[MOST_TRIALS], size_t runs, const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file) {
        for (size_t k = 0; k < runs * MOST_TRIALS; k++)
            if (fscanf(file, "%lf", &times[k / MOST_TRIALS][k % MOST_TRIALS]) != 1)
                die(path, NULL);
        (void)fclose(file);
        return;
    }
    measure_all(times, runs);
    file = path ? fopen(path, "w") : NULL;
    for (size_t k = 0; file && k < runs * MOST_TRIALS; k++)
        fprintf(file, "%.9g\n", times[k / MOST_TRIALS][k % MOST_TRIALS]);
    if (file)
        (void)fclose(file);
}

static void bench_real(size_t runs, const char *path)
{
    double(*times)[MOST_TRIALS] = calloc(runs, sizeof *times), cov = 0, medians[2] = {1, 1};
    if (!times)
        die("runs", NULL);
    read_or_measure(times, runs, path);
    for (size_t r = 0; r < runs; r++) {
        eb_summary s = eb_summarise(times[r], MOST_TRIALS);
        cov += 100 * s.cov / (double)runs;
        medians[0] = r == 0 ? s.median : fmin(medians[0], s.median);
        medians[1] = r == 0 ? s.median : fmax(medians[1], s.median);
    }
    print_head("this machine");
    printf("| %zu runs of ref64, one after the other |", runs);
    for (size_t k = 0; k < TRIALS; k++) {
        tally t = {.different = 0};
        for (size_t r = 0; r + 1 < runs; r++)
            add_pair(&t, times[r], times[r + 1], trials[k]);
        print_tally(&t, runs - 1);
    }
    printf("\n\nTheir medians are from %.2f to %.2f ms, the coefficient of variation of 20 trials is %.1f %% in the "
           "mean.\n",
           1e3 * medians[0], 1e3 * medians[1], cov);
    free(times);
}

int main(int argc, char **argv)
{
    size_t pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000, runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 60;
    if (pairs == 0 || runs == 1) {
        fprintf(stderr, "usage: bench_verdict [PAIRS [RUNS [FILE]]]\n");
        return 2;
    }
    eb_register_engines();
    bench_made(pairs);
    if (runs > 0)
        bench_real(runs, argc > 3 ? argv[3] : NULL);
    return 0;
}
