/* bench_precision: engine tensor in its number types, counting at S = 64 on uniform points, beside FASTED and the exact
 * join of bytes in the same run: rates derived from 2·n²·d operations, and the share of each type's own limit. Included
 * by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"
#include "bench_integers.h"

static const struct {
    const char *spec, *title;
    double products; /* of numbers, for one of coordinates: the rate is compared with that share of `beside` */
    const char *beside;
} precisions[] = {
    {"tensor[type=f16]", "f16", 1, "fasted"},
    {"tensor[type=bf16]", "bf16", 1, "fasted"},
    {"tensor[type=tf32]", "tf32", 1, "fasted"},
    {"tensor[type=f16,sums=f16]", "f16, FP16 sums", 1, "fasted"},
    {"tensor[type=f16,parts=2,promote=64]", "two f16, promoted every 64", 3, "fasted"},
    {"tensor[type=s8]", "s8", 1, "integers"},
    {"tensor[type=s8,step=point]", "s8, a step a point", 1, "s8"},
    {"tensor[type=s8,parts=2]", "two s8", 3, "s8"},
    {"tensor[type=e4m3,promote=0]", "e4m3", 1, "integers"},
    {"tensor[type=e4m3]", "e4m3, promoted every 128", 1, "e4m3"},
    {"tensor[type=f64]", "f64", 1, "ted"},
};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

/* The rate that row k is compared with. derived: of the rows before. */
static inline double rate_beside(size_t k, const double *derived, double fasted, double integers, double ted)
{
    const char *beside = precisions[k].beside;
    if (strcmp(beside, "fasted") == 0)
        return fasted;
    if (strcmp(beside, "integers") == 0)
        return integers;
    if (strcmp(beside, "ted") == 0)
        return ted;
    for (size_t other = 0; other < k; other++)
        if (strcmp(precisions[other].title, beside) == 0)
            return derived[other];
    return 0;
}

static inline void rows_of_precisions(size_t n, size_t d)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL, bytes = bytes_of(n, d);
    double derived[PRECISIONS];
    stop_on(eb_synth(EB_SYNTH_UNIFORM, n, d, 42, NULL, &ds, &status), &status, "synth");
    const double eps = eps_of_64("fasted", ds);
    const double fasted = time_engine("fasted", ds, eps).derived, ted = time_engine("ted", ds, eps).derived,
                 integers = time_engine(INTEGERS, &bytes, eps_of_64(INTEGERS, &bytes)).derived;
    (void)printf("| %zu | %zu | fasted, integers, ted | %.0f, %.0f, %.0f | | | | |\n", n, d, fasted, integers, ted);
    for (size_t k = 0; k < PRECISIONS; k++) {
        if (d > 2048 && strstr(precisions[k].spec, "s8,parts=2"))
            continue; /* 32-bit sums do not hold products of so many coordinates */
        const rate r = time_engine(precisions[k].spec, ds, eps);
        const double beside = rate_beside(k, derived, fasted, integers, ted) / precisions[k].products;
        const double limit = eb_figures_value(&r.figures, "limit_flops");
        derived[k] = r.derived;
        (void)printf("| %zu | %zu | %s | %.0f | %.0f | %.0f %% | %s%s | %.2f |\n", n, d, precisions[k].title, r.derived,
                     r.executed, limit > 0 ? 1e14 * r.executed / limit : 0, precisions[k].products > 1 ? "⅓ " : "",
                     precisions[k].beside, r.derived / beside);
        (void)fflush(stdout);
    }
    eb_dataset_free(ds);
    free((void *)(uintptr_t)bytes.rows);
}

static inline void table_of_precisions(void)
{
    (void)printf("| n | d | type | derived TFLOPS | executed | of its limit | beside | ratio |\n"
                 "|---|---|---|---|---|---|---|---|\n");
    static const size_t dimensions[] = {64, 128, 256, 512, 1024, 2048, 4096};
    for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++)
        rows_of_precisions(100000, dimensions[k]);
    rows_of_precisions(400000, 128);
}
