/* queries: the session's query set as what `recall` looks for, and its neighbours from a file as the truth. */
#ifndef EB_SHELL_RECALL_QUERIES_H
#define EB_SHELL_RECALL_QUERIES_H

#include "core/experiment/recall.h"
#include "shell/session.h"

/* What was loaded. */
typedef struct eb_recall_given {
    const char *queries; /* source; NULL: rows were drawn */
    const char *truth;   /* source; NULL: it was computed */
    size_t k; /* neighbours that were loaded of each, too few to be the truth; 0: they are, or there are none */
    size_t checked, agreed; /* queries for which it was computed as well; as far as given */
} eb_recall_given;

/* How far the k nearest of some of the session's queries among the dataset reach: by the neighbours that were loaded,
 * where these are k or more, else computed. */
eb_code eb_recall_find_set(const eb_setup *truth, const eb_session *session, const eb_dataset *asked, size_t k,
                           uint64_t seed, eb_job *job, eb_recall_given *given, eb_recall_truth *out, eb_status *status);

void eb_report_given(eb_report *report, const eb_recall_given *given);

#endif
