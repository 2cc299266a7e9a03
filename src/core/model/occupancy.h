/* occupancy: how many blocks of a kernel an SM holds at a time, and what is used up first.
 *
 * Registers are handed out by the warp, in 256s; shared memory in 128s, of which the system keeps some for each block.
 */
#pragma once

#include "core/model/kernel.h"

typedef struct eb_occupancy {
    unsigned by_registers, by_shared, by_threads, by_blocks; /* blocks that each would allow */
    unsigned blocks;                                         /* of an SM; 0: not even one fits */
    unsigned workers;                                        /* on the whole GPU */
    double share;                                            /* warps there are of warps there could be */
    const char *limit; /* "registers", "shared memory", "threads", "blocks", "the kernel's own bound" */
} eb_occupancy;

eb_occupancy eb_occupancy_of(const eb_kernel_plan *plan, const eb_machine *machine);
