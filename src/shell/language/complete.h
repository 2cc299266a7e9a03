/* complete: what could stand at the cursor, from the command table, with a line on each. readline is in editor.c. */
#ifndef EB_SHELL_LANGUAGE_COMPLETE_H
#define EB_SHELL_LANGUAGE_COMPLETE_H

#include "shell/language/candidates.h"

/* For the word that ends at `cursor` bytes into `line`. False: out of memory (nothing to free). */
bool eb_complete(const char *line, size_t cursor, eb_candidates *out);

#endif
