/* rate: the machine model's rate of a self-join by an engine on a GPU, without running it. */
#pragma once

#include "core/engine/engine.h"
#include "core/model/machine.h"

/* *derived_flops = 2·n²·d over the predicted kernel time, in FLOP/s; NAN if the engine has no kernel for such a
 * machine, or no plan at all: then *status says why. Of the replay of L2 (cache.h) only the first tiles run, so that
 * this takes a few milliseconds at any n. EB_USAGE for options that exclude each other. */
eb_code eb_model_rate(const eb_engine *engine, const eb_options *options, size_t n, size_t d, double selectivity,
                      const eb_machine *machine, double *derived_flops, eb_status *status);
