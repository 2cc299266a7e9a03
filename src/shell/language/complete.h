/* complete: what could stand at the cursor, from the command table. Pure: readline is in repl.c. */
#ifndef EB_SHELL_LANGUAGE_COMPLETE_H
#define EB_SHELL_LANGUAGE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_candidates {
    char **name; /* commands, "key=", flags, choices, engines and their options, …; not filtered by what is typed
                    already */
    size_t count;
    bool files;    /* names of files fit too */
    bool datasets; /* of these, only what `load` could read */
    bool open;     /* the word goes on behind what is chosen: no blank */
} eb_candidates;

/* For the word that ends at `cursor` bytes into `line`. False: out of memory (nothing to free). */
bool eb_complete(const char *line, size_t cursor, eb_candidates *out);
void eb_candidates_free(eb_candidates *candidates);

#endif
