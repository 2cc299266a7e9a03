/* queries: the query set beside the loaded points, and its true neighbours. */
#pragma once

#include "shell/session.h"

typedef struct eb_query_set {
    eb_dataset *points;     /* NULL: there are none */
    eb_ground_truth *truth; /* NULL: not known */
} eb_query_set;

/* What `load` was asked to take along, or what the file of ds has beside them when it was not: loaded, and verified
 * against ds. Nothing of it is kept on failure. */
eb_code eb_load_query_set(const eb_session *session, const eb_call *call, const eb_dataset *ds, eb_job *job,
                          eb_query_set *out, eb_status *status);

/* What a command with arguments queries= and rows looks for: the first queries= of the session's set, or all of them,
 * as a view of it; n 0: rows of the dataset. EB_USAGE when there are fewer. */
eb_code eb_asked_queries(const eb_session *session, const eb_call *call, eb_dataset *out, eb_status *status);

/* The session's, into a report; nothing where there are none. */
void eb_report_query_set(const eb_session *session, eb_report *report);
