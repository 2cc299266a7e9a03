/* shape: the shape of wmma's kernel (cuda/wmma.cu), for the kernel and for the machine model (plan.c). */
#pragma once

#include "kernels/parts/both.h"

enum {
    EB_WMMA_SIDE = 8, /* of a fragment of pairs */
    EB_WMMA_DEPTH = 4,
    EB_WMMA_WARPS = 4,
    EB_WMMA_THREADS = EB_WMMA_WARPS * 32,
    EB_WMMA_TILE = EB_WMMA_WARPS * EB_WMMA_SIDE, /* one stripe of 8 rows per warp */
    EB_WMMA_SLICE = 16,                          /* dimensions in shared memory at a time */
    EB_WMMA_STRIDE = EB_WMMA_SLICE + 4,          /* doubles of a staged row */
    EB_WMMA_PRODUCT_STRIDE = EB_WMMA_TILE + 4,
    EB_WMMA_PANEL_BYTES = EB_WMMA_TILE * EB_WMMA_STRIDE * 8,
};

/* A thread copies two neighbouring doubles of every 16th row: its first row, and its first double. */
EB_BOTH int eb_wmma_filled_row(int thread) { return thread / (EB_WMMA_SLICE / 2); }
EB_BOTH int eb_wmma_filled_column(int thread) { return thread % (EB_WMMA_SLICE / 2) * 2; }
