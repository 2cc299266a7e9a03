/* explain_run: `explain run N`. */
#ifndef EB_SHELL_LAB_EXPLAIN_RUN_H
#define EB_SHELL_LAB_EXPLAIN_RUN_H

#include "shell/session.h"

/* A record a rule that holds of the run (shell/rules/rules.h), worth most first. */
eb_code eb_explain_run(const eb_session *session, int64_t run, eb_report *report, eb_job *job, eb_status *status);

#endif
