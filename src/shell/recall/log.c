#include "shell/recall/log.h"

void eb_recall_log_begin(eb_recall_log *log, eb_session *session, const eb_recall_experiment *experiment)
{
    eb_status failure;
    *log = (eb_recall_log){.session = session};
    if (!eb_session_logs(session))
        return;
    const int64_t dataset = eb_session_log_dataset(session);
    if (session->store &&
        eb_store_recall(session->store, session->command_row, dataset, experiment, &log->experiment, &failure))
        eb_session_log_failed(session, &failure);
}

void eb_recall_log_point(eb_recall_log *log, const eb_recall_point *point)
{
    eb_session *session = log->session;
    eb_status failure;
    log->point = 0;
    if (log->experiment > 0 && eb_session_logs(session) &&
        eb_store_recall_point(session->store, log->experiment, point, &log->point, &failure))
        eb_session_log_failed(session, &failure);
}

void eb_recall_log_trial(eb_recall_log *log, unsigned trial, unsigned passes, double pass_s)
{
    eb_session *session = log->session;
    eb_status failure;
    if (log->point > 0 && eb_session_logs(session) &&
        eb_store_recall_trial(session->store, log->point, trial, passes, pass_s, &failure))
        eb_session_log_failed(session, &failure);
}
