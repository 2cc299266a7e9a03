/* foreground: gives the terminal to another program, a pager or an editor, until it ends. Ctrl-C and Ctrl-Z are then
 * that program's; SIGTERM and SIGHUP end both programs.
 */
#pragma once

#include "shell/shell.h"

/* Exit status of a script whose program is missing, as in a shell. */
#define EB_FOREGROUND_MISSING 127

typedef struct eb_foreground {
    const char *script;   /* for sh */
    const char *argument; /* "$1" in the script; NULL: none */
    const char *text;     /* what the program reads from its standard input; NULL: the terminal is its input */
    size_t length;
} eb_foreground;

/* Runs the program to its end. *state: as waitpid has it. False: it could not be started. */
bool eb_foreground_run(eb_shell *shell, const eb_foreground *program, int *state);
