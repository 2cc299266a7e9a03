/* predicting: predicts the overlaps of rungs and switches, each spec once, several at a time. */
#pragma once

#include "shell/precision/trying.h"

/* Fills the predictions of t's rungs and switches. Of two ways to prepare the points the better becomes the rung's. */
eb_code eb_trying_predict(eb_session *session, eb_trying *t, const eb_near_pairs *sample, eb_job *job,
                          eb_status *status);
