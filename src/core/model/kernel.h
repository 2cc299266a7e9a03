/* kernel: an engine's description of the kernel that it would run, for the machine model: the shape of its tiles, a
 * block's resources, every access to shared memory, and the order of tiles, by the same functions that the kernel uses.
 * Kernels without tiles in shared memory read points through L1; what they ask L1 for is counted in lines.
 *
 * A worker (a block, or a cluster of blocks) computes tiles of rows × columns pairs one after another. For each tile it
 * reads the points of both sides slice by slice, 128 bytes a point, into shared memory and from there to its tensor
 * cores.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/machine.h"

#define EB_MOST_ACCESSES 6u
#define EB_WARP 32u
#define EB_PLAN_SELECTIVITY 64 /* default */

/* An SM's clocks for a line of 128 bytes that a warp asks L1 for. Fitted to copies that straddle two lines
 * (fasted[paper,-alignment] on an H200); kernels that read their points through L1 take as long for each line. */
#define EB_REQUEST_CLOCKS 1.6

struct eb_kernel_plan;

/* One way in which a warp reads or writes shared memory. `addresses` gives the byte address of each lane's piece for
 * instruction `instance` of those that a block executes for one slice. */
typedef struct eb_shared_access {
    const char *key, *title;
    unsigned lanes, bytes; /* number of lanes that access a piece; its bytes: 1, 2, 4, 8 or 16 */
    size_t instances;
    bool loads;   /* reads to registers or tensor cores; false: copies points in */
    bool counted; /* visible to the counters of conflicts and wavefronts, unlike asynchronous copies and wgmma */
    bool matrix;  /* by ldmatrix, which has its own counters */
    double mean;  /* wavefronts of an instruction whose addresses depend on the points, which `addresses` then gives
                   * examples of; 0: those of its addresses */
    void (*addresses)(const struct eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP]);
} eb_shared_access;

/* Neighbouring tiles in a row of tiles. */
typedef struct eb_worker_run {
    uint32_t row, column, count; /* count 0: outside the matrix */
} eb_worker_run;

typedef struct eb_kernel_plan {
    const char *title;                  /* "block tiles by mma.sync" */
    eb_number number;                   /* type of the numbers that it multiplies */
    bool warpgroups;                    /* multiplies by wgmma or tcgen05, from shared memory; else by mma.sync */
    unsigned products;                  /* of numbers, for one product of coordinates */
    double of_rate;                     /* share of the machine's rate that the instructions reach; 0: all of it */
    unsigned instructions, flops;       /* of CUDA cores, and FLOP, for a dimension of a pair; 0: tensor cores */
    unsigned instruction;               /* products of a tensor instruction, a warp's share; 0: not told */
    uint64_t variant;                   /* the engine's own number for this variant */
    bool follows_switches;              /* the plan tells what each of the engine's switches does */
    bool filters;                       /* FP64 decides the pairs that it leaves open, after the kernel's time */
    bool arrives;                       /* it begins with the first points while the last are uploaded, if many */
    bool compiled;                      /* false: no such kernel exists, the figures are hypothetical */
    size_t n, d, d_padded, point_bytes; /* point_bytes: a padded point, as the kernel reads it */
    size_t d_multiplied;                /* of d_padded; 0: all */

    /* a worker */
    unsigned blocks;                  /* of a worker */
    uint32_t rows, columns;           /* of its tile */
    uint32_t warp_rows, warp_columns; /* multiplied by a warp or warpgroup at a time */
    bool keeps_rows;                  /* the rows of a run are read once only */
    unsigned alignment, misaligned; /* alignment of shared memory; bytes by which its begin misses a multiple of 128 */

    /* a block */
    unsigned threads, shared_bytes;
    unsigned stages;        /* slices that fit at a time; with more than one the kernel copies ahead */
    unsigned most_resident; /* blocks an SM; 0: as many as fit */
    unsigned registers;     /* per thread; 0: unknown */
    bool apart;             /* its warps do not wait for each other */

    /* the tiles */
    bool symmetric;
    uint64_t numbers; /* number of runs, inside or outside the matrix */
    eb_worker_run (*run)(const struct eb_kernel_plan *plan, uint64_t number);
    bool queued; /* a worker that is done takes the next run (a queue); false: fixed shares, every n-th run */
    bool paced;  /* workers wait for each other within a tile (fasted's switch in-step) */

    /* Pairs that an index leaves, a point's mean, n: all. 0: the kernel computes all pairs, and the rest is of no use.
     * The caller may change it. */
    double candidates;
    /* What the plan takes for granted of the points; the same once the caller has set `candidates`. NULL: nothing. */
    const char *assumes, *assumes_given;
    const char *through_l1; /* what warps read through L1, whose hits are not modelled; NULL: nothing */
    const char *unmeasured; /* what no time was measured of that the model was held to; NULL: it was held */

    size_t accesses;
    eb_shared_access access[EB_MOST_ACCESSES];

    /* fitted to measured times (tests/bench/gpu.md), since counting work does not give them */
    double unhidden;              /* share of the shorter of products and shared memory that the longer does not hide */
    double tile_clocks;           /* an SM's clocks for a tile beside its slices: tests, and starting the next tile */
    double pair_clocks;           /* extra clocks for each pair found */
    double promotion_clocks;      /* an SM's clocks in a slice for sums that leave the tensor cores */
    double request_clocks;        /* for each repeated request of 128 bytes (banks.h, eb_asks_a_byte) */
    double requests;              /* lines of 128 bytes that a block's warps ask L1 for in a slice, copies aside */
    double pass_bytes;            /* passed between L2 and DRAM before or after the tiles, while nothing is computed */
    double slice_wait, tile_wait; /* least clocks of a worker for a slice, for a tile */
    double selectivity;           /* mean neighbours of a point that the prediction assumes; the caller may change it */
} eb_kernel_plan;
