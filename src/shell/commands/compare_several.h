/* compare_several: `compare` at several ε: a row for each ε and engine, and time and overlap over S. */
#pragma once

#include "core/experiment/compare.h"
#include "shell/radius/targets.h"

/* Compares the request's engines at each target; the request's eps is not used. If a sample is drawn, it is the same
 * for all targets. Reports what was finished also on failure and cancel. The session keeps the last comparison. */
eb_code eb_compare_several(eb_session *session, const eb_compare_request *request, const eb_targets *targets,
                           bool self_pairs, eb_report *report, eb_job *job, eb_status *status);
