/* bench_upload: time to open a problem on the GPU, beside the link's speed in the same run: upload of contiguous rows
 * and of rows with gaps, other parts of opening and closing, and the process's first opening by itself. Prints
 * Markdown. usage: build/bench_upload */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "core/experiment/statistics.h"
#include "kernels/device/cuda.h"

#define TRIALS 7u

static eb_device gpu;

static void stop_on(eb_code code, const eb_status *status, const char *what)
{
    if (code == EB_OK)
        return;
    (void)fprintf(stderr, "bench_upload: %s: %s\n", what, status->message);
    exit(1);
}

static eb_code find_gpu(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context, (void)name, (void)status;
    *out = gpu;
    return EB_OK;
}

static eb_setup setup_of(const char *text, unsigned threads)
{
    eb_status status = {.message = ""};
    eb_spec spec;
    eb_setup setup;
    stop_on(eb_spec_parse(text, NULL, &spec, &status), &status, text);
    stop_on(eb_setup_make(&spec, gpu.name, find_gpu, NULL, &setup, &status), &status, text);
    setup.resources.threads = threads;
    return setup;
}

enum { UPLOAD, CONVERT, NORMS, SETUP, TOTAL, PARTS };
static const char *const keys[] = {"upload_s", "convert_s", "norms_s", "setup_s"};

static void open_once(const eb_setup *setup, const eb_problem *problem, double seconds[PARTS])
{
    eb_status status = {.message = ""};
    eb_opened opened;
    double start_s = eb_now_s();
    stop_on(eb_problem_open(setup, problem, NULL, &opened, &status), &status, setup->spec);
    eb_problem_close(&opened);
    seconds[TOTAL] = eb_now_s() - start_s;
    for (size_t p = 0; p < TOTAL; p++)
        seconds[p] = eb_figures_value(&opened.figures, keys[p]);
}

static void print_line(const char *spec, const eb_dataset *ds, unsigned threads, const char *when,
                       const double seconds[PARTS])
{
    double bytes = (double)ds->n * (double)ds->d * (double)eb_dtype_size(ds->dtype);
    (void)printf("| %s | %zu × %zu %s%s | %u | %s | %.3f | %.1f |", spec, ds->n, ds->d, eb_dtype_name(ds->dtype),
                 ds->stride > ds->d * eb_dtype_size(ds->dtype) ? ", gaps" : "", threads, when, bytes * 1e-9,
                 bytes * 1e-9 / seconds[UPLOAD]);
    for (size_t p = 0; p < PARTS; p++)
        (void)printf(" %.2f |", 1e3 * seconds[p]);
    (void)printf("\n");
    (void)fflush(stdout);
}

/* The first opening, and the medians of later ones. */
static void measure(const char *spec, const eb_dataset *ds, unsigned threads)
{
    const eb_setup setup = setup_of(spec, threads);
    const eb_problem problem = eb_self_join(ds);
    double first[PARTS], trial[TRIALS][PARTS], median[PARTS];
    open_once(&setup, &problem, first);
    for (unsigned t = 0; t < TRIALS; t++)
        open_once(&setup, &problem, trial[t]);
    for (size_t p = 0; p < PARTS; p++) {
        double one[TRIALS];
        for (unsigned t = 0; t < TRIALS; t++)
            one[t] = trial[t][p];
        median[p] = eb_summarise(one, TRIALS).median;
    }
    print_line(spec, ds, threads, "first", first);
    print_line(spec, ds, threads, "median", median);
}

static eb_dataset points_in(const unsigned char *bytes, size_t n, size_t d, eb_dtype dtype, size_t gap)
{
    return (eb_dataset){.n = n,
                        .d = d,
                        .dtype = dtype,
                        .rows = bytes,
                        .stride = d * eb_dtype_size(dtype) + gap,
                        .source = (char *)(uintptr_t) "bench"};
}

int main(void)
{
    enum { MOST = 2000000 };
    static const struct {
        size_t n, d, gap;
        eb_dtype dtype;
    } cases[] = {{60000, 784, 0, EB_U8},    {400000, 128, 0, EB_U8},   {500000, 128, 0, EB_F32},
                 {2000000, 128, 0, EB_F32}, {2000000, 128, 4, EB_F32}, {1000000, 3, 0, EB_F64}};
    const unsigned cpus = eb_cpu_count(), threads[] = {cpus > 4 ? 4 : cpus, cpus};
    eb_status status;
    size_t count = 0;
    stop_on(eb_cuda_devices(&gpu, 1, &count, &status), &status, "devices");
    stop_on(eb_cuda_limits(0, NULL, gpu.limit, &status), &status, "limits");
    unsigned char *bytes = calloc(MOST, 128 * sizeof(float) + 4);
    if (!bytes)
        return 1;
    for (size_t k = 0; k < (size_t)MOST * 128; k++) { /* FP32 values that FP16 holds exactly */
        const float x = (float)(k * 2654435761u % 1024) * 0x1p-10f;
        memcpy(bytes + k * sizeof x, &x, sizeof x);
    }
    (void)printf("%s, %u CPUs; the link: %.1f GB/s. Parts in ms.\n\n"
                 "| engine | points | threads | opening | GB | GB/s | upload | convert | norms | set-up | in all |\n"
                 "|---|---|---|---|---|---|---|---|---|---|---|\n",
                 gpu.model, cpus, gpu.limit[EB_LIMIT_UPLOAD] * 1e-9);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const eb_dataset ds = points_in(bytes, cases[k].n, cases[k].d, cases[k].dtype, cases[k].gap);
        for (size_t t = 0; t < 2; t++)
            measure(cases[k].dtype == EB_F64 ? "ref64" : "fasted", &ds, threads[t]);
    }
    free(bytes);
    return 0;
}
