/* ted_shape: the shape of ted_kernel.cuh, for the kernel and for the machine model (ted_plan.c). */
#pragma once

#include "kernels/parts/places.h"

enum {
    EB_TED_TILE = 128,
    EB_TED_HALVES = 2,
    EB_TED_COLUMNS = EB_TED_TILE / EB_TED_HALVES, /* of a block */
    EB_TED_THREADS = 128,
    EB_TED_STAGES = 4,
    EB_TED_WARP_ROWS = 64,
    EB_TED_WARP_COLUMNS = 32,
    EB_TED_STAGE_BYTES = (EB_TED_TILE + EB_TED_COLUMNS) * EB_ROW_BYTES,
};

/* The rows of a block where a warp's products begin, and the columns. */
EB_BOTH int eb_ted_row(int warp) { return warp / 2 * EB_TED_WARP_ROWS; }
EB_BOTH int eb_ted_column(int warp) { return warp % 2 * EB_TED_WARP_COLUMNS; }
