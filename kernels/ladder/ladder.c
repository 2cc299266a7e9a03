/* ladder: the rungs in order. Plain C: the unit tests of a build without nvcc compile them. */
#include "kernels/ladder/ladder.h"

#include <string.h>

const eb_rung eb_ladder[EB_RUNGS] = {
    {"naive", "kernels/ladder/naive.cuh", "a thread for each pair", 80},
    {"tiles", "kernels/ladder/tiles.cuh", "tiles in shared memory, 4 × 4 pairs a thread", 80},
    {"mma", "kernels/ladder/mma.cuh", "scalar products by tensor cores", 80},
    {"pipeline", "kernels/ladder/pipeline.cuh", "a slice is copied while another is multiplied", 80},
    {"fasted", "kernels/ladder/fasted.cuh", "swizzled rows, tiles in squares", 80},
    {"wgmma", "kernels/ladder/wgmma.cuh", "operands from shared memory, copied by the TMA unit", 90},
};

const eb_rung *eb_ladder_find(const char *file)
{
    static const char folder[] = "kernels/ladder/";
    for (size_t k = 0; k < EB_RUNGS; k++)
        if (strcmp(eb_ladder[k].source + sizeof folder - 1, file) == 0)
            return &eb_ladder[k];
    return NULL;
}
