/* config: a person's own defaults, `set` lines in $XDG_CONFIG_HOME/epsbench/config. The workbench and the prompt begin
 * with them; scripts, -c and -f do not, so that they do the same for everybody.
 */
#pragma once

#include "shell/dispatch.h"

/* Runs the file's lines, quietly and logged like any `set`; no file is fine. Stops at the first that fails or is no
 * `set`. Returns what is wrong, heap, a sentence; NULL: nothing. */
char *eb_config_run(eb_shell *shell);

/* Puts a `set` line into the file in the place of those that set the same settings; the word `keep` stays out of it.
 * path receives the file's. */
eb_code eb_config_keep(const eb_call *call, char *path, size_t size, eb_status *status);
