/* bench_boxes: boxes on the GPU, end to end: points in pageable memory to a table with FP64 distances, into memory that
 * nobody has touched and into what the last table left; counting alone; and where the time goes. A part of bench_gpu.c.
 */
#ifndef TESTS_BENCH_BENCH_BOXES_H
#define TESTS_BENCH_BENCH_BOXES_H

#include <math.h>
#include <string.h>

#include "bench_table.h"
#include "core/base/clock.h"

extern const eb_implementation eb_boxes_cuda;

static const eb_engine boxes_engine = {.name = "boxes",
                                       .title = "boxes",
                                       .exactness = EB_TRUTH,
                                       .on[EB_DEVICE_CUDA] = {"boxes", &eb_boxes_cuda}};

static inline eb_setup boxes_setup(void)
{
    eb_setup setup = setup_of("ref64");
    setup.engine = &boxes_engine;
    setup.run = &eb_boxes_cuda;
    (void)snprintf(setup.spec, sizeof setup.spec, "boxes");
    return setup;
}

static inline double boxes_eps(const eb_dataset *ds, double selectivity)
{
    eb_status status = {.message = ""};
    eb_curve curve = {.points = 0};
    eb_target target = {.wanted = selectivity};
    unsigned passes = 0;
    const eb_setup setup = boxes_setup();
    stop_on(eb_tune_dataset(&setup, ds, 256, 42, &curve, &target, 1, &passes, NULL, &status), &status, "tuning");
    eb_curve_free(&curve);
    return target.eps;
}

/* Seconds from opening to closing, of a table or a count. */
static inline double boxes_once(const eb_dataset *ds, double eps, bool count, eb_figures *figures, uint64_t *pairs)
{
    eb_status status = {.message = ""};
    const eb_setup setup = boxes_setup();
    const eb_problem problem = eb_self_join(ds);
    const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64, .whole = true};
    eb_opened opened;
    eb_join_result result = {0};
    eb_neighbours *table = NULL;
    const double start_s = eb_now_s();
    stop_on(eb_problem_open(&setup, &problem, NULL, &opened, &status), &status, "boxes");
    if (count)
        stop_on(ask_count(&opened, &plan.question, &result.pairs, &status), &status, "counting");
    else
        stop_on(eb_join_run(&opened, &plan, keep_table, &table, &result, &status), &status, "joining");
    *figures = opened.figures;
    eb_problem_close(&opened);
    const double seconds = eb_now_s() - start_s;
    must_agree("boxes and boxes", ds->d, *pairs ? *pairs : result.pairs, result.pairs);
    *pairs = result.pairs;
    eb_neighbours_free(table);
    return seconds;
}

static inline double boxes_median(const eb_dataset *ds, double eps, bool count, bool fresh, eb_figures *figures,
                                  uint64_t *pairs)
{
    double s[TRIALS];
    for (unsigned t = 0; t < TRIALS; t++) {
        if (fresh)
            eb_pool_empty();
        s[t] = boxes_once(ds, eps, count, figures, pairs);
    }
    return eb_summarise(s, TRIALS).median;
}

/* expected: the |R| that must come out; 0: nobody knows. */
static inline void row_of_boxes(const char *name, const eb_dataset *ds, double eps, uint64_t expected)
{
    static const char *const parts[] = {"upload_s", "convert_s", "order_s",   "list_s",
                                        "kernel_s", "table_s",   "download_s"};
    eb_figures figures = {.count = 0};
    uint64_t pairs = 0;
    (void)boxes_once(ds, eps, true, &figures, &pairs);
    const double counting = boxes_median(ds, eps, true, false, &figures, &pairs);
    const double fresh = boxes_median(ds, eps, false, true, &figures, &pairs);
    const double reused = boxes_median(ds, eps, false, false, &figures, &pairs);
    (void)printf("| %s %zu × %zu | %.6g | %.1f | %.4f | %.4f | %.4f |", name, ds->n, ds->d, eps, 1e-6 * (double)pairs,
                 counting, fresh, reused);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
        (void)printf(" %.2f |", 1e3 * eb_figures_value(&figures, parts[p]));
    (void)printf(" %.3g | %.3g |%s\n", eb_figures_value(&figures, "leaf_pairs"),
                 eb_figures_value(&figures, "candidates"),
                 expected && pairs != expected ? " NOT THE PAIRS EXPECTED" : "");
    (void)fflush(stdout);
}

