/* load_line: the line that loads something, as a person would type it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A dataset's source: "load FILE label=species"; points that were made are made again. Quotes only where the parser
 * needs them. Heap; NULL: out of memory. */
char *eb_load_line(const char *source);

/* A table in a text: told what its columns of text, and its gaps, need. *line NULL: it does not load, as far as its
 * beginning shows; *n is 0 where that is not all. False: out of memory. */
bool eb_load_line_of_table(const char *path, char **line, size_t *n, size_t *d);
