/* cpu_engines: the engines that run on the host. */
#ifndef EB_CPU_CPU_ENGINES_H
#define EB_CPU_CPU_ENGINES_H

#include "core/engine/engine.h"

extern const eb_engine eb_engine_ref64_cpu;  /* ref64.c */
extern const eb_engine eb_engine_fasted_cpu; /* fasted.c */

#endif