/* ---- points ---- */

static inline double boxes_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The caller frees both. */
static inline eb_dataset *boxes_dataset(size_t n, size_t d, double **rows)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    *rows = calloc(n * d, sizeof **rows);
    if (!ds || !*rows)
        exit(1);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (const unsigned char *)*rows,
                       .stride = d * sizeof(double)};
    return ds;
}

/* Whole numbers in ten dimensions that three others and a little noise make: as a map of forests is. */
static inline eb_dataset *boxes_map(size_t n, double **rows)
{
    eb_dataset *ds = boxes_dataset(n, 10, rows);
    uint64_t state = 7;
    double weight[10][3];
    for (size_t k = 0; k < 30; k++)
        weight[k / 3][k % 3] = boxes_random(&state) * 500;
    for (size_t i = 0; i < n; i++) {
        const double u[3] = {boxes_random(&state), boxes_random(&state), pow(boxes_random(&state), 3)};
        for (size_t k = 0; k < 10; k++)
            (*rows)[i * 10 + k] =
                floor(weight[k][0] * u[0] + weight[k][1] * u[1] + weight[k][2] * u[2] + 10 * boxes_random(&state));
    }
    return ds;
}

/* Points along a thousand wandering curves, curve after curve. */
static inline eb_dataset *boxes_coast(size_t n, double **rows)
{
    eb_dataset *ds = boxes_dataset(n, 2, rows);
    uint64_t state = 11;
    double x = 0, y = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % (n / 1000) == 0) {
            x = 360 * boxes_random(&state) - 180;
            y = 180 * boxes_random(&state) - 90;
        }
        (*rows)[2 * i] = x += 0.02 * (boxes_random(&state) - 0.5);
        (*rows)[2 * i + 1] = y += 0.02 * (boxes_random(&state) - 0.5);
    }
    return ds;
}

static inline void rows_of_points(const char *name, eb_dataset *ds, double *rows, const double *selectivity,
                                  size_t count)
{
    for (size_t k = 0; k < count; k++)
        row_of_boxes(name, ds, boxes_eps(ds, selectivity[k]), 0);
    free(ds);
    free(rows);
}

/* stars: Tycho-2's 10⁶; NULL: left out. */
static inline void table_of_boxes(const char *stars)
{
    eb_status status = {.message = ""};
    double *rows = NULL;
    eb_dataset *ds = NULL;
    (void)printf("| points | ε | 10⁶ pairs | count s | fresh s | reused s | of it, ms: upload | convert | order | list "
                 "| verdicts | before the first chunk | download | leaf pairs | distances |\n"
                 "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    if (stars) {
        stop_on(eb_load(stars, NULL, &ds, &status), &status, stars);
        row_of_boxes("stars", ds, 0.015, 65296938);
        row_of_boxes("stars", ds, 0.03, 258226684);
        eb_dataset_free(ds);
    }
    const double of_map[] = {66, 265}, of_coast[] = {57};
    ds = boxes_map(286048, &rows);
    rows_of_points("map", ds, rows, of_map, 2);
    ds = boxes_coast(2000000, &rows);
    rows_of_points("coast", ds, rows, of_coast, 1);
    static const size_t dimensions[] = {4, 8, 16, 32};
    for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++) {
        const double usual[] = {64};
        stop_on(eb_synth_as(EB_F64, EB_SYNTH_UNIFORM, 200000, dimensions[k], 42, NULL, &ds, &status), &status, "synth");
        row_of_boxes("uniform", ds, boxes_eps(ds, usual[0]), 0);
        eb_dataset_free(ds);
    }
}

#endif
