/* rung: FASTED's arithmetic as a rung of engine tensor. */
#pragma once

#include "core/engine/option.h"
#include "kernels/tensor/rung.h"

eb_rung eb_fasted_rung(const eb_options *options);
