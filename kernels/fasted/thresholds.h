/* thresholds: sizes of joins from which variants of the kernels are faster (tests/bench/gpu.md). row_bytes: size of a
 * padded row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/fasted/switches.h"

/* Strips need short rows, and enough tiles to make the last, partly filled round of tiles negligible. */
static inline bool eb_strips_are_faster(size_t row_bytes, size_t points)
{
    return row_bytes <= 512 && points >= (size_t)1 << 18;
}

/* Four warpgroups need rows of one slice. Small joins have too few runs of tiles for all clusters. */
static inline bool eb_four_groups_are_faster(size_t row_bytes, size_t points)
{
    return row_bytes <= 128 && points >= (size_t)1 << 15;
}

/* The set whose kernel runs for so many rows of so many bytes. Four groups keep their rows and take no turns. */
static inline uint32_t eb_fasted_set_for(uint32_t switches, size_t row_bytes, size_t points)
{
    const uint32_t four = EB_FOUR_GROUPS, strips = EB_STRIPS;
    if (switches & four && eb_four_groups_are_faster(row_bytes, points))
        return switches | strips | EB_IN_TURN;
    return switches & ~four & ~(eb_strips_are_faster(row_bytes, points) ? 0 : strips);
}

/* Clusters that keep in step read less from DRAM; with short rows all panels in use stay in L2 anyhow. */
static inline bool eb_steps_are_kept(size_t row_bytes) { return row_bytes >= 1024; }

/* Ordering points by their norms costs a sort and a copy. Small joins and long rows do not gain that back. */
static inline bool eb_order_is_faster(size_t row_bytes, size_t points, bool warpgroups)
{
    return row_bytes <= 512 && points >= (size_t)1 << (warpgroups ? 17 : 16);
}

/* An order needs all points. With rows of 512 bytes it saves 4 % of the kernels' time, less than kernels save that
 * begin while points arrive (upload/arriving.cuh); with 256 bytes 15 % and more. */
static inline bool eb_order_is_worth_waiting(size_t row_bytes, size_t points, bool warpgroups)
{
    return row_bytes <= 256 && eb_order_is_faster(row_bytes, points, warpgroups);
}
