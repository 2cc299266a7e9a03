/* holding: whether each rank holds all points, or a block of them (blocks.h). */
#pragma once

#include "core/engine/problem.h"

/* As the setup's resources say. Automatically blocks, if on the CPU all points, as stored and as the engine needs them,
 * exceed a rank's part of the memory limit: `ranks_there` ranks of one host divide it. Engines that do not give the
 * truth, or join no two sets, need all points. *sentence: what the person should know, as a clause for a note; "":
 * nothing. */
bool eb_holds_blocks(const eb_setup *setup, const eb_problem *problem, unsigned ranks_there, const char **sentence);
