/* bench_gpu: every CUDA engine at n = 100,000 synthetic points, kernel only, beside the limits of the same GPU measured
 * in the same run and the published peers; then whole joins of files, end to end. Prints Markdown. Results are checked
 * before anything is timed and after: all variants of FASTED must find the same |R|, and ted, wmma-ref and ref64 the
 * same on data away from rounding.
 *
 *     build/bench_gpu [FILE EPS PAIRS]…     PAIRS: the |R| that must come out
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/study/ablation.h"
#include "core/study/measure.h"
#include "core/study/statistics.h"
#include "core/study/tune.h"
#include "io/load.h"
#include "kernels/device/cuda.h"

#define POINTS 100000u
#define TRIALS 5u
#define WARM_UP_S 0.4
#define ENOUGH_S 10 /* three trials do, once an engine has worked so long */

/* Derived TFLOPS of others on an H200, n = 100,000 (docs of the project): FASTED as published, FASTED's latest. 0: not
 * measured. */
static const struct {
    size_t d;
    double published, latest;
} peers[] = {{64, 28.7, 77.9}, {128, 50.6, 126}, {256, 85.8, 184}, {512, 135, 223},
             {1024, 192, 265}, {2048, 243, 279}, {4096, 244, 284}};

static eb_device gpu;
static eb_gpu_limits limits;

static void stop_on(eb_code code, const eb_status *status, const char *what)
{
    if (code == EB_OK)
        return;
    (void)fprintf(stderr, "bench_gpu: %s: %s\n", what, status->message);
    exit(1);
}

static const eb_engine *cuda_engine(const char *name)
{
    eb_status status;
    const eb_engine *engine = NULL;
    stop_on(eb_engine_find(name, EB_DEVICE_CUDA, &engine, &status), &status, name);
    return engine;
}

/* The ε of S = 64, exactly, as this engine computes distances. */
static double eps_of_64(const eb_engine *engine, const eb_dataset *ds)
{
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = eb_cpu_count(), .switches = EB_PRESET_BEST};
    void *state = NULL;
    eb_curve curve;
    eb_target target = {.wanted = 64};
    unsigned passes = 0;
    stop_on(engine->open(&gpu, ds, &options, NULL, &timing, &state, &status), &status, "open");
    stop_on(eb_curve_sample(engine, state, ds, 256, 42, NULL, &curve, &status), &status, "sampling");
    stop_on(eb_tune(engine, state, ds, &curve, &target, 1, NULL, &passes, &status), &status, "tuning");
    eb_curve_free(&curve);
    engine->close(state);
    return target.eps;
}

typedef struct rate {
    double kernel_s, derived, executed;
    uint64_t pairs;
} rate;

/* Kernel time alone, on points that are there already, after the GPU has worked for a while: its clock rises from idle,
 * and falls under its power limit. The median of the trials, of which a slow engine has fewer. */
static rate time_engine(const eb_engine *engine, const eb_dataset *ds, uint32_t switches, double eps)
{
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = eb_cpu_count(), .switches = switches};
    void *state = NULL;
    rate r = {0};
    double worked = 0, trial[TRIALS];
    stop_on(engine->open(&gpu, ds, &options, NULL, &timing, &state, &status), &status, engine->name);
    unsigned done = 0;
    while (done < 3 || (done < TRIALS && worked < ENOUGH_S)) {
        eb_timing one = eb_timing_none();
        uint64_t pairs = 0;
        stop_on(engine->count(state, eps, NULL, &one, &pairs, &status), &status, engine->name);
        if (r.pairs != 0 && pairs != r.pairs) {
            (void)fprintf(stderr, "bench_gpu: %s found %llu pairs, then %llu\n", engine->name,
                          (unsigned long long)r.pairs, (unsigned long long)pairs);
            exit(1);
        }
        r.pairs = pairs;
        if (worked >= WARM_UP_S)
            trial[done++] = one.kernel_s;
        worked += one.kernel_s;
    }
    engine->close(state);
    r.kernel_s = eb_summarise(trial, done).median;
    r.derived = eb_derived_flops(ds->n, ds->d, r.kernel_s) * 1e-12;
    r.executed = engine->executed_flops(ds->n, ds->d, &options) / r.kernel_s * 1e-12;
    return r;
}

