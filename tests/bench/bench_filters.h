/* bench_filters: exact joins by certified FP16 and 8-bit filters, beside FASTED of the same build: kernel seconds,
 * pairs left to FP64, and a check that all results agree. Included by bench_gpu.c. */
#pragma once

#include <math.h>

#include "bench_gpu.h"
#include "tests/unit/descriptor_points.h"

static const char *const filter_ways[] = {"fp16", "int8,axes=none", "int8,axes=127", "int8,axes=255"};

static inline eb_code ask_distances(eb_opened *opened, const eb_question *question, uint64_t *pairs, eb_status *status)
{
    const eb_join_plan plan = {.question = *question, .whole = true, .distances = EB_DISTANCES_F64};
    eb_join_result result = {0};
    const eb_code failed = eb_join_run(opened, &plan, forget_rows, NULL, &result, status);
    *pairs = result.pairs;
    return failed;
}

static inline double figure_of(const rate *r, const char *key) { return eb_figures_value(&r->figures, key); }

static inline void row_of_filter(const char *name, const eb_problem *problem, const eb_question *question,
                                 const char *way, const rate *count, const rate *hits, uint64_t *truth)
{
    const eb_dataset *ds = problem->left;
    char spec[40];
    (void)snprintf(spec, sizeof spec, "exact[way=%s]", way);
    const rate counted = time_question(spec, problem, question),
               alone = time_asking(spec, problem, question, ask_table),
               whole = time_asking(spec, problem, question, ask_distances);
    *truth = *truth ? *truth : counted.pairs;
    must_agree(spec, ds->d, counted.pairs, *truth);
    must_agree(spec, ds->d, alone.pairs, *truth);
    must_agree(spec, ds->d, whole.pairs, *truth);
    const double pairs = (double)(*truth - ds->n) / 2;
    (void)printf("| %s | %zu | %zu | %.1f | %.2f | %.2f | %s | %.2f + %.2f | %.2f + %.2f | %.2f + %.2f | %.2f | %.2f | "
                 "%.3f | %.3f | %.2f |\n",
                 name, ds->n, ds->d, 2 * pairs / (double)ds->n, 1e3 * count->kernel_s, 1e3 * hits->kernel_s, way,
                 1e3 * counted.kernel_s, 1e3 * figure_of(&counted, "recheck_s"), 1e3 * alone.kernel_s,
                 1e3 * figure_of(&alone, "recheck_s"), 1e3 * whole.kernel_s, 1e3 * figure_of(&whole, "recheck_s"),
                 (alone.kernel_s + figure_of(&alone, "recheck_s")) / hits->kernel_s,
                 (whole.kernel_s + figure_of(&whole, "recheck_s")) / hits->kernel_s,
                 figure_of(&alone, "candidates") / pairs, figure_of(&alone, "band") / pairs,
                 figure_of(&alone, "bound_share"));
    (void)fflush(stdout);
}

/* Reference |R|: of ref64 if that takes about a second, else of the first filter. */
static inline void rows_of_filters(const char *name, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps > 0 ? eps : eps_of_64("fasted", ds)};
    const rate count = time_question("fasted", &problem, &question),
               hits = time_asking("fasted", &problem, &question, ask_table);
    const double work = (double)ds->n * (double)ds->n * (double)ds->d;
    uint64_t truth = work < 3e13 ? time_question("ref64", &problem, &question).pairs : 0;
    for (size_t k = 0; k < sizeof filter_ways / sizeof filter_ways[0]; k++)
        row_of_filter(name, &problem, &question, filter_ways[k], &count, &hits, &truth);
}

/* The usual points, then files and their ε, as texts that end with NULL. */
static inline void table_of_filters(char *const *files)
{
    static const struct {
        const char *name;
        eb_synth_kind kind;
        size_t n, d;
    } sets[] = {{"clusters", EB_SYNTH_CLUSTERS, 200000, 512},
                {"uniform", EB_SYNTH_UNIFORM, 100000, 128},
                {"uniform", EB_SYNTH_UNIFORM, 100000, 512},
                {"uniform", EB_SYNTH_UNIFORM, 400000, 512}};
    eb_status status = {.message = ""};
    (void)printf("ms: kernels, + FP64's decisions.\n\n| points | n | d | S | fasted counting | fasted with hits | way "
                 "| counting "
                 "| pairs | with f64 distances | pairs ÷ fasted with hits | f64 ÷ | candidates a pair | band a pair | "
                 "worst share "
                 "of the bound |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    eb_dataset *ds = NULL;
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
        stop_on(eb_synth(sets[k].kind, sets[k].n, sets[k].d, 42, NULL, &ds, &status), &status, "synth");
        rows_of_filters(sets[k].name, ds, 0);
        eb_dataset_free(ds);
    }
    stop_on(make_descriptors(200000, 512, &ds, &status), &status, "synth");
    rows_of_filters("descriptors", ds, 0);
    eb_dataset_free(ds);
    for (; files[0] && files[1]; files += 2) {
        stop_on(eb_load(files[0], NULL, &ds, &status), &status, files[0]);
        rows_of_filters(files[0], ds, strtod(files[1], NULL));
        eb_dataset_free(ds);
    }
}
