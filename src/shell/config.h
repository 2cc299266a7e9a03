/* config: a person's own defaults, `set` lines in $XDG_CONFIG_HOME/epsbench/config. The workbench and the prompt begin
 * with them; scripts, -c and -f do not, so that they do the same for everybody.
 */
#ifndef EB_SHELL_CONFIG_H
#define EB_SHELL_CONFIG_H

#include "shell/dispatch.h"

/* Runs the file's lines, quietly and logged like any `set`; no file is fine. Stops at the first that fails or is no
 * `set`. Returns what is wrong, heap, a sentence; NULL: nothing. */
char *eb_config_run(eb_shell *shell);

#endif
