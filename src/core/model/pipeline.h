/* pipeline: the times at which the blocks of an SM copy, load and multiply the slices of their tiles, in clocks.
 *
 * A block copies a slice of its points from L2 into one of its stages of shared memory, loads fragments from there and
 * multiplies them; then the stage is free again. With one stage a block copies and multiplies in turn, with more stages
 * it copies ahead. Blocks take turns at the tensor cores, and their copies share the path from L2.
 *
 * Loads and products of a slice take slice_clocks of an SM (predict.h), which are fitted to measured times. A copy
 * takes its bytes divided by an SM's share of L2's rate, or of DRAM's if that is slower; latency, where it matters, is
 * part of slice_clocks (kernel.h, slice_wait). A single block with one stage cannot hide its copies, and slice_clocks
 * includes them: then a copy takes at most what loads and products leave of slice_clocks. In the long run an SM takes
 * the longer of slice_clocks and a copy for a slice, as in predict.h.
 */
#pragma once

#include "core/model/predict.h"

typedef struct eb_pipeline {
    unsigned blocks, stages;     /* blocks on an SM; slices that fit in each */
    double copy, load, multiply; /* clocks for a slice */
    double work;                 /* clocks from a slice's first load to its last product */
    double slice;                /* an SM's clocks for a slice in the long run */
} eb_pipeline;

typedef struct eb_interval {
    double begin, end; /* clocks since the first copy began */
} eb_interval;

typedef struct eb_slice_time {
    eb_interval copy, load, multiply; /* work is from load.begin to multiply.end */
} eb_slice_time;

eb_pipeline eb_pipeline_of(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction);

/* The first `slices` slices of each block: time[slice × blocks + block], slices × p->blocks entries. */
void eb_pipeline_run(const eb_pipeline *p, size_t slices, eb_slice_time *time);
