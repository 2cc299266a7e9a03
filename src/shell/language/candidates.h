/* candidates: what could stand at the cursor, from the command table, with a line on each; and what complete.c offers
 * for values that have a form of their own: engines with their options, defaults, columns. Each adds to the list;
 * false: out of memory.
 */
#pragma once

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

void eb_candidates_free(eb_candidates *candidates);

/* NAME and SUFFIX as one word; about: NULL or a text that is copied. */
bool eb_candidates_add(eb_candidates *list, const char *name, const char *suffix, const char *about);

bool eb_add_devices(eb_candidates *list);

/* "a|b" (NULL: none), each behind what is typed before it from where readline's word begins. */
bool eb_add_choices(eb_candidates *list, const char *before, const char *choices);

/* elsewhere: those that cannot run on this machine, too. */
bool eb_add_engines(eb_candidates *list, const char *before, const char *suffix, bool elsewhere);

/* SPEC,SPEC,… as far as it is typed. */
bool eb_add_specs(eb_candidates *list, const char *typed, bool elsewhere);

/* ENGINE.OPTION=VALUE, as far as it is typed; the values of ENGINE.OPTION, which ends at '=' or a blank. */
bool eb_add_defaults(eb_candidates *list, const char *typed);
bool eb_add_default_values(eb_candidates *list, const char *typed);

/* Columns of the table that `dataset` (NULL: none) names, by the beginning of its file; several: with ',' between,
 * those of numbers. */
bool eb_add_columns(eb_candidates *list, const char *dataset, const char *typed, bool several);

/* Candidates for the word that ends at `cursor` bytes into `line`. False: out of memory (nothing to free). */
bool eb_complete(const char *line, size_t cursor, eb_candidates *out);
