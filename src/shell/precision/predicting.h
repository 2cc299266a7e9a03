/* predicting: the predicted overlaps of specs, each spec once, several at a time. */
#pragma once

#include "core/accuracy/prediction.h"
#include "shell/precision/emulation.h"
#include "shell/precision/ladder.h"

#define EB_MOST_PREDICTIONS (2 * (EB_MOST_RUNGS + EB_MOST_SWITCHES))

typedef struct eb_predicted {
    const char *spec; /* static */
    eb_setup setup;   /* without resources: of one thread */
    eb_overlap_prediction overlap;
    eb_code failed; /* a type may refuse the points */
    eb_status status;
} eb_predicted;

typedef struct eb_predictions {
    const eb_near_pairs *sample;
    const char *core; /* that the CPU emulates (emulation.h) */
    size_t count;
    eb_predicted of[EB_MOST_PREDICTIONS];
} eb_predictions;

/* Adds a spec that is to be predicted; NULL, or one that is there already, adds nothing. */
eb_code eb_predictions_add(eb_session *session, eb_predictions *p, const char *spec, eb_status *status);

/* Predicts all. Fails only when cancelled; what fails for a spec is kept with it. */
eb_code eb_predictions_run(eb_predictions *p, unsigned threads, eb_job *job, eb_status *status);

/* The prediction of a spec that was added, or its failure. */
eb_code eb_predictions_take(const eb_predictions *p, const char *spec, const eb_predicted **out, eb_status *status);
