/* queries: loads and reports the query set that belongs to the loaded points, and its true neighbours. */
#pragma once

#include "shell/session.h"

typedef struct eb_query_set {
    eb_dataset *points;     /* NULL: no query set */
    eb_ground_truth *truth; /* NULL: true neighbours unknown */
} eb_query_set;

/* Loads the query set that arguments queries= and truth= name, or else the one in the file of ds, and verifies it
 * against ds. The caller owns *out, which is empty after an error. */
eb_code eb_load_query_set(const eb_session *session, const eb_call *call, const eb_dataset *ds, eb_job *job,
                          eb_query_set *out, eb_status *status);

/* Queries of a command with arguments queries= and rows: a view of the first queries= (default: all) of the session's
 * query set. out->n is 0 if rows of the dataset are to be drawn instead. EB_USAGE if the set has fewer. */
eb_code eb_asked_queries(const eb_session *session, const eb_call *call, eb_dataset *out, eb_status *status);

/* Reports the session's query set; nothing if there is none. */
void eb_report_query_set(const eb_session *session, eb_report *report);
