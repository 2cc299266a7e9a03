/* script: reads commands from a file or a pipe and runs them line by line. Signals are handled while a pipe has no
 * data. */
#pragma once

#include "shell/shell.h"

/* The function that runs a line, eb_shell_run; a parameter, because dispatch itself calls script. */
typedef eb_code eb_line_runner(eb_shell *shell, const char *text, const eb_origin *origin);

/* Runs a script file; "-" is the standard input. With `pipes` (option -f) pipes and terminals are read as their data
 * arrives; without (command `source`) only regular files are. A failure to read is shown like a command's error. */
eb_code eb_script_run_file(eb_shell *shell, const char *path, bool pipes, eb_line_runner *run);

/* Runs the lines read from fd; `name` stands in messages. */
eb_code eb_script_run(eb_shell *shell, int fd, const char *name, eb_line_runner *run);
