/* bench_precision: engine tensor in its number types, counting at S = 64 on uniform points, beside FASTED and the exact
 * join of bytes in the same run: rates derived from 2·n²·d operations, and the share of each type's own limit. Included
 * by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"
#include "bench_integers.h"

enum { BESIDE_FASTED, BESIDE_INTEGERS, BESIDE_TED, BESIDE_CUBLAS, PEERS, BESIDE_S8 = PEERS, BESIDE_E4M3, BESIDES };
static const char *const besides[BESIDES] = {"fasted", "integers", "ted", "cuBLAS's TF32, doubled", "s8", "e4m3"};

static const struct {
    const char *spec, *title;
    double products; /* of numbers, for one of coordinates: the rate is compared with that share of `beside` */
    int beside, is;  /* is: what other rows are beside; BESIDES: nothing */
    bool same;       /* has the pairs of `beside` */
} precisions[] = {
    {"tensor[type=f16]", "f16", 1, BESIDE_FASTED, BESIDES, true},
    {"tensor[type=bf16]", "bf16", 1, BESIDE_FASTED, BESIDES, false},
    {"tensor[type=tf32]", "tf32", 1, BESIDE_CUBLAS, BESIDES, false},
    {"tensor[type=f16,sums=f16]", "f16, FP16 sums", 1, BESIDE_FASTED, BESIDES, false},
    {"tensor[type=f16,parts=2,promote=64]", "two f16, promoted every 64", 3, BESIDE_FASTED, BESIDES, false},
    {"tensor[type=s8]", "s8", 1, BESIDE_INTEGERS, BESIDE_S8, false},
    {"tensor[type=s8,step=point]", "s8, a step a point", 1, BESIDE_S8, BESIDES, false},
    {"tensor[type=s8,parts=2]", "two s8", 3, BESIDE_S8, BESIDES, false},
    {"tensor[type=e4m3,promote=0]", "e4m3", 1, BESIDE_INTEGERS, BESIDE_E4M3, false},
    {"tensor[type=e4m3]", "e4m3, promoted every 128", 1, BESIDE_E4M3, BESIDES, false},
    {"tensor[type=f64]", "f64", 1, BESIDE_TED, BESIDES, true},
};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

/* A peer's rate; derived 0: it is not here. A triangle is half of the products of cuBLAS, whose rate is doubled. */
static inline rate rate_of_peer(int peer, const eb_dataset *ds, double eps)
{
    eb_status status = {.message = ""};
    if (peer == BESIDE_CUBLAS)
        return (rate){.derived = 2 * rate_of_cublas(ds, CUBLAS_TF32, &status)};
    if (peer != BESIDE_INTEGERS)
        return time_engine(besides[peer], ds, eps);
    eb_dataset bytes = bytes_of(ds->n, ds->d);
    const double derived = time_engine(INTEGERS, &bytes, eps_of_64(INTEGERS, &bytes)).derived;
    free((void *)(uintptr_t)bytes.rows);
    return (rate){.derived = derived};
}

/* The kernel that counts is held to the one that finds pairs, after the timing. */
static inline void check_pairs(const char *spec, const eb_dataset *ds, double eps, uint64_t pairs)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    must_agree(spec, ds->d, pairs, time_asking(spec, &problem, &question, ask_table).pairs);
}

/* Rows with `title` in their titles. Peers are measured when a row wants them. */
static inline void rows_of_precisions(size_t n, size_t d, const char *title)
{
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    rate measured[BESIDES + 1] = {{0}};
    stop_on(eb_synth(EB_SYNTH_UNIFORM, n, d, 42, NULL, &ds, &status), &status, "synth");
    const double eps = eps_of_64("fasted", ds);
    for (size_t k = 0; k < PRECISIONS; k++) {
        const int beside = precisions[k].beside;
        if (!strstr(precisions[k].title, title) || (d > 2048 && strstr(precisions[k].spec, "s8,parts=2")))
            continue; /* 32-bit sums do not hold products of so many coordinates */
        if (beside < PEERS && measured[beside].derived == 0) {
            measured[beside] = rate_of_peer(beside, ds, eps);
            (void)printf("| %zu | %zu | %s | %.0f | | | | |\n", n, d, besides[beside], measured[beside].derived);
        }
        const rate r = time_engine(precisions[k].spec, ds, eps);
        const double limit = eb_figures_value(&r.figures, "limit_flops"),
                     peer = measured[beside].derived / precisions[k].products;
        if (precisions[k].same)
            must_agree(precisions[k].title, d, r.pairs, measured[beside].pairs);
        check_pairs(precisions[k].spec, ds, eps, r.pairs);
        measured[precisions[k].is] = r;
        (void)printf("| %zu | %zu | %s | %.0f | %.0f | %.0f %% | %s%s | %.3f |\n", n, d, precisions[k].title, r.derived,
                     r.executed, limit > 0 ? 1e14 * r.executed / limit : 0, precisions[k].products > 1 ? "⅓ " : "",
                     besides[beside], peer > 0 ? r.derived / peer : 0);
        (void)fflush(stdout);
    }
    eb_dataset_free(ds);
}

/* args: [TITLE [D…]]: rows with TITLE in their titles, of 100,000 points. */
static inline void table_of_precisions(char *const *args)
{
    const char *title = args[0] ? args[0] : "";
    (void)printf("| n | d | type | derived TFLOPS | executed | of its limit | beside | ratio |\n"
                 "|---|---|---|---|---|---|---|---|\n");
    static const size_t dimensions[] = {64, 128, 256, 512, 1024, 2048, 4096};
    if (args[0] && args[1]) {
        for (char *const *d = args + 1; *d; d++)
            rows_of_precisions(100000, strtoul(*d, NULL, 10), title);
        return;
    }
    for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++)
        rows_of_precisions(100000, dimensions[k], title);
    rows_of_precisions(400000, 128, title);
}
