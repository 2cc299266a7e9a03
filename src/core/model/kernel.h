/* kernel: what an engine tells the machine model of the kernel that it would run: the shape of its tiles, what a block
 * asks an SM for, every access to shared memory, and the order of its tiles, by the functions that the kernel computes
 * them with.
 *
 * A worker (a block, or a cluster of blocks) takes tiles of rows × columns pairs one after another; for each it reads
 * the points of both sides slice by slice, 128 bytes a point, into shared memory, and from there to its tensor cores.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/device.h"
#include "core/model/machine.h"

#define EB_MOST_ACCESSES 6u
#define EB_WARP 32u
#define EB_PLAN_SELECTIVITY 64 /* where nothing else is said */

struct eb_kernel_plan;

/* One way in which a warp reads or writes shared memory. `addresses` gives the bytes where each lane's piece begins,
 * for instruction `instance` of those that a block executes for one slice. */
typedef struct eb_shared_access {
    const char *key, *title;
    unsigned lanes, bytes; /* the first so many lanes name a piece of so many bytes (4, 8 or 16) each */
    size_t instances;
    bool loads;   /* to the registers, or the tensor cores; else it brings points in */
    bool counted; /* by the counters of conflicts and wavefronts: asynchronous copies and wgmma are not */
    bool matrix;  /* by ldmatrix, which has counters of its own */
    void (*addresses)(const struct eb_kernel_plan *plan, size_t instance, uint32_t address[EB_WARP]);
} eb_shared_access;

/* Tiles next to each other in a row of tiles. */
typedef struct eb_worker_run {
    uint32_t row, column, count; /* count 0: outside the matrix */
} eb_worker_run;

typedef struct eb_kernel_plan {
    const char *title;                  /* "block tiles by mma.sync" */
    eb_limit limit;                     /* of the instruction it multiplies with */
    uint64_t variant;                   /* the engine's own word for it */
    bool compiled;                      /* such a kernel exists; else the figures are of what it would be */
    size_t n, d, d_padded, point_bytes; /* point_bytes: of a padded point as the kernel reads it */

    /* a worker */
    unsigned blocks;                  /* of a worker */
    uint32_t rows, columns;           /* of its tile */
    uint32_t warp_rows, warp_columns; /* of what a warp, or a warpgroup, multiplies at a time */
    bool keeps_rows;                  /* the rows of a run are read once */
    unsigned alignment, misaligned;   /* what shared memory must begin at a multiple of; bytes that it begins off 128 */

    /* a block */
    unsigned threads, shared_bytes;
    unsigned stages;        /* slices that it has room for at a time; with more than one it copies ahead */
    unsigned most_resident; /* blocks an SM; 0: as many as fit */
    unsigned registers;     /* of a thread, 0: not known */

    /* the tiles */
    bool symmetric;
    uint64_t numbers; /* runs there are, inside or outside */
    eb_worker_run (*run)(const struct eb_kernel_plan *plan, uint64_t number);
    bool in_step; /* a worker takes the next number when it is done (a queue); else every so many-th */

    size_t accesses;
    eb_shared_access access[EB_MOST_ACCESSES];

    /* what no count of work tells, fitted to measured times (tests/bench/gpu.md) */
    double unhidden;    /* of the shorter of products and shared memory, the share that the longer one does not hide */
    double tile_clocks; /* an SM spends on a worker's tile beside its slices: tests, and the way to the next one */
    double pair_clocks; /* and more for each pair found */
    double request_clocks;        /* for each 128 bytes that are asked for once more (banks.h, eb_asks_a_byte) */
    double slice_wait, tile_wait; /* clocks that a worker takes at least, however little it computes */
    double selectivity;           /* mean neighbours of a point that the prediction is for: the caller's to change */
} eb_kernel_plan;
