/* bench_boxes: end-to-end times of `exact` on points where boxes pay: from points in pageable memory to a table with
 * FP64 distances, into fresh memory and into reused memory; counting only; and the share of each part. Included by
 * bench_gpu.c. */
#pragma once

#include <string.h>

#include "bench_table.h"
#include "core/base/clock.h"

#define BOXES "exact[way=boxes]"

/* Seconds from opening to closing, for a table or a count. */
static inline double boxes_once(const char *spec, const eb_dataset *ds, double eps, bool count, eb_figures *figures,
                                uint64_t *pairs)
{
    eb_status status = {.message = ""};
    const eb_setup setup = setup_of(spec);
    const eb_problem problem = eb_self_join(ds);
    const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64, .whole = true};
    eb_opened opened;
    eb_join_result result = {0};
    eb_neighbours *table = NULL;
    const double start_s = eb_now_s();
    stop_on(eb_problem_open(&setup, &problem, NULL, &opened, &status), &status, spec);
    if (count)
        stop_on(ask_count(&opened, &plan.question, &result.pairs, &status), &status, "counting");
    else
        stop_on(eb_join_run(&opened, &plan, keep_table, &table, &result, &status), &status, "joining");
    *figures = opened.figures;
    eb_problem_close(&opened);
    const double seconds = eb_now_s() - start_s;
    must_agree("exact's answers", ds->d, *pairs ? *pairs : result.pairs, result.pairs);
    *pairs = result.pairs;
    eb_neighbours_free(table);
    return seconds;
}

static inline double boxes_median(const char *spec, const eb_dataset *ds, double eps, bool count, bool fresh,
                                  eb_figures *figures, uint64_t *pairs)
{
    double s[TRIALS];
    for (unsigned t = 0; t < TRIALS; t++) {
        if (fresh)
            eb_pool_empty();
        s[t] = boxes_once(spec, ds, eps, count, figures, pairs);
    }
    return eb_summarise(s, TRIALS).median;
}

/* expected: the |R| to verify; 0: unknown. */
static inline void row_of_boxes(const char *spec, const char *name, const eb_dataset *ds, double eps, uint64_t expected)
{
    static const char *const parts[] = {"choice_s", "setup_s",  "upload_s", "convert_s", "order_s",
                                        "list_s",   "kernel_s", "table_s",  "download_s"};
    eb_figures figures = {.count = 0};
    uint64_t pairs = 0;
    (void)boxes_once(spec, ds, eps, true, &figures, &pairs);
    const double counting = boxes_median(spec, ds, eps, true, false, &figures, &pairs);
    const double fresh = boxes_median(spec, ds, eps, false, true, &figures, &pairs);
    const double reused = boxes_median(spec, ds, eps, false, false, &figures, &pairs);
    (void)printf("| %s | %s %zu × %zu | %.6g | %.1f | %.4f | %.4f | %.4f |", spec, name, ds->n, ds->d, eps,
                 1e-6 * (double)pairs, counting, fresh, reused);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        (void)printf(" %.2f |", 1e3 * eb_figures_value(&figures, parts[p]));
    (void)printf(" %.3g | %.3g |%s\n", eb_figures_value(&figures, "leaf_pairs"),
                 eb_figures_value(&figures, "candidates"),
                 expected && pairs != expected ? " NOT THE PAIRS EXPECTED" : "");
    (void)fflush(stdout);
}

/* A row with boxes, and a row with the engine's own choice. */
static inline void rows_of_boxes(const char *name, const eb_dataset *ds, double eps, uint64_t expected)
{
    row_of_boxes(BOXES, name, ds, eps, expected);
    row_of_boxes("exact", name, ds, eps, expected);
}

/* Generated points with about as many pairs as measured datasets have at usual ε. */
static const struct {
    const char *name;
    eb_synth_kind kind;
    size_t n, d;
    double eps[2]; /* 0: none */
} shapes[] = {{"terrain", EB_SYNTH_TERRAIN, 286048, 10, {274, 398}},
              {"coast", EB_SYNTH_COAST, 2000000, 2, {0.147, 0}},
              {"sphere", EB_SYNTH_SPHERE, 10000000, 3, {0.00253, 0}},
              {"uniform", EB_SYNTH_UNIFORM, 200000, 4, {0.093, 0}},
              {"uniform", EB_SYNTH_UNIFORM, 200000, 8, {0.337, 0}},
              {"uniform", EB_SYNTH_UNIFORM, 200000, 16, {0.78, 0}},
              {"clusters", EB_SYNTH_CLUSTERS, 200000, 16, {0.202, 0}},
              {"clusters", EB_SYNTH_CLUSTERS, 200000, 32, {0.316, 0}}};

/* stars: the 10⁶ points of Tycho-2; NULL: left out. only: name of the only points to run; NULL: all. */
static inline void table_of_boxes(const char *stars, const char *only)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    (void)printf("| by | points | ε | 10⁶ pairs | count s | fresh s | reused s | of it, ms: choice | set-up | upload | "
                 "convert | order | list | verdicts | before the first chunk | download | leaf pairs | distances |\n"
                 "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    if (stars && (!only || strcmp(only, "stars") == 0)) {
        stop_on(eb_load(stars, NULL, &ds, &status), &status, stars);
        rows_of_boxes("stars", ds, 0.015, 65296938);
        rows_of_boxes("stars", ds, 0.03, 258226684);
        eb_dataset_free(ds);
    }
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        if (only && strcmp(only, shapes[k].name) != 0)
            continue;
        stop_on(eb_synth_as(EB_F64, shapes[k].kind, shapes[k].n, shapes[k].d, 42, NULL, &ds, &status), &status,
                "synth");
        for (size_t e = 0; e < 2 && shapes[k].eps[e] > 0; e++)
            rows_of_boxes(shapes[k].name, ds, shapes[k].eps[e], 0);
        eb_dataset_free(ds);
    }
}
