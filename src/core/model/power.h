/* power: the clock of a GPU under load: the highest at which what the kernel does takes no more power than the board
 * may draw.
 *
 * Power is that of an idle board, of SMs at work (clock tree, instructions, registers), of products, and of bytes from
 * L2 and DRAM. What happens on the chip takes energy in proportion to V², and V² is taken to grow as the clock does;
 * energies are those at the highest clock of tensor cores. DRAM has its own voltage.
 *
 * A board averages its power over time: rested, it draws `rested` of its limit more, and less of that the longer the
 * kernel takes. So a clock is a band: low, kept up for long; likely, for a few runs in a row, as `compare` and
 * `counters` measure; high, just after a rest.
 */
#pragma once

#include "core/model/machine.h"

/* What a kernel does, at any clock. */
typedef struct eb_exertion {
    bool cores;                         /* CUDA cores compute: part of SMs at work, at the highest clock of all */
    eb_rate rate;                       /* of the tensor cores' products */
    double flops, l2_bytes, dram_bytes; /* FLOP of these; bytes read from L2 and DRAM */
    double clocks, dram_s;              /* it takes clocks / clock, or dram_s if that is longer */
} eb_exertion;

typedef struct eb_likely {
    double low, likely, high;
} eb_likely;

/* The highest clock that the GPU has while it multiplies numbers of that type. */
double eb_highest_clock(const eb_machine *machine, eb_rate rate);

/* Watts at that clock. */
double eb_power_at(const eb_machine *machine, const eb_exertion *load, double clock_hz);

/* Hz. All three are the highest clock if the machine's power is not known, or suffices. */
eb_likely eb_clock_under(const eb_machine *machine, const eb_exertion *load);

/* FLOP/s that products by wgmma, else by mma.sync, keep up for long with nothing else to do; 0: no such instruction. */
double eb_kept_up(const eb_machine *machine, eb_rate rate);
