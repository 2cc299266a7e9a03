/* manual: the command table and the engines' descriptions as text to read: help pages, and the COMMANDS and ENGINES
 * sections of epsbench(1).
 */
#ifndef EB_SHELL_LANGUAGE_MANUAL_H
#define EB_SHELL_LANGUAGE_MANUAL_H

#include <stdio.h>

#include "core/engine/engine.h"
#include "shell/language/command.h"

/* What `help NAME` shows, wrapped at 78 columns. Heap; NULL: out of memory. */
char *eb_manual_page(const eb_command *command);
char *eb_manual_engine_page(const eb_engine *engine);

/* All commands in mdoc(7), grouped. */
void eb_manual_commands(FILE *out);

/* All engines and their options, in mdoc(7). */
void eb_manual_engines(FILE *out);

#endif
