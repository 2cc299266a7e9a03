/* round: a case of `diagnose` as a lesson of one step, and the report that it shows. */
#pragma once

#include "shell/diagnosis/cases.h"
#include "shell/lessons/lesson.h"

/* `by` says who counted, for texts: "NVIDIA H200, 2026-11-23". */
eb_code eb_round_lesson(const eb_case *c, const eb_clues *clues, const char *by, eb_lesson **out, eb_status *status);

/* A new report with the tables "counters", "memory" and "pipeline" of the hidden variant. */
eb_code eb_round_report(const eb_case *c, const eb_witness *witness, eb_report **out, eb_status *status);
