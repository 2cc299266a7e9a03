/* resolve: the ε that a command works with. */
#pragma once

#include "shell/session.h"

/* The ε of a call: eps=X as given; S=X tuned exactly with the truth engine; else the session's last ε; else EB_USAGE.
 * Stores it as the session's ε and adds a note to the report if it was tuned. The command must have arguments named eps
 * and S. */
eb_code eb_resolve_eps(eb_session *session, const eb_call *call, eb_report *report, double *eps, eb_job *job,
                       eb_status *status);
