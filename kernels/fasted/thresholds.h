/* thresholds: for which joins the kernels' variants are made (tests/bench/gpu.md). Rows are padded ones, in bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Strips want short rows, and so many tiles that their tails are little beside all of them. */
static inline bool eb_strips_are_faster(size_t row_bytes, size_t points)
{
    return row_bytes <= 512 && points >= (size_t)1 << 18;
}

/* An order by norms costs a sort and a copy, which small joins and long rows do not win back. */
static inline bool eb_order_is_faster(size_t row_bytes, size_t points, bool warpgroups)
{
    return row_bytes <= 512 && points >= (size_t)1 << (warpgroups ? 17 : 16);
}
