/* advice: a line to type that moves points less than a setup's rounding does: the first of the engine's remedies
 * (engine.h) with which no point moves far. */
#pragma once

#include "core/engine/problem.h"

#define EB_ADVICE_TEXT 200u

typedef struct eb_advice {
    char text[EB_ADVICE_TEXT]; /* a part of a sentence, the line in backticks; "": no remedy helps */
} eb_advice;

/* far: a distance that is too far to move. Each remedy that is tried costs two passes over the points. */
eb_code eb_advice_find(const eb_setup *setup, const eb_problem *problem, double eps, double far, eb_job *job,
                       eb_advice *out, eb_status *status);
