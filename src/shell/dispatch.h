/* dispatch: runs the commands of a line of text. The prompt, the workbench, -c, -f, stdin, replay and watch all call
 * it, so that they behave, log and fail alike.
 *
 * A command runs as a job on the worker thread; the calling thread meanwhile handles signals and draws progress. Ctrl-C
 * cancels the job, keeps its finished results, and stops the line or script that the command came from. Reports go to
 * `out`; errors, warnings and progress to `err` (in JSON mode an error is a document on `out`). If there is a display,
 * all of them go to the display.
 */
#pragma once

#include "shell/shell.h"

/* Runs every command of `text`; origin may be NULL. Stops at a failure unless keep_going is set, and always after
 * Ctrl-C and `quit`. Returns the first failure. */
eb_code eb_shell_run(eb_shell *shell, const char *text, const eb_origin *origin);

/* Ends the session in the log; warns about entries that could not be written. */
void eb_shell_end(eb_shell *shell);
