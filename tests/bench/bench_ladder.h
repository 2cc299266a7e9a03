/* bench_ladder: the rungs of kernels/ladder, beside each other and the tensor cores' limit. Included by bench_gpu.c. */
#pragma once

#include "bench_gpu.h"
#include "kernels/ladder/ladder.h"

static inline void table_of_ladder(void)
{
    enum { POINTS_CLIMBED = 32768 };
    static const size_t dimensions[] = {128, 1024, 4096};
    enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0] };
    double before[DIMENSIONS] = {0};
    (void)printf("| rung, n = %u | what is new |", POINTS_CLIMBED);
    for (size_t k = 0; k < DIMENSIONS; k++)
        (void)printf(" d = %zu: TFLOPS | × before | of the limit |", dimensions[k]);
    (void)printf("\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t r = 0; r < EB_RUNGS; r++) {
        const double limit = gpu.limit[eb_ladder[r].architecture == 90 ? EB_LIMIT_WGMMA_F16 : EB_LIMIT_MMA_F16] * 1e-12;
        (void)printf("| %s | %s |", eb_ladder[r].name, eb_ladder[r].idea);
        for (size_t k = 0; k < DIMENSIONS; k++) {
            eb_status status;
            eb_dataset *ds = NULL;
            eb_climb climb;
            stop_on(eb_synth(EB_SYNTH_UNIFORM, POINTS_CLIMBED, dimensions[k], 42, NULL, &ds, &status), &status,
                    "synth");
            const eb_code failed =
                eb_ladder_climb(&eb_ladder[r], &gpu, ds, eps_of_64("fasted", ds), 5, NULL, &climb, &status);
            if (failed == EB_NO_ENGINE) {
                (void)printf(" n/a | n/a | n/a |");
            } else {
                stop_on(failed, &status, eb_ladder[r].name);
                const double tflops =
                    eb_derived_flops(POINTS_CLIMBED, POINTS_CLIMBED, dimensions[k], climb.kernel_s) * 1e-12;
                (void)printf(" %.1f | %.1f | %.1f %% |", tflops, before[k] > 0 ? tflops / before[k] : 1,
                             100 * tflops / limit);
                before[k] = tflops;
            }
            (void)fflush(stdout);
            eb_dataset_free(ds);
        }
        (void)printf("\n");
    }
}
