/* candidates: lists the words that may follow at the cursor of the command line, each with a line of explanation.
 * complete.c finds them in the command table; candidates.c has values with a syntax: engine specs, defaults, columns.
 * Functions append to a list and return false if out of memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct eb_candidate {
    char *name;  /* a command, "key=", a flag, a choice, an engine or one of its options, a column, … */
    char *about; /* explanation of one line; NULL: none */
} eb_candidate;

typedef struct eb_candidates {
    eb_candidate *candidate; /* includes those that do not begin with the typed text */
    size_t count, room;
    bool files;    /* file names are candidates too */
    bool datasets; /* only files that `load` could read */
    bool open;     /* the word continues after the chosen text: append no blank */
} eb_candidates;

void eb_candidates_free(eb_candidates *candidates);

/* Appends name and suffix as one word. about is copied; NULL: none. */
bool eb_candidates_add(eb_candidates *list, const char *name, const char *suffix, const char *about);

bool eb_add_devices(eb_candidates *list);

/* Appends the choices of "a|b" (NULL: none), each after the prefix `before`: the typed text between the start of
 * readline's word and the choice. */
bool eb_add_choices(eb_candidates *list, const char *before, const char *choices);

/* Appends engine names, each between `before` and `suffix`. elsewhere: includes engines that cannot run here. */
bool eb_add_engines(eb_candidates *list, const char *before, const char *suffix, bool elsewhere);

/* Appends what may follow in a partly typed SPEC,SPEC,…. */
bool eb_add_specs(eb_candidates *list, const char *typed, bool elsewhere);

/* Appends what may follow in a partly typed ENGINE.OPTION=VALUE; only the values of ENGINE.OPTION, which ends at '=' or
 * a blank. */
bool eb_add_defaults(eb_candidates *list, const char *typed);
bool eb_add_default_values(eb_candidates *list, const char *typed);

/* Appends the columns of the table in the file `dataset` (NULL: none), read from the beginning of the file. several:
 * only columns of numbers, for a list with commas. */
bool eb_add_columns(eb_candidates *list, const char *dataset, const char *typed, bool several);

/* Sets *out to the candidates for the word that ends `cursor` bytes into `line`. False: nothing to free. */
bool eb_complete(const char *line, size_t cursor, eb_candidates *out);
