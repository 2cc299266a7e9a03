/* engines: the list of engines. A program registers it before it uses any engine. */
#pragma once

#include "core/engine/engine.h"

/* Calls eb_registry_set with every engine of this build. */
void eb_register_engines(void);
