/* occupancy: how many blocks of a kernel an SM holds at a time, and which resource limits that.
 *
 * Registers are allocated to warps in units of 256, shared memory in units of 128 bytes, some of which the system keeps
 * for each block.
 */
#pragma once

#include "core/model/kernel.h"

typedef struct eb_occupancy {
    unsigned by_registers, by_shared, by_threads, by_blocks; /* blocks that each resource would allow */
    unsigned blocks;                                         /* on an SM; 0: not even one fits */
    unsigned workers;                                        /* on the whole GPU */
    double share;                                            /* resident warps / most possible warps */
    const char *limit; /* "registers", "shared memory", "threads", "blocks", "the kernel's own bound" */
} eb_occupancy;

eb_occupancy eb_occupancy_of(const eb_kernel_plan *plan, const eb_machine *machine);
