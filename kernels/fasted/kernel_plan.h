/* kernel_plan: describes FASTED's kernels to the machine model (core/model/kernel.h), with FP16 products or with those
 * of an engine whose kernels have the same tiles. A slice is 128 bytes of a row in every number type, so that the
 * accesses to shared memory are the same.
 */
#pragma once

#include "core/model/kernel.h"

typedef struct eb_arithmetic {
    eb_number number;
    unsigned parts;    /* numbers of a coordinate, ≥ 1 */
    unsigned products; /* of numbers, for one product of coordinates, ≥ 1 */
    unsigned promote;  /* products after which a sum is added to an FP32 sum outside the tensor core; 0: never */
    bool all_depths;   /* the best preset's warpgroup kernel multiplies no steps of padding (kernels/parts/depth.h) */
} eb_arithmetic;

/* The kernel with these switches; EB_WARPGROUP must be off on a machine without wgmma or tcgen05. out->compiled is
 * false. EB_NO_ENGINE below compute capability 8.0. */
eb_code eb_plan_tiles(uint32_t switches, const eb_arithmetic *arithmetic, size_t n, size_t d, const eb_machine *machine,
                      eb_kernel_plan *out, eb_status *status);

/* The same with FP16 products, `compiled` and registers of FASTED's own kernel. Switches without effect on the machine
 * may be on. */
eb_code eb_plan_fasted(uint32_t switches, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                       eb_status *status);
