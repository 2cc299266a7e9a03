/* dispatch: from a line of text to finished commands. REPL, -c, -f, stdin, replay and watch all come through here,
 * so that they behave, log and fail alike.
 *
 * A command runs as a job on the worker; this thread listens for signals and draws progress meanwhile. Ctrl-C
 * cancels the job, keeps what it finished, and stops whatever line or script it came from. Reports go to `out`;
 * errors, warnings and progress to `err` (an error in JSON mode is a document on `out`); with a display all of it goes
 * there.
 */
#pragma once

#include "shell/shell.h"

/* Runs every command of `text`; origin may be NULL. Stops at a failure unless keep_going, and always at Ctrl-C and when
 * quitting. Returns the first failure. */
eb_code eb_shell_run(eb_shell *shell, const char *text, const eb_origin *origin);

/* Ends the session in the log. */
void eb_shell_end(eb_shell *shell);
