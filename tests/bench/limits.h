/* limits: the rates of this CPU that tests/bench/beside.py holds times against, measured. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/walk/isa.h"
#include "tests/bench/bench_host.h"

/* FP32 multiplications and additions, fused, on one thread; returns the FLOPs made. */
double eb_bench_products_base(uint64_t rounds);
double eb_bench_products_avx2(uint64_t rounds);
double eb_bench_products_avx512(uint64_t rounds);

enum { LIMIT_TRIALS = 7, LIMIT_BYTES = 64 << 20 };

static inline eb_code write_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    memset((unsigned char *)context + task * LIMIT_BYTES, (int)task + 1, LIMIT_BYTES);
    return EB_OK;
}

static inline eb_code multiply_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    static double (*const products[])(uint64_t) = {eb_bench_products_base, eb_bench_products_avx2,
                                                   eb_bench_products_avx512};
    (void)thread, (void)status;
    ((double *)context)[task] = products[eb_cpu_isa()](10000000);
    return EB_OK;
}

/* Seconds of the fastest of some trials; each thread has one part. */
static inline double fastest(unsigned threads, eb_parallel_body body, void *context)
{
    double best = 0;
    for (unsigned k = 0; k < LIMIT_TRIALS; k++) {
        eb_status status;
        const double start = eb_now_s();
        if (eb_parallel_at_once(threads, body, context, &status) != EB_OK)
            die("limits", &status);
        const double seconds = eb_now_s() - start;
        best = k == 0 || seconds < best ? seconds : best;
    }
    return best;
}

/* Prints bytes written to memory a second, and FP32 FLOPs a second. */
static inline void measure_limits(unsigned threads)
{
    unsigned char *bytes = malloc((size_t)threads * LIMIT_BYTES);
    double *flops = calloc(threads, sizeof *flops), all = 0;
    if (!bytes || !flops)
        die("limits", NULL);
    const double write_s = fastest(threads, write_part, bytes), multiply_s = fastest(threads, multiply_part, flops);
    for (unsigned k = 0; k < threads; k++)
        all += flops[k];
    (void)printf("%.6g %.6g\n", (double)threads * LIMIT_BYTES / write_s, all / multiply_s);
    free(bytes);
    free(flops);
}
