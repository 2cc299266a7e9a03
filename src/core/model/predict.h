/* predict: predicts a kernel's load on a GPU and its least time: reuse, intensity, roofline.
 *
 * A value that a worker has read serves its whole tile: a row's value is used as often as the tile has columns, and
 * vice versa (FASTED paper, Box 1: the reuse of a block tile, and of a warp tile within it). Intensity is executed FLOP
 * over the bytes that pass a level: shared memory to registers, L2 to SMs, DRAM to L2.
 *
 * An SM's time for a slice is the longer of its products and its wavefronts in shared memory, plus the share of the
 * shorter that the kernel does not hide. A tile takes its slices, the clocks beside them (kernel.h), and more if pairs
 * are found. Lines that are read through L1 take their time, too (kernel.h, requests); what L2 and DRAM hand out to
 * such a kernel is NAN, because L1's hits are not modelled. No worker is faster than its own waits, however many share
 * the SM. The kernel takes the longest of that, of the time for L2's bytes, and of the time for DRAM's.
 *
 * All of that is clocks, but for DRAM's time. The clock follows from what the kernel does and what the board may draw
 * (power.h), unless the caller gives it.
 */
#pragma once

#include "core/model/banks.h"
#include "core/model/cache.h"
#include "core/model/occupancy.h"
#include "core/model/power.h"

typedef struct eb_reuse {
    double block_rows, block_columns; /* uses of a row's, a column's value in a block tile, out of shared memory */
    double warp_rows, warp_columns;   /* uses in a warp tile, out of registers */
    double shared_intensity, l2_intensity, dram_intensity; /* FLOP a byte */
} eb_reuse;

typedef struct eb_prediction {
    double clock_hz;
    bool clock_given; /* by the caller */
    eb_likely clock;  /* clock_hz is the likely one; all three are the same if it is given */
    eb_exertion load; /* of the clock */
    eb_occupancy occupancy;
    eb_bank_use banks, counted, matrix; /* of a slice: all accesses; those that counters see; those by ldmatrix */
    double conflicts_a_wavefront;       /* of the counted accesses; 0 without wavefronts */
    eb_cache_use cache;
    eb_reuse reuse;
    double executed_flops, derived_flops;                /* FLOP of the kernel: of its products; 2·n²·d */
    double tiles, slices;                                /* tiles of the kernel; slices of a tile */
    double products_clocks, shared_clocks, slice_clocks; /* an SM's clocks for a slice */
    double end_clocks, tile_clocks;                      /* clocks for a tile: beside its slices; in all */
    double sm_s, l2_s, dram_s, kernel_s;                 /* kernel_s: the longest, and pass_s */
    double pass_s;                                       /* of passes over memory beside the tiles */
    eb_likely kernel;  /* seconds: low at clock.high, high at clock.low, either 5 % wider (EB_CLOCKS_OFF) */
    const char *bound; /* which is the longest: "SMs", "L2", "DRAM" */
    double dram_share, shared_share, tensor_share; /* of the peaks of DRAM (data sheet), shared memory, products */
    double roof_flops, memory_roof_flops;          /* FLOP/s: of products at this clock; DRAM bandwidth × intensity */
} eb_prediction;

/* By how much a kernel's time is off beyond its clock: 95 of 108 predicted times are within 5 % of the measured. */
#define EB_CLOCKS_OFF 0.05

/* clock_hz 0: as the board's power allows. EB_NO_DEVICE if no block fits an SM. */
eb_code eb_predict(const eb_kernel_plan *plan, const eb_machine *machine, double clock_hz, eb_job *job,
                   eb_prediction *out, eb_status *status);
