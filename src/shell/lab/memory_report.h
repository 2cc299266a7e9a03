/* memory_report: charts the traffic between registers, shared memory, L1, L2 and DRAM as Nsight does: bytes, rates, and
 * share of the peak rate. Each number says whether it was counted or comes from the machine model. */
#pragma once

#include "core/model/predict.h"
#include "core/report/report.h"

/* Nearest to the arithmetic units first. */
typedef enum eb_level { EB_REGISTERS, EB_SHARED, EB_L1, EB_L2, EB_DRAM, EB_LEVELS } eb_level;

typedef struct eb_known {
    double value; /* NAN: unknown */
    bool counted; /* false: from the machine model */
} eb_known;

typedef struct eb_memory {
    bool to_tensor_cores;        /* tensor cores read shared memory directly, without registers (wgmma) */
    double seconds;              /* kernel time; NAN: unknown */
    eb_known read[EB_LEVELS];    /* bytes that the level above reads from it */
    eb_known written[EB_LEVELS]; /* bytes that the level above writes to it */
    eb_known hits[EB_LEVELS];    /* hit rate, 0 to 1 */
    double peak[EB_LEVELS];      /* peak read rate in bytes a second; NAN: unknown */
} eb_memory;

eb_memory eb_memory_unknown(void);

/* Traffic of reading the points by the machine model, without the writes for hits. Copies to shared memory pass through
 * L1, which does not cache them, so L1 and L2 read the same bytes. */
eb_memory eb_memory_of_model(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction);

/* Replaces values by a run's counters (columns `metric` and `value`; kernels/device/counters.h). Returns the number of
 * levels whose read bytes were counted. */
size_t eb_memory_take_counters(eb_memory *memory, const eb_table *counters);

/* Table "memory", drawn as a chart; nothing if no level's bytes are known. */
void eb_report_memory(eb_report *report, const char *title, const eb_memory *memory);
