/* grouping: decides when an order by groups (groups.cuh) saves time. The filter decides from a sample on the device, a
 * way's cost estimate from a sample on the host. Plain C and C++. */
#pragma once

#include "kernels/parts/both.h"

/* Multiples of ε. In clustered points few pairs are near, and nearly all of these are also close. */
#define EB_GROUPING_NEAR 3.2f
#define EB_GROUPING_CLOSE 1.6f

/* True if multiplying all pairs takes 3 ms or more (tests/bench/gpu.md). The cost of a pair is proportional to the
 * bytes of a padded row + 110. */
static inline int eb_grouping_is_faster(double points, double row_bytes)
{
    return points * points * (row_bytes + 110) > 4.5e12;
}

/* True if a sample of `pairs` shows clusters. In two dimensions, without clusters, near pairs are four times as many as
 * close ones. */
EB_BOTH_AT_RUN_TIME int eb_grouping_helps(double pairs, double near, double close)
{
    return near <= 0.1 * pairs && near <= 4 * close;
}

/* Returns roughly the fraction of all products that grouping leaves to compute. */
static inline double eb_grouping_leaves(double pairs, double near) { return 0.005 + 4 * near / pairs; }
