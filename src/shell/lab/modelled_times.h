/* modelled_times: what the machine model says that an engine's kernels take with other switches. */
#pragma once

#include "core/engine/engine.h"
#include "core/model/machine.h"
#include "core/report/report.h"

typedef struct eb_modelling {
    const eb_engine *engine; /* NULL: the model knows no such GPU, or nothing of such kernels */
    eb_machine machine;
    size_t n, d;
    eb_job *job; /* a cancel is heard; NULL: none comes */
} eb_modelling;

/* For n points in d dimensions on the GPU of that name or title (core/model/machine.h); NULL: the first that the model
 * was held against. */
eb_modelling eb_modelling_of(const eb_engine *engine, const char *gpu, size_t n, size_t d);

/* Seconds with these options; NAN: the model does not say, or the job was cancelled. Takes some hundredths of a second.
 */
double eb_modelled_s(const eb_modelling *modelling, const eb_options *options);

/* A kernel's facts without replaying its tiles, at once, as a record "model": blocks an SM and what limits
 * them, conflicts in shared memory, clocks of a slice. gpu as above. False: the engine has no kernel to model; nothing
 * is added. */
bool eb_report_modelled_at_once(eb_report *report, const char *engine, const char *gpu, size_t n, size_t d);
