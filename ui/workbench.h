/* workbench: the full-screen face of the program: panels around the command line. One thread: it polls the keyboard,
 * the signals and the running job, draws a canvas, and runs commands through the same dispatch as the plain prompt.
 */
#pragma once

#include "shell/dispatch.h"

/* Runs until quit; `first` is a command line to begin with, NULL: none. EB_NO_DEVICE with the reason when this terminal
 * cannot hold it (dumb, not a terminal): the caller says so and goes on with the plain prompt. */
eb_code eb_workbench_run(eb_shell *shell, const char *first, eb_status *status);

/* The same without a terminal: keys from `script` (keys.h) on a screen of columns × rows kept in memory, each key
 * handled, and what it started finished, before the next; ends after the last. For tests, and for the pictures in the
 * README. */
eb_code eb_workbench_script(eb_shell *shell, const char *script, int columns, int rows, eb_status *status);
