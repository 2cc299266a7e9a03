/* complete: what could stand at the cursor, from the command table, with a line on each. readline is in editor.c. */
#ifndef EB_SHELL_LANGUAGE_COMPLETE_H
#define EB_SHELL_LANGUAGE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_candidate {
    char *name;  /* a command, "key=", a flag, a choice, an engine or one of its options, a column, … */
    char *about; /* a line on it; NULL: its name says all */
} eb_candidate;

typedef struct eb_candidates {
    eb_candidate *candidate; /* not filtered by what is typed already */
    size_t count, room;
    bool files;    /* names of files fit too */
    bool datasets; /* of these, only what `load` could read */
    bool open;     /* the word goes on behind what is chosen: no blank */
} eb_candidates;

/* For the word that ends at `cursor` bytes into `line`. False: out of memory (nothing to free). */
bool eb_complete(const char *line, size_t cursor, eb_candidates *out);
void eb_candidates_free(eb_candidates *candidates);

#endif
