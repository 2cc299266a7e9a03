/* plan: describes to the machine model (core/model/kernel.h) kernels without tiles in shared memory: a warp takes some
 * queries, and candidates for them, 32 at a time. The candidates come from an index, or are all points.
 *
 * What limits such kernels is the number of lines of 128 bytes that their warps ask L1 for: an SM answers one in about
 * EB_REQUEST_CLOCKS.
 */
#pragma once

#include "core/base/status.h"
#include "core/model/kernel.h"

enum { EB_WALK_WARPS = 8, EB_WALK_CANDIDATES = 32, EB_WALK_QUERIES = 8 };

/* Lines that lanes ask for in one instruction if they read at `places` places, `stride` bytes apart. */
static inline double eb_lines_of(unsigned places, size_t stride)
{
    const double lines = stride < 128 ? places * (double)stride / 128 : places;
    return lines < 1 ? 1 : lines;
}

/* An SM's clocks for finding a warp's next 32 candidates in an index and testing their sums: gds[bare] on an H200,
 * 286,048 × 10 (tests/bench/gpu.md). */
#define EB_WALK_TURN_CLOCKS 165

/* A plan's `run`: row `number` of tiles with all its columns. */
eb_worker_run eb_whole_row(const eb_kernel_plan *plan, uint64_t number);

/* Fills in what all such kernels have: tiles, order, resources. *out has point_bytes.
 * queries: of a warp; lines: asked for by a warp for 32 candidates, all dimensions; indexed: only candidates are looked
 * at, and out->candidates is n, as if the index ruled out nothing. */
void eb_plan_walk(unsigned queries, double lines, bool indexed, size_t n, size_t d, eb_kernel_plan *out);

/* Fills in a plan of eb_plan_differences whose queries have `threads` lanes each (by_threads.cuh): a warp takes 32
 * pairs at a time. */
void eb_plan_by_threads(unsigned threads, unsigned registers, eb_kernel_plan *plan);

/* The kernel of differences (cuda: differences.cuh) in FP32 or FP64. registers: its registers per thread. EB_NO_ENGINE
 * below compute capability 8.0. */
eb_code eb_plan_differences(bool single, unsigned registers, size_t n, size_t d, const eb_machine *machine,
                            eb_kernel_plan *out, eb_status *status);
