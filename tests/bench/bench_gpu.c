/* bench_gpu: every CUDA engine at n = 100,000 synthetic points, kernel only, beside the limits of the same GPU measured
 * in the same run and the published peers; then whole joins of files, end to end. Prints Markdown. Results are checked
 * before anything is timed and after: all variants of FASTED must find the same |R|, and ted, wmma and ref64 the
 * same on data away from rounding. A schedule that lists every tile of the triangle is timed beside the triangle.
 *
 *     build/bench_gpu [rates | precision [TITLE [D…]] | ladder | lists | table | lowd [D…] | filters [FILE EPS…] |
 * boxes [STARS [NAME]] | [integers] FILE EPS PAIRS…]
 *
 * PAIRS: the |R| that must come out. TITLE: only types with it in their title. rates, precision, ladder, lists, table,
 * lowd, filters, boxes, integers: these alone; rates: fasted's best preset beside cuBLAS.
 */
#include <math.h>
#include <string.h>

#include "bench_boxes.h"
#include "bench_filters.h"
#include "bench_integers.h"
#include "bench_ladder.h"
#include "bench_lowd.h"
#include "bench_precision.h"
#include "bench_table.h"
#include "engines.h"

#define POINTS 100000u

/* Derived TFLOPS of other programs on an H200 at n = 100,000 (docs of the project): FASTED as published, and its latest
 * version. 0: not measured. */
static const struct {
    size_t d;
    double published, latest;
} peers[] = {{64, 28.7, 77.9}, {128, 50.6, 126}, {256, 85.8, 184}, {512, 135, 223},
             {1024, 192, 265}, {2048, 243, 279}, {4096, 244, 284}};

/* All pairs of leaves of 100 points, with the points in stored order: the triangle's tiles as a list. */
static rate time_listed(const char *spec, const eb_dataset *ds, double eps)
{
    enum { LEAF = 100 };
    size_t leaves = (ds->n + LEAF - 1) / LEAF, pairs = 0;
    uint32_t *point = malloc(ds->n * sizeof *point), *first = malloc((leaves + 1) * sizeof *first);
    eb_leaf_pair *pair = malloc(leaves * (leaves + 1) / 2 * sizeof *pair);
    if (!point || !first || !pair)
        exit(1);
    for (size_t k = 0; k < ds->n; k++)
        point[k] = (uint32_t)k;
    for (size_t k = 0; k <= leaves; k++)
        first[k] = (uint32_t)(k < leaves ? k * LEAF : ds->n);
    for (uint32_t a = 0; a < leaves; a++)
        for (uint32_t b = a; b < leaves; b++)
            pair[pairs++] = (eb_leaf_pair){a, b};
    const eb_order order = {.n = ds->n, .point = point, .leaves = leaves, .first = first};
    const eb_problem problem = {.left = ds, .right = ds, .order = &order};
    const eb_question question = {.eps = eps, .schedule = {EB_SCHEDULE_LIST, pairs, pair}};
    rate r = time_question(spec, &problem, &question);
    free(point);
    free(first);
    free(pair);
    return r;
}

static void table_of_lists(void)
{
    static const char *const specs[] = {"fasted", "fasted[-warpgroup]", "ref64", "ted"};
    (void)printf(
        "\n| triangle as a list of tiles ÷ triangle | d | triangle s | list s | ratio |\n|---|---|---|---|---|\n");
    for (size_t d = 64; d <= 512; d *= 2) {
        eb_status status;
        eb_dataset *ds = NULL;
        stop_on(eb_synth(EB_SYNTH_UNIFORM, POINTS, d, 42, NULL, &ds, &status), &status, "synth");
        double eps = eps_of_64("fasted", ds);
        for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
            rate before = time_engine(specs[k], ds, eps), listed = time_listed(specs[k], ds, eps),
                 after = time_engine(specs[k], ds, eps);
            double triangle_s = (before.kernel_s + after.kernel_s) / 2;
            must_agree("list and triangle", d, listed.pairs, before.pairs);
            (void)printf("| %s | %zu | %.5f | %.5f | %.3f |\n", specs[k], d, triangle_s, listed.kernel_s,
                         listed.kernel_s / triangle_s);
            (void)fflush(stdout);
        }
        eb_dataset_free(ds);
    }
}

