/* bench_gpu.h: shared by the GPU benchmarks: the device, engines on it, and kernel times. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/experiment/measure.h"
#include "core/experiment/statistics.h"
#include "core/join/join.h"
#include "core/tune/tune.h"
#include "cublas_peer.h"
#include "io/load.h"
#include "kernels/device/cuda.h"

#define PEER_POINTS 32768u
#define TRIALS 5u
#define WARM_UP_S 0.4
#define ENOUGH_S 10 /* seconds of work after which three trials suffice */

static eb_device gpu;

static inline void stop_on(eb_code code, const eb_status *status, const char *what)
{
    if (code == EB_OK)
        return;
    (void)fprintf(stderr, "bench_gpu: %s: %s\n", what, status->message);
    exit(1);
}

static inline eb_code find_gpu(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context, (void)name, (void)status;
    *out = gpu;
    return EB_OK;
}

static inline eb_setup setup_of(const char *text)
{
    eb_status status = {.message = ""};
    eb_spec spec;
    eb_setup setup;
    stop_on(eb_spec_parse(text, NULL, &spec, &status), &status, text);
    stop_on(eb_setup_make(&spec, gpu.name, find_gpu, NULL, &setup, &status), &status, text);
    setup.resources.threads = eb_cpu_count();
    return setup;
}

/* The exact ε of a selectivity, with this engine's distances. */
static inline double eps_of(const char *spec, const eb_dataset *ds, double selectivity)
{
    eb_status status = {.message = ""};
    eb_curve curve = {.points = 0};
    eb_target target = {.wanted = selectivity};
    unsigned passes = 0;
    const eb_setup setup = setup_of(spec);
    stop_on(eb_tune_dataset(&setup, ds, 256, 42, &curve, &target, 1, &passes, NULL, &status), &status, "tuning");
    eb_curve_free(&curve);
    return target.eps;
}

static inline double eps_of_64(const char *spec, const eb_dataset *ds) { return eps_of(spec, ds, 64); }

typedef struct rate {
    double kernel_s, derived, executed;
    uint64_t pairs;
    eb_figures figures; /* of the last trial */
} rate;

typedef eb_code asking(eb_opened *, const eb_question *, uint64_t *pairs, eb_status *);

static inline eb_code ask_count(eb_opened *opened, const eb_question *question, uint64_t *pairs, eb_status *status)
{
    const eb_share whole = eb_share_whole(&opened->problem);
    return eb_ask_count(opened, question, &whole, pairs, status);
}

static inline eb_code forget_rows(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)context, (void)status;
    eb_neighbours_free(batch);
    return EB_OK;
}

static inline eb_code ask_table(eb_opened *opened, const eb_question *question, uint64_t *pairs, eb_status *status)
{
    const eb_join_plan plan = {.question = *question, .whole = true};
    eb_join_result result = {0};
    const eb_code failed = eb_join_run(opened, &plan, forget_rows, NULL, &result, status);
    *pairs = result.pairs;
    return failed;
}

/* Median kernel time on points that are already uploaded. The GPU works for a while before, because its clock rises
 * from idle and falls at the power limit. Slow engines get fewer trials. */
static inline rate time_asking(const char *spec, const eb_problem *problem, const eb_question *question, asking *ask)
{
    eb_status status = {.message = ""};
    const eb_setup setup = setup_of(spec);
    eb_opened opened;
    rate r = {0};
    double worked = 0, trial[TRIALS];
    stop_on(eb_problem_open(&setup, problem, NULL, &opened, &status), &status, spec);
    unsigned done = 0;
    while (done < 3 || (done < TRIALS && worked < ENOUGH_S)) {
        uint64_t pairs = 0;
        opened.figures.count = 0;
        stop_on(ask(&opened, question, &pairs, &status), &status, spec);
        if (r.pairs != 0 && pairs != r.pairs) {
            (void)fprintf(stderr, "bench_gpu: %s found %llu pairs, then %llu\n", spec, (unsigned long long)r.pairs,
                          (unsigned long long)pairs);
            exit(1);
        }
        r.pairs = pairs;
        double kernel_s = eb_figures_value(&opened.figures, "kernel_s");
        if (worked >= WARM_UP_S)
            trial[done++] = kernel_s;
        worked += kernel_s;
    }
    r.kernel_s = eb_summarise(trial, done).median;
    r.derived = eb_derived_flops(problem->left->n, problem->right->n, problem->left->d, r.kernel_s) * 1e-12;
    r.executed = eb_figures_value(&opened.figures, "executed_flops") / r.kernel_s * 1e-12;
    r.figures = opened.figures;
    eb_problem_close(&opened);
    return r;
}

static inline rate time_question(const char *spec, const eb_problem *problem, const eb_question *question)
{
    return time_asking(spec, problem, question, ask_count);
}

static inline rate time_engine(const char *spec, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    return time_question(spec, &problem, &question);
}

static inline void must_agree(const char *what, size_t d, uint64_t a, uint64_t b)
{
    if (a == b)
        return;
    (void)fprintf(stderr, "bench_gpu: %s disagree at d=%zu: %llu, %llu\n", what, d, (unsigned long long)a,
                  (unsigned long long)b);
    exit(1);
}

/* Executed TFLOPS of cuBLAS on the first points, after the same warm-up time as our engines; 0: no cuBLAS. */
static inline double rate_of_cublas(const eb_dataset *ds, enum cublas_type type, eb_status *status)
{
    double seconds = 0;
    const eb_code failed = cublas_product_s(ds, type, PEER_POINTS, WARM_UP_S, TRIALS, &seconds, status);
    if (failed != EB_NO_ENGINE)
        stop_on(failed, status, "cuBLAS");
    return failed == EB_OK ? eb_derived_flops(PEER_POINTS, PEER_POINTS, ds->d, seconds) * 1e-12 : 0;
}
