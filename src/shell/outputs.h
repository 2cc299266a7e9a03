/* outputs: decides which files a command may write; dispatch asks before the command runs. The files of the loaded
 * dataset are never replaced. Another existing file that this session did not write is replaced only if the person
 * agrees or the call has the word `force`.
 */
#pragma once

#include "shell/shell.h"

/* EB_OK if all output files of the call may be written; else EB_EXISTS, or EB_CANCELLED after Ctrl-C. */
eb_code eb_outputs_permit(eb_shell *shell, const eb_call *call, eb_status *status);

/* Remembers the files that a successful call wrote, so that this session may replace them. */
void eb_outputs_remember(eb_session *session, const eb_call *call);
