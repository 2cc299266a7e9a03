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

/* Room for advice that ends a message. */
#define EB_ADVICE 480u

/* Writes "; name one, as in `load FILE:/OBJECT KEY=VALUE`", with which a message about a file of several objects ends.
 * Without a path
 * "; name one as FILE:/NAME"; nothing if the message is brief or there is no object. Returns buffer. */
char *eb_advise_object(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *object);

/* Writes "; `COMMAND PATH INTO STEM-points.ENDING` in a shell, then `load STEM-points.ENDING`", for a file that another
 * program has to rewrite. Both names are shell words. Nothing if the message is brief or there is no path. */
char *eb_advise_shell(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *command, const char *into,
                      const char *ending);

/* The same with Python's numpy: `array` is an expression of x, the array that it reads, which may be pickled. */
char *eb_advise_numpy(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *array, bool pickled);

/* Writes "; `unzip PATH` in a shell, then `load FIRST`". */
char *eb_advise_unzip(char buffer[EB_ADVICE], const eb_bytes *bytes, const char *first);