static void table_for_synthetic(void)
{
    const eb_engine *fasted = cuda_engine("fasted"), *ted = cuda_engine("ted"), *ref64 = cuda_engine("ref64"),
                    *wmma_ref = cuda_engine("wmma-ref");
    (void)printf("| d | FASTED published | latest | paper preset | mma.sync, not symmetric | of mma limit | best, not "
                 "symmetric | × latest | "
                 "best | ted executed | of limit | wmma-ref executed | ref64 executed | FP64 pipe busy "
                 "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
        eb_status status;
        eb_dataset *ds = NULL;
        stop_on(eb_synth(EB_SYNTH_UNIFORM, POINTS, peers[k].d, 42 + k, NULL, &ds, &status), &status, "synth");
        double eps = eps_of_64(fasted, ds);
        rate paper = time_engine(fasted, ds, EB_PRESET_PAPER, eps);
        rate mma_sync = time_engine(fasted, ds, EB_PRESET_BEST & ~(EB_SYMMETRIC | EB_WARPGROUP), eps);
        rate whole = time_engine(fasted, ds, EB_PRESET_BEST & ~EB_SYMMETRIC, eps);
        rate best = time_engine(fasted, ds, EB_PRESET_BEST, eps);
        rate f64 = time_engine(ted, ds, 0, eps);
        rate plain = time_engine(wmma_ref, ds, 0, eps);
        rate truth = time_engine(ref64, ds, 0, eps);
        rate again = time_engine(fasted, ds, EB_PRESET_PAPER, eps);
        if (paper.pairs != mma_sync.pairs || paper.pairs != whole.pairs || paper.pairs != best.pairs ||
            paper.pairs != again.pairs) {
            (void)fprintf(stderr, "bench_gpu: variants of FASTED disagree at d=%zu: %llu, %llu, %llu, %llu\n", ds->d,
                          (unsigned long long)paper.pairs, (unsigned long long)whole.pairs,
                          (unsigned long long)best.pairs, (unsigned long long)again.pairs);
            exit(1);
        }
        if (plain.pairs != f64.pairs) {
            (void)fprintf(stderr, "bench_gpu: ted and wmma-ref disagree at d=%zu: %llu, %llu\n", ds->d,
                          (unsigned long long)f64.pairs, (unsigned long long)plain.pairs);
            exit(1);
        }
        double off = fabs((double)f64.pairs - (double)truth.pairs) / (double)truth.pairs;
        if (!(off < 1e-6)) {
            (void)fprintf(stderr, "bench_gpu: ted and ref64 disagree at d=%zu: %llu, %llu\n", ds->d,
                          (unsigned long long)f64.pairs, (unsigned long long)truth.pairs);
            exit(1);
        }
        /* ref64 issues two FP64 instructions a dimension and pair; an FMA counts as two FLOPs in the limit. */
        double busy = truth.executed / 1.5 * 2 / (limits.f64_flops * 1e-12);
        (void)printf("| %zu | %.1f | %.1f | %.1f | %.1f | %.1f %% | %.1f | %.2f | %.1f | %.1f | %.1f %% | %.1f | %.1f "
                     "| %.1f %% |\n",
                     ds->d, peers[k].published, peers[k].latest, paper.derived, mma_sync.derived,
                     1e14 * mma_sync.derived / limits.tensor_f16_flops, whole.derived, whole.derived / peers[k].latest,
                     best.derived, f64.executed, 1e14 * f64.executed / limits.tensor_f64_flops, plain.executed,
                     truth.executed, 100 * busy);
        (void)fflush(stdout);
        eb_dataset_free(ds);
    }
}

/* End to end: open, kernels, table on the host, close. */
static void join_of_file(const char *path, double eps, uint64_t expected)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    stop_on(eb_load(path, NULL, &ds, &status), &status, path);
    (void)printf("| %zu × %zu, ε = %.9g | total s (median of %u) | kernel | upload | convert | norms | table | "
                 "download | |R| |\n"
                 "|---|---|---|---|---|---|---|---|---|\n",
                 ds->n, ds->d, eps, TRIALS);
    const char *const names[] = {"fasted", "ted", "wmma-ref", "ref64"};
    for (size_t e = 0; e < sizeof names / sizeof names[0]; e++) {
        eb_run run;
        eb_measure_request q = {.engine = cuda_engine(names[e]),
                                .device = &gpu,
                                .dataset = ds,
                                .eps = eps,
                                .mode = EB_RUN_TABLE,
                                .trials = TRIALS,
                                .warm_up = true,
                                .options = {.threads = eb_cpu_count(), .switches = EB_PRESET_BEST}};
        stop_on(eb_measure(&q, NULL, NULL, &run, &status), &status, names[e]);
        double total[TRIALS];
        size_t median = 0;
        for (unsigned t = 0; t < run.trials_done; t++)
            total[t] = run.trials[t].total_s;
        eb_summary summary = eb_summarise(total, run.trials_done);
        for (unsigned t = 0; t < run.trials_done; t++)
            if (total[t] == summary.median)
                median = t;
        const eb_timing *t = &run.trials[median];
        (void)printf("| %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %llu%s |\n", names[e], summary.median,
                     t->kernel_s, t->upload_s, t->convert_s, t->norms_s, t->table_s, t->download_s,
                     (unsigned long long)run.pairs, run.pairs == expected ? "" : " (expected otherwise)");
        (void)fflush(stdout);
        eb_run_free(&run);
    }
    eb_dataset_free(ds);
}

int main(int argc, char **argv)
{
    eb_status status;
    size_t count = 0;
    stop_on(eb_cuda_devices(&gpu, 1, &count, &status), &status, "devices");
    stop_on(eb_cuda_limits(0, NULL, &limits, &status), &status, "limits");
    (void)printf("%s, %u SMs, %s. Limits measured in this run: mma.sync FP16 %.0f TFLOPS, wgmma %.0f, mma FP64 %.1f, "
                 "FMA FP64 %.1f, copy %.2f TB/s, "
                 "upload %.1f GB/s, download %.1f GB/s.\n\n",
                 gpu.model, gpu.units, gpu.driver, limits.tensor_f16_flops * 1e-12, limits.wgmma_f16_flops * 1e-12,
                 limits.tensor_f64_flops * 1e-12, limits.f64_flops * 1e-12, limits.copy_bytes_per_s * 1e-12,
                 limits.upload_bytes_per_s * 1e-9, limits.download_bytes_per_s * 1e-9);
    if (argc == 1 || (argc - 1) % 3 != 0)
        table_for_synthetic();
    for (int k = 1; k + 2 < argc; k += 3) {
        (void)printf("\n");
        join_of_file(argv[k], strtod(argv[k + 1], NULL), strtoull(argv[k + 2], NULL, 10));
    }
    return 0;
}