static void table_for_synthetic(void)
{
    (void)printf("| d | FASTED published | latest | paper preset | mma.sync, not symmetric | of mma limit | best, not "
                 "symmetric | × latest | "
                 "best | ted executed | of limit | wmma executed | ref64 executed | FP64 pipe busy "
                 "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
        eb_status status;
        eb_dataset *ds = NULL;
        stop_on(eb_synth(EB_SYNTH_UNIFORM, POINTS, peers[k].d, 42 + k, NULL, &ds, &status), &status, "synth");
        double eps = eps_of_64("fasted", ds);
        rate paper = time_engine("fasted[paper]", ds, eps);
        rate mma_sync = time_engine("fasted[-symmetric,-warpgroup]", ds, eps);
        rate whole = time_engine("fasted[-symmetric]", ds, eps);
        rate best = time_engine("fasted", ds, eps);
        rate f64 = time_engine("ted", ds, eps);
        rate plain = time_engine("wmma", ds, eps);
        rate truth = time_engine("ref64", ds, eps);
        rate again = time_engine("fasted[paper]", ds, eps);
        must_agree("variants of FASTED", ds->d, paper.pairs, mma_sync.pairs);
        must_agree("variants of FASTED", ds->d, paper.pairs, whole.pairs);
        must_agree("variants of FASTED", ds->d, paper.pairs, best.pairs);
        must_agree("variants of FASTED", ds->d, paper.pairs, again.pairs);
        must_agree("ted and wmma", ds->d, f64.pairs, plain.pairs);
        double off = fabs((double)f64.pairs - (double)truth.pairs) / (double)truth.pairs;
        if (!(off < 1e-6)) {
            (void)fprintf(stderr, "bench_gpu: ted and ref64 disagree at d=%zu: %llu, %llu\n", ds->d,
                          (unsigned long long)f64.pairs, (unsigned long long)truth.pairs);
            exit(1);
        }
        /* ref64 issues two FP64 instructions per dimension and pair; an FMA counts as two FLOPs in the limit. */
        double busy = truth.executed / 1.5 * 2 / (gpu.limit[EB_LIMIT_F64] * 1e-12);
        (void)printf("| %zu | %.1f | %.1f | %.1f | %.1f | %.1f %% | %.1f | %.2f | %.1f | %.1f | %.1f %% | %.1f | %.1f "
                     "| %.1f %% |\n",
                     ds->d, peers[k].published, peers[k].latest, paper.derived, mma_sync.derived,
                     1e14 * mma_sync.derived / gpu.limit[EB_LIMIT_MMA_F16], whole.derived,
                     whole.derived / peers[k].latest, best.derived, f64.executed,
                     1e14 * f64.executed / gpu.limit[EB_LIMIT_MMA_F64], plain.executed, truth.executed, 100 * busy);
        (void)fflush(stdout);
        eb_dataset_free(ds);
    }
}

/* A symmetric join computes half of the products of a full multiplication, so cuBLAS's rate is doubled. */
static void table_beside_cublas(void)
{
    eb_status status = {.message = ""};
    bool there = true;
    (void)printf(
        "\n| d | best, S = 64 | mma.sync | cuBLAS, n = %u | doubled | best ÷ doubled |\n|---|---|---|---|---|---|\n",
        PEER_POINTS);
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
        eb_dataset *ds = NULL;
        stop_on(eb_synth(EB_SYNTH_UNIFORM, POINTS, peers[k].d, 42 + k, NULL, &ds, &status), &status, "synth");
        const double eps = eps_of_64("fasted", ds);
        const rate best = time_engine("fasted", ds, eps), mma_sync = time_engine("fasted[-warpgroup]", ds, eps);
        const double peer = there ? rate_of_cublas(ds, CUBLAS_F16, &status) : 0;
        must_agree("wgmma and mma.sync", ds->d, best.pairs, mma_sync.pairs);
        there = peer > 0;
        (void)printf("| %zu | %.1f | %.1f | ", ds->d, best.derived, mma_sync.derived);
        if (there)
            (void)printf("%.1f | %.1f | %.2f |\n", peer, 2 * peer, best.derived / (2 * peer));
        else
            (void)printf("n/a | n/a | n/a |\n");
        (void)fflush(stdout);
        eb_dataset_free(ds);
    }
    if (!there)
        (void)printf("\nn/a: %s\n", status.message);
}

