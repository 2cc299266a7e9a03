/* background: commands that are answered while another one runs on the worker. They run on the terminal's thread, in a
 * session of their own: the person's settings, a second connection to the log. The running command's session is the
 * worker's and is not looked at.
 */
#pragma once

#include "shell/dispatch.h"

/* For shell->background; the person's settings are the session's. NULL: out of memory. */
eb_session *eb_background_new(const eb_session *session);
void eb_background_free(eb_session *background);

/* While a job runs. True: all of the line's commands were answered, or it was said what is wrong with it. False: one of
 * them has to wait until what runs has ended, so that nothing of it was done. */
bool eb_shell_background(eb_shell *shell, const char *text);
