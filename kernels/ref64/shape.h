/* shape: the shapes of ref64's kernels (cuda/kernel.cuh, cuda/few.cuh), for them and for the machine model (plan.c). */
#pragma once

#include "kernels/parts/places.h"

enum {
    EB_REF64_TILE = 128,
    EB_REF64_HALVES = 2,
    EB_REF64_COLUMNS = EB_REF64_TILE / EB_REF64_HALVES, /* per block */
    EB_REF64_THREADS = 128,
    EB_REF64_STAGES = 3,
    EB_REF64_PAIRS = 8,    /* a thread's pairs along each side: 128 / 16, 64 / 8 */
    EB_REF64_RESIDENT = 2, /* blocks per SM */
    EB_REF64_STAGE_BYTES = (EB_REF64_TILE + EB_REF64_COLUMNS) * EB_ROW_BYTES,
    EB_REF64_FEW_MOST_D = 16,
    EB_REF64_FEW_THREADS = 32,
};

/* The first row and column of a thread's pairs; the others are 16 rows and 8 columns apart. */
EB_BOTH int eb_ref64_row(int thread) { return thread / 8; }
EB_BOTH int eb_ref64_column(int thread) { return thread % 8; }

/* Chunks of 16 bytes, two dimensions, of a point of few dimensions. */
EB_BOTH int eb_ref64_few_chunks(int d) { return (d + 1) / 2; }
EB_BOTH int eb_ref64_few_shared_bytes(int d) { return EB_REF64_TILE * eb_ref64_few_chunks(d) * EB_CHUNK_BYTES; }
