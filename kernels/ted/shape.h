/* shape: the shapes of ted's own kernel (cuda/kernel.cuh) and of the published one (cuda/paper.cuh), for the kernels
 * and for the machine model (plan.c, plan_paper.c). */
#pragma once

#include "kernels/parts/places.h"

enum {
    EB_TED_TILE = 128,
    EB_TED_HALVES = 2,
    EB_TED_COLUMNS = EB_TED_TILE / EB_TED_HALVES, /* per block */
    EB_TED_THREADS = 128,
    EB_TED_STAGES = 4,
    EB_TED_WARP_ROWS = 64,
    EB_TED_WARP_COLUMNS = 32,
    EB_TED_STAGE_BYTES = (EB_TED_TILE + EB_TED_COLUMNS) * EB_ROW_BYTES,
};

/* The published kernel: a warp's tiles of 8 candidates, its queries, and the dimensions of a step in both shapes. */
enum {
    EB_TED_PAPER_TILES = 4,
    EB_TED_PAPER_ROWS = 8,
    EB_TED_PAPER_STEP = 4,
    EB_TED_WIDE_ROWS = 16,
    EB_TED_WIDE_STEP = 16,
};

/* A warp's first row and column in its block. */
EB_BOTH int eb_ted_row(int warp) { return warp / 2 * EB_TED_WARP_ROWS; }
EB_BOTH int eb_ted_column(int warp) { return warp % 2 * EB_TED_WARP_COLUMNS; }
