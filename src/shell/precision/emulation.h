/* emulation: a rung as the CPU emulates it. Predictions and ranks ask for pairs of single points, which only the CPU
 * answers. Where a GPU joins, the CPU emulates that GPU's tensor core, so that what is predicted is about that GPU. */
#pragma once

#include "core/engine/spec.h"
#include "shell/session.h"

enum { EB_CORE_NAME = 16 };

/* The tensor core of a GPU, as the option `core` names it: "sm_90". "" for a CPU. Returns buffer. */
const char *eb_core_of(const eb_device *device, char buffer[EB_CORE_NAME]);

/* The setup of NAME[ITEM,…] on the CPU, emulating that core; core "": as eb_session_setup makes it. A core that lacks
 * the number type is left out, so that the engine's usual core is emulated. */
eb_code eb_emulation_setup(eb_session *session, const char *core, const char *spec, eb_setup *out, eb_status *status);
