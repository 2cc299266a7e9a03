/* output: where it goes what commands return and complain of: the display when there is one, else the streams.
 * dispatch's. */
#pragma once

#include "shell/shell.h"

/* Takes the report and shows it. failure: why the command ended before it was done, NULL: it succeeded; what was
 * finished shares the error's document in JSON, and nothing is left to say in *failure then. */
eb_code eb_output_report(eb_shell *shell, eb_report *report, eb_status *failure, eb_status *status);

/* Says what failed; nothing when the sentence is empty. */
void eb_output_error(eb_shell *shell, const char *command, const eb_status *failure);

/* Says once that the log has given up. */
void eb_output_log_warning(eb_shell *shell);
