/* load_line: a reading's choices as the words of a `load` line. */
#pragma once

#include <stdio.h>

#include "io/reader.h"

/* Writes a word, in double quotes if the parser needs them (shell/language/command.h). */
void eb_put_word(FILE *to, const char *text);

/* Writes " KEY=VALUE" for each choice that is not the default. */
void eb_put_choices(FILE *to, const eb_reading *how);

/* Where the choices begin in a text that ends with them; its end if it has none. */
const char *eb_find_choices(const char *text);

/* Writes "`load PATH KEY=VALUE`"; without a path, or if that does not fit, only "KEY=VALUE". Returns buffer. */
char *eb_line_to_type(char *buffer, size_t size, const char *path, const eb_reading *how);
