/* bench_lowd: FP64 engines on points of few dimensions: kernel seconds per 10¹² ordered pairs at S = 64, counting and
 * with a table, beside the time that the FP64 pipe needs for the coordinates alone. Included by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"

#define LOWD_POINTS 200000u

/* ref64 issues two FP64 instructions per dimension and pair, ted one FMA; half of the pairs are computed. */
static inline double least_seconds(eb_limit limit, double flops_a_dimension, size_t d)
{
    return 0.5e12 * flops_a_dimension * (double)d / gpu.limit[limit];
}

static inline void row_of_low_d(size_t d)
{
    static const struct {
        const char *spec;
        eb_limit limit;
        double flops_a_dimension;
    } engines[] = {{"ref64", EB_LIMIT_F64, 4}, {"ted", EB_LIMIT_MMA_F64, 2}};
    eb_status status = {.message = ""};
    eb_dataset *ds = NULL;
    stop_on(eb_synth(EB_SYNTH_UNIFORM, LOWD_POINTS, d, 42, NULL, &ds, &status), &status, "synth");
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps_of_64("ref64", ds)};
    const double pairs = (double)ds->n * (double)ds->n * 1e-12;
    (void)printf("| %zu |", d);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        const rate counted = time_question(engines[e].spec, &problem, &question),
                   stored = time_asking(engines[e].spec, &problem, &question, ask_table);
        must_agree("counting and hits", d, counted.pairs, stored.pairs);
        (void)printf(" %.3f | %.3f | %.3f |", counted.kernel_s / pairs, stored.kernel_s / pairs,
                     least_seconds(engines[e].limit, engines[e].flops_a_dimension, d));
        (void)fflush(stdout);
    }
    (void)printf("\n");
    eb_dataset_free(ds);
}

/* wanted: dimensions as texts that end with NULL; without any, the usual ones. */
static inline void table_of_low_d(char *const *wanted)
{
    static const size_t usual[] = {1, 2, 3, 4, 8, 10, 12, 16, 17, 20, 32};
    (void)printf("| d | ref64 counting, s per 10¹² pairs | with hits | FP64 pipe | ted counting | with hits | its pipe "
                 "|\n|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; !*wanted && k < sizeof usual / sizeof usual[0]; k++)
        row_of_low_d(usual[k]);
    for (; *wanted; wanted++)
        row_of_low_d(strtoul(*wanted, NULL, 10));
}
