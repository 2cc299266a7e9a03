/* record: what the shell writes into the session log. The log is opened when a command first needs it; its session
 * begins with the first logged command. A failure sets the session's log_warning, and work goes on without the log.
 */
#pragma once

#include "shell/shell.h"

enum { EB_RECORD_TRY_MS = 100 }; /* how long each command tries to write the entries that wait in memory */

void eb_record_open(eb_shell *shell);                       /* tried once */
void eb_record_begin(eb_shell *shell, const eb_call *call); /* sets session->command_row; 0: not logged */

/* Ends the command that eb_record_begin began. Keeps its report if it succeeded, or was interrupted: what it had found.
 * message: why it failed; NULL: it did not. */
void eb_record_end(eb_shell *shell, const eb_call *call, const eb_report *report, eb_code outcome, const char *message,
                   double duration_s);

/* Ends the session. */
void eb_record_close(eb_shell *shell);
