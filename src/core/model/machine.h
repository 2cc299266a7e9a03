/* machine: a GPU's units, memories and rates for the machine model: a table of GPUs, which a user's file extends.
 *
 * The file is $XDG_CONFIG_HOME/epsbench/gpus with lines `key = value`. A machine begins with its `name`; `like = NAME`
 * copies the figures of another machine. Keys are the names of members; # begins a comment. Machines of the file come
 * before those of the table. A rate's key has its number type at the end: mma_f64, wgmma_fp8, product_pj_s8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/data/number.h"

/* The number types whose rates differ. BF16 has FP16's rate, E4M3 and E5M2 have FP8's. */
typedef enum eb_rate { EB_RATE_F64, EB_RATE_TF32, EB_RATE_F16, EB_RATE_FP8, EB_RATE_S8, EB_RATES } eb_rate;
const char *eb_rate_title(eb_rate rate); /* "FP16, BF16" */
eb_rate eb_rate_of(eb_number number);

/* Where a limit is from. */
typedef enum eb_source {
    EB_UNKNOWN,
    EB_GUESSED,
    EB_DATA_SHEET,
    EB_PAPER,     /* FASTED's paper, Table 6 */
    EB_OTHER_GPU, /* measured on an H200, whose parts it shares */
    EB_FITTED,    /* to runs on such a GPU */
    EB_MEASURED,  /* on such a GPU */
    EB_OWN_FILE
} eb_source;
const char *eb_source_name(eb_source source); /* "data sheet"; NULL: unknown */

typedef enum eb_machine_limit {
    EB_MACHINE_CLOCK,
    EB_MACHINE_DRAM,
    EB_MACHINE_L2,
    EB_MACHINE_MMA,
    EB_MACHINE_WGMMA,
    EB_MACHINE_POWER,
    EB_MACHINE_HOST_LINK,
    EB_MACHINE_PEER_LINK,
    EB_MACHINE_LIMITS
} eb_machine_limit;

/* What a board may draw, and what takes it (power.h). */
typedef struct eb_power {
    double limit_w; /* 0: not known, and the clock stays at its highest */
    double idle_w;
    double sm_nj;                /* an SM at work, a clock */
    double product_pj[EB_RATES]; /* a FLOP of the tensor cores */
    double l2_pj, dram_pj;       /* a byte read */
    double rested, rested_s;     /* a rested board draws that share of the limit more; time in which most of it ends */
} eb_power;

typedef struct eb_machine {
    char name[40];  /* as typed: "h200" */
    char title[80]; /* as a driver calls it: "NVIDIA H200" */
    double compute; /* compute capability: 9.0 */
    double sms, clock_hz;
    double tensor_clock_hz;            /* highest while tensor cores multiply types narrower than FP64; 0: clock_hz */
    double capacity_bytes;             /* of its memory, by the data sheet; 0: not known */
    double host_bytes_s, peer_bytes_s; /* one way, to and from the host; to another GPU of the host; 0: not known */
    double memory_bytes_s, sheet_bytes_s; /* from DRAM; by the data sheet, which counters relate to, 0: the same */
    double l2_bytes, l2_parts;            /* with two parts, each also caches the other's data for the SMs beside it */
    double l2_bytes_clock;                /* from L2 to all SMs, a clock */
    double shared_bytes, block_shared_bytes; /* of an SM; most for one block */
    double reserved_bytes;                   /* shared memory that the system keeps for each block */
    double threads, blocks, registers;       /* of an SM */
    double mma[EB_RATES], wgmma[EB_RATES];   /* multiply-adds a clock and SM by mma.sync; by wgmma, on compute
                                              * capability 10.0 tcgen05; with sums of 32 bits; 0: no such instruction */
    eb_power power;
    eb_source source[EB_MACHINE_LIMITS];
    double measured; /* 1: compared with counters and times of such a GPU; 0: not */
} eb_machine;

/* The file's machines, then the table's. file NULL or missing: only the table's. The caller frees *out. EB_BAD_FORMAT
 * with file, line and reason. */
eb_code eb_machines(const char *file, eb_machine **out, size_t *count, eb_status *status);

/* Finds a machine by its name or title, else by a part of its title, ignoring case; NULL: not found. */
const eb_machine *eb_machine_find(const eb_machine *machines, size_t count, const char *name);

/* From the shared memory of all SMs: a wavefront a clock and SM. */
static inline double eb_shared_bytes_s(const eb_machine *machine, double clock_hz)
{
    return 128 * machine->sms * clock_hz;
}

/* Instructions of FP64 (bytes 8) or FP32 (bytes 4) that the CUDA cores of an SM begin in a clock: by NVIDIA's table of
 * throughputs, FP64 on compute capability 9.0 as measured on an H200. 0: unknown. */
double eb_machine_cores(const eb_machine *machine, size_t bytes);

/* EB_NO_ENGINE before compute capability 8.0, or where the rate of CUDA cores in FP64 (bytes 8) or FP32 is unknown. */
eb_code eb_machine_needs_cores(const eb_machine *machine, size_t bytes, eb_status *status);

/* EB_NO_ENGINE without FP64 tensor cores. */
eb_code eb_machine_needs_f64(const eb_machine *machine, eb_status *status);

/* Whether it runs kernels for wgmma, which only compute capability 9.0 has. */
static inline bool eb_machine_has_wgmma(const eb_machine *machine)
{
    return machine->wgmma[EB_RATE_F16] > 0 && machine->compute < 10;
}
