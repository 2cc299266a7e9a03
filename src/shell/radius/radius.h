/* radius: what the commands that choose ε share. */
#pragma once

#include "core/cluster/k_distance.h"
#include "shell/session.h"

#define EB_MIN_POINTS 5 /* scikit-learn's default of min_samples */

/* The engine that makes the exact passes: the one asked for, or the truth. Says in the report which. */
eb_code eb_pass_engine(eb_session *session, const eb_call *call, eb_setup *setup, eb_report *report, eb_status *status);

/* Fields "point" and "label": a point that is asked about. */
void eb_report_point(eb_report *report, const eb_dataset *ds, size_t point);

/* Series `key`: the sampled S(ε) where it rises, with its band. */
void eb_report_curve(const eb_curve *curve, eb_report *report);

/* Series "kdistance" with the elbow in fields "elbow" and "elbow_share", for the points that it was sampled from. */
void eb_report_k_distance(eb_report *report, const eb_k_distance *curve);

/* `tune` with another kind of target than S: an ε by the elbow, or by how much noise is left. */
eb_code eb_tune_for_density(eb_session *session, const eb_call *call, eb_report *report, eb_job *job,
                            eb_status *status);
