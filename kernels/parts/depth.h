/* depth: how much of its rows the warpgroup kernel multiplies (kernels/fasted/cuda/warpgroup.cuh). Slices of 128 bytes
 * are copied whole (by four groups, no more than is multiplied); of the last one, steps of 32 bytes are multiplied that
 * are not all padding. There are kernels for
 * 1, 2 and 4 steps. Host and device; C and C++. */
#pragma once

#include <stddef.h>

#include "kernels/parts/both.h"

/* Steps in the last slice of rows of so many bytes, ≥ 1. */
EB_BOTH int eb_last_steps(size_t row_bytes)
{
    const size_t last = (row_bytes + 127) % 128 + 1;
    return last <= 32 ? 1 : last <= 64 ? 2 : 4;
}

/* Bytes of such a row that are multiplied. */
EB_BOTH size_t eb_multiplied_bytes(size_t row_bytes)
{
    return (row_bytes + 127) / 128 * 128 - 128 + 32 * (size_t)eb_last_steps(row_bytes);
}
