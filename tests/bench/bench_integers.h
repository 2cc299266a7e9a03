/* bench_integers: joins of bytes by integer tensor cores, beside FASTED of the same build: kernel seconds, rates
 * derived from 2·n²·d operations, and a check of counts against ref64. Included by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"

#define INTEGERS "exact[way=integers]"

/* Random bytes; the caller frees the dataset. */
static inline eb_dataset bytes_of(size_t n, size_t d)
{
    unsigned char *rows = malloc(n * d);
    uint64_t x = 42;
    if (!rows)
        exit(1);
    for (size_t k = 0; k < n * d; k++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        rows[k] = (unsigned char)(x >> 56);
    }
    return (
        eb_dataset){.n = n, .d = d, .dtype = EB_U8, .rows = rows, .stride = d, .source = (char *)(uintptr_t) "bytes"};
}

static inline void row_of_integers(size_t n, size_t d, double selectivity, bool check)
{
    eb_dataset ds = bytes_of(n, d);
    const eb_problem problem = eb_self_join(&ds);
    const double eps = selectivity > 0 ? eps_of(INTEGERS, &ds, selectivity) : 1;
    const eb_question question = {.eps = eps};
    const rate count = time_question(INTEGERS, &problem, &question),
               hits = time_asking(INTEGERS, &problem, &question, ask_table),
               f16 = time_question("fasted", &problem, &question);
    if (check)
        must_agree("integers and ref64", d, count.pairs, time_question("ref64", &problem, &question).pairs);
    must_agree("counting and the table", d, count.pairs, hits.pairs);
    (void)printf("| %zu | %zu | %.2f | %.3f | %.0f | %.0f %% | %.3f | %.0f | %.3f | %.0f |\n", n, d,
                 (double)(count.pairs - n) / (double)n, 1e3 * count.kernel_s, count.derived,
                 1e14 * count.executed / gpu.limit[EB_LIMIT_WGMMA_I8], 1e3 * hits.kernel_s, hits.derived,
                 1e3 * f16.kernel_s, f16.derived);
    (void)fflush(stdout);
    free((void *)(uintptr_t)ds.rows);
}

static inline void table_of_integers(void)
{
    (void)printf("Limits of 8-bit integers: mma.sync %.0f TOPS, wgmma %.0f.\n\n", gpu.limit[EB_LIMIT_MMA_I8] * 1e-12,
                 gpu.limit[EB_LIMIT_WGMMA_I8] * 1e-12);
    (void)printf(
        "| n | d | S | counting, ms | derived TOPS | executed of limit | with hits | derived | FASTED counting "
        "| derived |\n|---|---|---|---|---|---|---|---|---|---|\n");
    row_of_integers(400000, 128, 0, false);
    row_of_integers(400000, 128, 64, false);
    row_of_integers(100000, 128, 64, true);
    row_of_integers(100000, 784, 64, true);
    row_of_integers(100000, 1024, 64, true);
}
