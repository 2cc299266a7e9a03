/* memory_report: what passes between registers, shared memory, L1, L2 and DRAM, as a chart in Nsight's manner: bytes,
 * rates, how near to the most these are; of each, whether it was counted or comes of the machine model.
 */
#pragma once

#include "core/model/predict.h"
#include "core/report/report.h"

/* The nearest to the arithmetic first. */
typedef enum eb_level { EB_REGISTERS, EB_SHARED, EB_L1, EB_L2, EB_DRAM, EB_LEVELS } eb_level;

typedef struct eb_known {
    double value; /* NAN: unknown */
    bool counted; /* else the model says so */
} eb_known;

typedef struct eb_memory {
    bool to_tensor_cores;        /* what shared memory gives goes there, not to registers (wgmma) */
    double seconds;              /* that the kernels take; NAN: unknown */
    eb_known read[EB_LEVELS];    /* bytes that the level above reads from it */
    eb_known written[EB_LEVELS]; /* bytes that the level above writes to it */
    eb_known hits[EB_LEVELS];    /* share of lookups */
    double peak[EB_LEVELS];      /* bytes a second that can be read from it at most; NAN: unknown */
} eb_memory;

eb_memory eb_memory_unknown(void);

/* Points as they are read; what hits write is left out. Copies pass L1, which keeps nothing of them. */
eb_memory eb_memory_of_model(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction);

/* What a run's counters (`metric`, `value`; kernels/device/counters.h) tell takes the place of what was there. Returns
 * how many levels they tell of. */
size_t eb_memory_take_counters(eb_memory *memory, const eb_table *counters);

/* A table "memory", seen as a chart; nothing where no level's bytes are known. */
void eb_report_memory(eb_report *report, const char *title, const eb_memory *memory);
