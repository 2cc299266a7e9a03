/* radius: helpers of the commands that choose ε: the engine for exact passes, and reports of sampled curves. */
#pragma once

#include "core/cluster/k_distance.h"
#include "shell/session.h"

#define EB_MIN_POINTS 5 /* scikit-learn's default of min_samples */

/* The engine for the exact passes: argument "engine", else the session's truth. Reports the choice. */
eb_code eb_pass_engine(eb_session *session, const eb_call *call, eb_setup *setup, eb_report *report, eb_status *status);

/* The k-distance curve of the dataset, within the session's memory limit. order: see core/cluster/k_distance.h. */
eb_code eb_find_k_distance(const eb_session *session, const eb_setup *setup, size_t min_points, size_t queries,
                           const eb_strata_order *order, eb_k_distance *out, eb_job *job, eb_status *status);

/* Fields "point" and "label" of a point. */
void eb_report_point(eb_report *report, const eb_dataset *ds, size_t point);

/* Series "curve": the rising part of the sampled S(ε), with its 95 % band. */
void eb_report_curve(const eb_curve *curve, eb_report *report);

/* Series "kdistance", the sampled k-distance curve, and its elbow in fields "elbow" and "elbow_share". */
void eb_report_k_distance(eb_report *report, const eb_k_distance *curve);

/* `tune elbow` and `tune noise=`: sets ε to the elbow, or to the value that leaves a share of noise. */
eb_code eb_tune_for_density(eb_session *session, const eb_call *call, eb_report *report, eb_job *job,
                            eb_status *status);
