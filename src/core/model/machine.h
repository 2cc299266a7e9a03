/* machine: what the machine model knows of a GPU: its units, memories and rates. A table of some, which a person's file
 * extends.
 *
 * The file is $XDG_CONFIG_HOME/epsbench/gpus: lines of `key = value`, a machine beginning at its `name`; `like = NAME`
 * takes over what another one has. Keys are the members' names; # begins a comment. Machines of the file come before
 * those of the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef struct eb_machine {
    char name[40];  /* as typed: "h200" */
    char title[80]; /* as a driver calls it: "NVIDIA H200" */
    double compute; /* capability: 9.0 */
    double sms, clock_hz, memory_bytes_s;
    double l2_bytes, l2_parts;               /* a part caches for the SMs beside it what the other has, too */
    double l2_bytes_clock;                   /* from L2 to all SMs, a clock */
    double shared_bytes, block_shared_bytes; /* of an SM; that one block may have */
    double reserved_bytes;                   /* of shared memory, by the system, a block */
    double threads, blocks, registers;       /* of an SM */
    double mma_f64;                          /* the same in FP64 */
    double mma_f16, wgmma_f16;               /* multiply-adds a clock and SM, FP32 sums; 0: has no such instruction */
    double measured;                         /* 1: held against counters and times of such a GPU; 0: from data sheets */
} eb_machine;

/* All: the table's, and before them those of the file (NULL or one that is not there: the table's alone). *out is the
 * caller's to free. EB_BAD_FORMAT: file, line and what is wrong with it. */
eb_code eb_machines(const char *file, eb_machine **out, size_t *count, eb_status *status);

/* By its name, or by part of its title; letters' case is no matter. NULL: none. */
const eb_machine *eb_machine_find(const eb_machine *machines, size_t count, const char *name);

static inline bool eb_machine_has_wgmma(const eb_machine *machine) { return machine->wgmma_f16 > 0; }
