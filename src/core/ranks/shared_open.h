/* shared_open: opening a problem in all ranks. Rank 0 answers counts and joins with them, and some questions alone. */
#pragma once

#include "core/ranks/shared.h"

/* eb_sharing's `open`; context: the eb_ranks. */
eb_code eb_shared_open(void *ranks, const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                       eb_status *status);

/* The problem as all ranks share it; NULL: this process has it alone. */
eb_shared *eb_shared_of(const eb_opened *opened);
