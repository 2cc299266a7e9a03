/* pipeline: when the blocks of an SM copy, load and multiply the slices of their tiles, in clocks.
 *
 * A block copies a slice of its points from L2 into one of its stages of shared memory, loads fragments from there and
 * multiplies them; then the stage is free for another slice. With one stage it copies and multiplies by turns, with
 * more it copies meanwhile. Blocks take turns at the tensor cores, and their copies at the way from L2.
 *
 * Loads and products of a slice take slice_clocks of an SM (predict.h), which are fitted to measured times; a copy
 * takes its bytes over an SM's share of L2's rate, or of DRAM's where that is longer; its latency, where it counts, is
 * in slice_clocks (kernel.h, slice_wait). A block with one stage and no other beside it hides its copies behind
 * nothing, and slice_clocks has them in it: a copy then takes no more than loads and products leave of that. In the
 * long run an SM does a slice in what is longer, slice_clocks or a copy, as predict.h's time has it.
 */
#pragma once

#include "core/model/predict.h"

typedef struct eb_pipeline {
    unsigned blocks, stages;     /* on an SM; slices that each has room for */
    double copy, load, multiply; /* clocks that each takes of a slice */
    double work;                 /* from a slice's first load to its last product */
    double slice;                /* clocks of an SM and slice in the long run */
} eb_pipeline;

typedef struct eb_interval {
    double begin, end; /* clocks from the first copy on */
} eb_interval;

typedef struct eb_slice_time {
    eb_interval copy, load, multiply; /* the work goes from load.begin to multiply.end */
} eb_slice_time;

eb_pipeline eb_pipeline_of(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction);

/* The first slices of each block: time[slice × blocks + block], slices × p->blocks of them. */
void eb_pipeline_run(const eb_pipeline *p, size_t slices, eb_slice_time *time);
