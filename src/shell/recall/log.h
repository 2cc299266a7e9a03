/* log: an experiment of `recall` into the session's log, each point and trial as it ends; nothing where the
 * command is not logged. A log that fails is given up as everywhere (eb_session_log_failed), the experiment goes on.
 */
#ifndef EB_SHELL_RECALL_LOG_H
#define EB_SHELL_RECALL_LOG_H

#include "shell/session.h"

typedef struct eb_recall_log {
    eb_session *session;
    int64_t experiment, point; /* rows of the log, 0: none */
} eb_recall_log;

void eb_recall_log_begin(eb_recall_log *log, eb_session *session, const eb_recall_experiment *experiment);
void eb_recall_log_point(eb_recall_log *log, const eb_recall_point *point);
void eb_recall_log_trial(eb_recall_log *log, unsigned trial, unsigned passes, double pass_s);

#endif
