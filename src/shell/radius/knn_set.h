/* knn_set: what `knn` found of a loaded query set, held against the truth. */
#ifndef EB_SHELL_RADIUS_KNN_SET_H
#define EB_SHELL_RADIUS_KNN_SET_H

#include "core/knn/knn.h"
#include "shell/session.h"

/* By the true neighbours that were loaded with it, all of them, where these are k or more, or else by those computed of
 * the first `checked` queries; 0: by none. Recall, and of an engine that is the truth whether the loaded ones are. */
eb_code eb_report_set_recall(eb_session *session, const eb_knn_request *request, const eb_knn *found, size_t checked,
                             eb_job *job, eb_report *report, eb_status *status);

#endif
