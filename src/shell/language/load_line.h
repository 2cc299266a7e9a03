/* load_line: writes the `load` command for a dataset or file, as a person would type it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The command for a dataset's source, as "load FILE label=species"; a synthetic dataset gives its `synth` command.
 * Quotes only words that need quotes. Heap; NULL: out of memory. */
char *eb_load_line(const char *source);

/* The command for a table in a text file, with the columns=, label= and missing= that it needs. Reads the beginning of
 * the file. *line NULL: the table cannot be loaded; *n 0: the number of rows is unknown. False: out of memory. */
bool eb_load_line_of_table(const char *path, char **line, size_t *n, size_t *d);
