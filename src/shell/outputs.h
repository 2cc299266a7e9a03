/* outputs: which files a command may write. Dispatch asks before the command runs: the loaded dataset's file never; a
 * file that is there already and that this session did not write, when a person says so or the word `force` does.
 */
#pragma once

#include "shell/shell.h"

/* May the files that the call's arguments name be written? EB_EXISTS with a sentence: no; EB_CANCELLED: Ctrl-C was
 * the answer. */
eb_code eb_outputs_permit(eb_shell *shell, const eb_call *call, eb_status *status);

/* The call succeeded: what it wrote is this session's. */
void eb_outputs_remember(eb_session *session, const eb_call *call);
