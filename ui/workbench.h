/* workbench: the full-screen face of the program: panels around the command line. One thread: it polls the keyboard,
 * the signals and the running job, draws a canvas, and runs commands through the same dispatch as the plain prompt.
 */
#pragma once

#include "shell/dispatch.h"

/* Runs until quit; `first` is the first command line, NULL: none. EB_NO_DEVICE with the reason where the terminal
 * cannot show the workbench (dumb, or no terminal): the caller prints the reason and continues with the plain prompt.
 */
eb_code eb_workbench_run(eb_shell *shell, const char *first, eb_status *status);

/* The workbench without a terminal, for tests and for the pages' pictures: keys come from `script` (keys.h), the screen
 * of columns × rows is kept in memory. The command that a key starts ends before the next key is handled. Returns after
 * the last key. */
eb_code eb_workbench_script(eb_shell *shell, const char *script, int columns, int rows, eb_status *status);
