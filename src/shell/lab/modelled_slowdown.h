/* modelled_slowdown: what the machine model says that leaving a switch out costs. */
#ifndef EB_SHELL_LAB_MODELLED_SLOWDOWN_H
#define EB_SHELL_LAB_MODELLED_SLOWDOWN_H

#include "core/engine/engine.h"

/* Kernels' time with options `without` over that with `base`, for n points in d dimensions on the GPU of that name or
 * title (core/model/machine.h). NAN: the model knows no such GPU, or nothing of such kernels. */
double eb_modelled_slowdown(const eb_engine *engine, const eb_options *base, const eb_options *without, const char *gpu,
                            size_t n, size_t d);

#endif
