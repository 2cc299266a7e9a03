/* bench_certified: the truth by certified FP16 beside FASTED of the same build, on points that have something to rule
 * out and on uniform ones: kernel seconds, what FP64 had to decide, and that the counts are ref64's. A part of
 * bench_gpu.c. */
#ifndef TESTS_BENCH_BENCH_CERTIFIED_H
#define TESTS_BENCH_BENCH_CERTIFIED_H

#include <math.h>

#include "bench_gpu.h"

#define CERTIFIED "exact[way=fp16]"

/* `clusters` centres in the unit cube, points around them: eight uniform numbers make a coordinate, of deviation 0.05.
 */
static inline eb_dataset *clusters_of(size_t n, size_t d, size_t clusters)
{
    eb_status status;
    eb_dataset *ds = NULL;
    stop_on(eb_synth(EB_SYNTH_UNIFORM, n, d, 7, NULL, &ds, &status), &status, "synth");
    float *x = (float *)(uintptr_t)ds->rows, *centre = malloc(clusters * d * sizeof *centre);
    if (!centre)
        exit(1);
    for (size_t k = 0; k < clusters * d; k++)
        centre[k] = x[k];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            x[i * d + k] = centre[i % clusters * d + k] + 0.173f * (x[i * d + k] - 0.5f);
    free(centre);
    return ds;
}

static inline eb_code ask_distances(eb_opened *opened, const eb_question *question, uint64_t *pairs, eb_status *status)
{
    const eb_join_plan plan = {.question = *question, .whole = true, .distances = EB_DISTANCES_F64};
    eb_join_result result = {0};
    const eb_code failed = eb_join_run(opened, &plan, forget_rows, NULL, &result, status);
    *pairs = result.pairs;
    return failed;
}

static inline double figure_of(const rate *r, const char *key) { return eb_figures_value(&r->figures, key); }

static inline void row_of_certified(const char *name, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps > 0 ? eps : eps_of_64("fasted", ds)};
    const rate count = time_question("fasted", &problem, &question),
               hits = time_asking("fasted", &problem, &question, ask_table),
               counted = time_question(CERTIFIED, &problem, &question),
               alone = time_asking(CERTIFIED, &problem, &question, ask_table),
               whole = time_asking(CERTIFIED, &problem, &question, ask_distances),
               truth = time_question("ref64", &problem, &question);
    must_agree("certified and ref64", ds->d, counted.pairs, truth.pairs);
    must_agree("certified and ref64", ds->d, alone.pairs, truth.pairs);
    must_agree("certified and ref64", ds->d, whole.pairs, truth.pairs);
    (void)
        printf("| %s | %zu | %zu | %.1f | %.3f | %.3f | %.3f | %.3f + %.3f | %.3f + %.3f | %.3f + %.3f | %.2f | %.4f | "
               "%.4f | %.3f |\n",
               name, ds->n, ds->d, (double)(truth.pairs - ds->n) / (double)ds->n, 1e3 * truth.kernel_s,
               1e3 * count.kernel_s, 1e3 * hits.kernel_s, 1e3 * counted.kernel_s,
               1e3 * figure_of(&counted, "recheck_s"), 1e3 * alone.kernel_s, 1e3 * figure_of(&alone, "recheck_s"),
               1e3 * whole.kernel_s, 1e3 * figure_of(&whole, "recheck_s"),
               (alone.kernel_s + figure_of(&alone, "recheck_s")) / hits.kernel_s,
               2 * figure_of(&alone, "candidates") / (double)(truth.pairs - ds->n),
               2 * figure_of(&alone, "band") / (double)(truth.pairs - ds->n), figure_of(&alone, "bound_share"));
    (void)fflush(stdout);
}

/* Files and their ε, as text up to a NULL, after the usual points. */
static inline void table_of_certified(char *const *files)
{
    static const size_t uniform[] = {128, 512};
    eb_status status = {.message = ""};
    (void)printf("| points | n | d | S | ref64 counting, ms | fasted counting | fasted with hits | certified counting: "
                 "kernels + FP64 | pairs | with f64 distances | pairs ÷ fasted with hits | candidates a pair | band a "
                 "pair | worst share of the bound |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    eb_dataset *ds = clusters_of(200000, 512, 500);
    row_of_certified("clusters", ds, 0);
    eb_dataset_free(ds);
    for (size_t k = 0; k < sizeof uniform / sizeof uniform[0]; k++) {
        stop_on(eb_synth(EB_SYNTH_UNIFORM, 100000, uniform[k], 42, NULL, &ds, &status), &status, "synth");
        row_of_certified("uniform", ds, 0);
        eb_dataset_free(ds);
    }
    for (; files[0] && files[1]; files += 2) {
        stop_on(eb_load(files[0], NULL, &ds, &status), &status, files[0]);
        row_of_certified(files[0], ds, strtod(files[1], NULL));
        eb_dataset_free(ds);
    }
}

#endif
