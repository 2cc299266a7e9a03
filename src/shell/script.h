/* script: commands from a file, a pipe or a string, a line at a time. Signals are heeded while a pipe keeps us
 * waiting. */
#pragma once

#include "shell/shell.h"

/* What runs a line: eb_shell_run. */
typedef eb_code eb_line_runner(eb_shell *shell, const char *text, const eb_origin *origin);

/* Runs the script that the command line names; "-" is the standard input, and a pipe or a terminal is read as it comes.
 * A failure to read it is shown like a command's. */
eb_code eb_script_run_file(eb_shell *shell, const char *path, eb_line_runner *run);

/* Runs the script that a command names: a regular file, or "-". */
eb_code eb_script_source(eb_shell *shell, const char *path, eb_line_runner *run);

/* Runs the lines that can be read from fd; `name` is for messages. */
eb_code eb_script_run(eb_shell *shell, int fd, const char *name, eb_line_runner *run);