/* End to end: open, kernels, table on the host, close. */
static void join_of_file(const char *path, double eps, uint64_t expected, const char *const *names)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    stop_on(eb_load(path, NULL, &ds, &status), &status, path);
    (void)printf("| %zu × %zu, ε = %.9g | total s (median of %u) | kernel | upload | convert | norms | table | "
                 "download | |R| |\n"
                 "|---|---|---|---|---|---|---|---|---|\n",
                 ds->n, ds->d, eps, TRIALS);
    for (size_t e = 0; names[e]; e++) {
        eb_run run;
        const eb_setup setup = setup_of(names[e]);
        const eb_measure_request q = {.setup = &setup,
                                      .problem = eb_self_join(ds),
                                      .eps = eps,
                                      .mode = EB_RUN_TABLE,
                                      .trials = TRIALS,
                                      .warm_up = EB_WARM_UP_FULL,
                                      .distances = EB_DISTANCES_F64};
        stop_on(eb_measure(&q, NULL, NULL, &run, &status), &status, names[e]);
        double total[TRIALS];
        size_t median = 0;
        for (unsigned t = 0; t < run.trials_done; t++)
            total[t] = eb_figures_value(&run.trials[t], "total_s");
        eb_summary summary = eb_summarise(total, run.trials_done);
        for (unsigned t = 0; t < run.trials_done; t++)
            if (total[t] == summary.median)
                median = t;
        static const char *const parts[] = {"kernel_s", "upload_s", "convert_s", "norms_s", "table_s", "download_s"};
        (void)printf("| %s | %.4f |", names[e], summary.median);
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
            (void)printf(" %.4f |", eb_figures_value(&run.trials[median], parts[p]));
        (void)printf(" %llu%s |\n", (unsigned long long)run.pairs,
                     run.pairs == expected ? "" : " (expected otherwise)");
        (void)fflush(stdout);
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

int main(int argc, char **argv)
{
    eb_status status;
    size_t count = 0;
    eb_register_engines();
    stop_on(eb_cuda_devices(&gpu, 1, &count, &status), &status, "devices");
    stop_on(eb_cuda_limits(0, NULL, gpu.limit, &status), &status, "limits");
    (void)printf("%s, %u SMs, %s. Limits measured in this run: mma.sync FP16 %.0f TFLOPS, wgmma %.0f, mma FP64 %.1f, "
                 "FMA FP64 %.1f, copy %.2f TB/s, "
                 "upload %.1f GB/s, download %.1f GB/s.\n\n",
                 gpu.model, gpu.units, gpu.driver, gpu.limit[EB_LIMIT_MMA_F16] * 1e-12,
                 gpu.limit[EB_LIMIT_WGMMA_F16] * 1e-12, gpu.limit[EB_LIMIT_MMA_F64] * 1e-12,
                 gpu.limit[EB_LIMIT_F64] * 1e-12, gpu.limit[EB_LIMIT_COPY] * 1e-12, gpu.limit[EB_LIMIT_UPLOAD] * 1e-9,
                 gpu.limit[EB_LIMIT_DOWNLOAD] * 1e-9);
    const char *part = argc == 2 ? argv[1] : "";
    if (argc > 1 && strcmp(argv[1], "lowd") == 0) {
        table_of_low_d(argv + 2);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "filters") == 0) {
        table_of_filters(argv + 2);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "precision") == 0) {
        table_of_precisions(argv + 2);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "boxes") == 0) {
        table_of_boxes(argv[2], argc > 3 ? argv[3] : NULL);
        return 0;
    }
    static const char *const all[] = {"fasted", "ted", "wmma", "ref64", NULL};
    static const char *const of_bytes[] = {INTEGERS, "exact[way=fp16]", "exact", NULL};
    const bool integers = argc > 1 && strcmp(argv[1], "integers") == 0;
    if (integers)
        table_of_integers();
    if (argc == 1)
        table_for_synthetic();
    if (argc == 1 || strcmp(part, "ladder") == 0)
        table_of_ladder();
    if (argc == 1 || strcmp(part, "rates") == 0)
        table_beside_cublas();
    if (argc == 1 || strcmp(part, "lists") == 0)
        table_of_lists();
    if (argc == 1 || strcmp(part, "table") == 0)
        table_of_deliveries();
    for (int k = 1 + integers; k + 2 < argc; k += 3) {
        (void)printf("\n");
        join_of_file(argv[k], strtod(argv[k + 1], NULL), strtoull(argv[k + 2], NULL, 10), integers ? of_bytes : all);
    }
    return 0;
}
