/* fill: replaces each {SQL} in a text (store/evaluate.h) by its value, formatted for people. */
#pragma once

#include <stdio.h>

#include "store/evaluate.h"

/* Writes the text to `out`. EB_USAGE if a { has no }, SQLite reports an error, or an expression is NULL. */
eb_code eb_fill_in(eb_evaluator *values, const char *text, FILE *out, eb_job *job, eb_status *status);

/* The same into *out, heap; NULL after a failure. */
eb_code eb_fill_in_text(eb_evaluator *values, const char *text, char **out, eb_job *job, eb_status *status);
