/* limits: products at the rate at which this CPU's units make them. Compiled once per instruction set. */
#include "kernels/walk/vector.h"
#include "tests/bench/limits.h"

/* Ten sums hide the latency of two units, and leave registers for the factors in every set. */
double EB_FOR_ISA(eb_bench_products)(uint64_t rounds)
{
    enum { SUMS = 10 };
    eb_v32 sum[SUMS];
    uint32_t lane[EB_LANES32];
    const float half = 0.5f;
    uint32_t bits;
    memcpy(&bits, &half, sizeof bits);
    const eb_v32 factor = eb_v32_all(bits);
    for (unsigned k = 0; k < SUMS; k++)
        sum[k] = eb_v32_all(bits + k);
    for (uint64_t r = 0; r < rounds; r++)
#pragma GCC unroll 10
        for (unsigned k = 0; k < SUMS; k++)
            sum[k] = eb_v32_times_add_f32(sum[k], factor, factor);
    for (unsigned k = 1; k < SUMS; k++)
        sum[0] = eb_v32_add(sum[0], sum[k]);
    eb_v32_store(lane, sum[0]);
    volatile uint32_t kept = lane[0]; /* so that no product may be left out */
    (void)kept;
    return 2.0 * SUMS * EB_LANES32 * (double)rounds;
}
