/* config: the person's config file, `set` lines in $XDG_CONFIG_HOME/epsbench/config. The workbench and the prompt run
 * it when they start; scripts, -c and -f do not, so that they give everybody the same result.
 */
#pragma once

#include "shell/dispatch.h"

/* Runs the file's lines without showing reports; they are logged like any `set`. A missing file is no error. Stops at
 * the first line that fails or has another command. Returns the error as one sentence, heap; NULL: no error. */
char *eb_config_run(eb_shell *shell);

/* Appends a `set` line, without its word `keep`, to the file and removes the lines that set the same settings. path
 * receives the file's path. */
eb_code eb_config_keep(const eb_call *call, char *path, size_t size, eb_status *status);
