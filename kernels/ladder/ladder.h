/* ladder: FASTED's kernel explained in six rungs, from one thread per pair to wgmma. Each rung is a whole kernel in a
 * file of its own and adds one idea to the previous rung. The rungs are there to be read; engines have their own
 * kernels. NVRTC compiles a rung when it is run. Running needs a GPU; builds without nvcc have only the list of rungs.
 */
#pragma once

#include "core/data/dataset.h"
#include "core/engine/device.h"

typedef struct eb_rung {
    const char *name;   /* "naive" */
    const char *source; /* "kernels/ladder/naive.cuh" */
    const char *idea;   /* what it adds to the previous rung, in a line */
    int architecture;   /* compute capability that it needs: 80 or 90 */
} eb_rung;

enum { EB_RUNGS = 6 };
extern const eb_rung eb_ladder[EB_RUNGS];

/* The rung of a file of kernels/ladder, "mma.cuh"; NULL: there is none. */
const eb_rung *eb_ladder_find(const char *file);

typedef struct eb_climb {
    double kernel_s; /* fastest trial */
    uint64_t pairs;  /* |R|: ordered pairs within ε, self pairs included */
} eb_climb;

/* Runs a rung on all points, rounded to FP16: a warm-up, then `trials` trials. neighbours: [n] out, the number of
 * points within ε of each point, itself included; may be NULL. EB_NO_ENGINE if NVRTC is missing or the GPU is older
 * than the rung needs; EB_BAD_VALUE for a coordinate that FP16 cannot hold. */
eb_code eb_ladder_climb(const eb_rung *rung, const eb_device *device, const eb_dataset *points, double eps,
                        unsigned trials, uint32_t *neighbours, eb_climb *out, eb_status *status);
