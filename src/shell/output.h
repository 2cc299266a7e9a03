/* output: shows reports, errors and warnings of commands on the display, or else on the streams. Only dispatch and
 * script use it. */
#pragma once

#include "shell/shell.h"

/* Takes ownership of the report and shows it. failure: why the command ended early; NULL: it succeeded. In JSON the
 * partial report and the failure become one document, and the message of *failure is emptied. */
eb_code eb_output_report(eb_shell *shell, eb_report *report, eb_status *failure, eb_status *status);

/* Shows an error; does nothing if its message is empty. */
void eb_output_error(eb_shell *shell, const char *command, const eb_status *failure);

/* Shows the session's log_warning, if any, and clears it. */
void eb_output_log_warning(eb_shell *shell);
