/* engine: the emulated engine of a rung, for engines that are one rung (kernels/fasted). */
#pragma once

#include "core/engine/engine.h"
#include "kernels/tensor/rung.h"

/* Like eb_implementation's open. The state begins with an eb_emulated (kernels/walk/emulated.h); eb_tensor_cpu's
 * functions take it. */
eb_code eb_tensor_open(const eb_rung *rung, const eb_problem *problem, const eb_context *context, void **state,
                       eb_status *status);

/* moves of eb_engine. */
eb_code eb_tensor_moves(const eb_rung *rung, const eb_problem *problem, double far, unsigned threads, eb_job *job,
                        eb_rounded *out, eb_status *status);

/* Of whom a pair is explained. */
typedef struct eb_explained {
    const char *engine, *spec; /* "fasted", "fasted[norms=chain]" */
    const char *who;           /* "FASTED" */
    const char *core;          /* "sm_90" */
} eb_explained;

/* explain of eb_engine. */
eb_code eb_tensor_explain(const eb_rung *rung, const eb_explained *what, const eb_dataset *points, size_t i, size_t j,
                          double eps, struct eb_report *report, eb_status *status);

extern const eb_implementation eb_tensor_cpu;
