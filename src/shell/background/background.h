/* background: runs short commands while another command runs on the worker thread. They run on the terminal's thread in
 * a session of their own, with the person's settings and a second connection to the log. The running command's session
 * belongs to the worker thread and is not read.
 */
#pragma once

#include "shell/dispatch.h"

/* Makes a session for shell->background with the settings of `session`. NULL: out of memory. */
eb_session *eb_background_new(const eb_session *session);
void eb_background_free(eb_session *background);

/* Runs a line while a job runs. True: all of its commands ran, or an error was reported. False: one of the commands has
 * to wait until the job has ended; nothing was done. */
bool eb_shell_background(eb_shell *shell, const char *text);
