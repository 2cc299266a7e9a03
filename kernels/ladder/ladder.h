/* ladder: FASTED's kernel as one text, in six rungs: from a thread a pair to wgmma, each a whole kernel in a file of
 * its own with one idea more than the one before. They are to be read; engines have their own kernels. NVRTC compiles a
 * rung when it is asked for. On a GPU alone: builds without nvcc have none of this.
 */
#pragma once

#include "core/data/dataset.h"
#include "core/engine/device.h"

typedef struct eb_rung {
    const char *name;   /* "naive" */
    const char *source; /* "kernels/ladder/naive.cuh" */
    const char *idea;   /* what it has that the one before has not, in a line */
    int architecture;   /* the compute capability that it needs: 80, 90 */
} eb_rung;

enum { EB_RUNGS = 6 };
extern const eb_rung eb_ladder[EB_RUNGS];

typedef struct eb_climb {
    double kernel_s; /* the fastest of the trials */
    uint64_t pairs;  /* |R|: ordered pairs within ε, self pairs included */
} eb_climb;

/* Runs a rung on all points, rounded to FP16, `trials` times after a warm-up. neighbours: [n] out, the points within ε
 * of each, itself included; NULL: not wanted. EB_NO_ENGINE where NVRTC is missing or the GPU is older than the rung;
 * EB_BAD_VALUE for a coordinate that FP16 cannot hold. */
eb_code eb_ladder_climb(const eb_rung *rung, const eb_device *device, const eb_dataset *points, double eps,
                        unsigned trials, uint32_t *neighbours, eb_climb *out, eb_status *status);
