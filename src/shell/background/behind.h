/* behind: the exact pass of `tune` after the command has ended with a sampled ε. It runs in the background on threads
 * of its own, stands still while another command runs, so that measured times stay true, and ends with its dataset. At
 * most one is under way. All functions are called where the session is used; `behind` is session->behind.
 */
#pragma once

#include "shell/radius/tune_report.h"
#include "shell/shell.h"

typedef struct eb_behind eb_behind;

/* Starts the pass for these targets, in place of an earlier one. The targets' last ε is the session's. line: the
 * command that counts exactly. */
eb_code eb_behind_start(eb_session *session, const eb_setup *setup, const eb_target *targets, size_t count,
                        const char *line, eb_status *status);

/* Cancels the pass and frees it; NULL is fine. */
void eb_behind_leave(eb_behind *behind);

void eb_behind_pause(eb_behind *behind, bool paused); /* NULL is fine */
bool eb_behind_ended(eb_behind *behind);              /* false if behind is NULL */
eb_progress eb_behind_progress(eb_behind *behind);
const char *eb_behind_line(const eb_behind *behind);

/* Waits for the pass to end and frees it. Its ε becomes the session's unless another was set meanwhile. Fills the
 * report of `tune`. */
eb_code eb_behind_finish(eb_session *session, eb_report *report, eb_status *status);

/* On the terminal's thread: shows the report of the pass if it has ended. Commands do so before they run. */
void eb_behind_show(eb_shell *shell);

/* Says that the program ends before the pass has. */
void eb_behind_say_left(const eb_shell *shell);
