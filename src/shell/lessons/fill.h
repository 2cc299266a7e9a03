/* fill: texts with {SQL} in them (store/evaluate.h): the value in its place, as people read numbers. */
#pragma once

#include <stdio.h>

#include "store/evaluate.h"

/* EB_USAGE where a { has no }, SQLite complains, or an expression has no value. */
eb_code eb_fill_in(eb_evaluator *values, const char *text, FILE *out, eb_job *job, eb_status *status);

/* The same as a new text, heap. */
eb_code eb_fill_in_text(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status);
