/* manual: the command table as text to read: a help page, and the COMMANDS section of epsbench(1). */
#ifndef EB_SHELL_LANGUAGE_MANUAL_H
#define EB_SHELL_LANGUAGE_MANUAL_H

#include <stdio.h>

#include "shell/language/command.h"

/* What `help NAME` shows, wrapped at 78 columns. Heap; NULL: out of memory. */
char *eb_manual_page(const eb_command *command);

/* All commands in mdoc(7), grouped. */
void eb_manual_commands(FILE *out);

#endif
