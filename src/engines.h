/* engines: the list of engines (engines.c), which a program hands to core before it uses any. */
#pragma once

#include "core/engine/engine.h"

/* Calls eb_registry_set with every engine of this build. */
void eb_register_engines(void);
