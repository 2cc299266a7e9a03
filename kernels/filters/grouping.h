/* grouping: where points are worth an order by groups (groups.cuh): the kernels look at a sample of pairs, and so does
 * what a way says it costs. Plain C and C++. */
#pragma once

#ifdef __CUDACC__
#define EB_GROUPING_BOTH __host__ __device__
#else
#define EB_GROUPING_BOTH
#endif

/* × ε: in clusters, few pairs are nearer than the one, and hardly more than are nearer than the other. */
#define EB_GROUPING_NEAR 3.2f
#define EB_GROUPING_CLOSE 1.6f

/* Where multiplying all pairs takes 3 ms and more (tests/bench/gpu.md): a pair takes what its padded row does, and as
 * long as 110 bytes of it. */
static inline int eb_grouping_is_faster(double points, double row_bytes)
{
    return points * points * (row_bytes + 110) > 4.5e12;
}

/* Of so many pairs, near ones and close ones. In two dimensions there are four times as many. */
static inline EB_GROUPING_BOTH int eb_grouping_helps(double pairs, double near, double close)
{
    return near <= 0.1 * pairs && near <= 4 * close;
}

/* Of all products, about how many are left. */
static inline double eb_grouping_leaves(double pairs, double near) { return 0.005 + 4 * near / pairs; }
