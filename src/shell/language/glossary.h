/* glossary: explains the terms on screens: titles of columns and rows, verdicts, terms of notes. `help TERM`, the
 * panels' help and the manual's GLOSSARY print the same explanation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* Topics of help that list all terms, all commands. */
#define EB_TERMS "terms"
#define EB_ALL "all"

typedef struct eb_term {
    const char *name;
    const char *also;   /* "a;b": other names, besides titles of fields (core/report/field_rows.h); NULL: none */
    const char *panels; /* "tune;compare": panels that show the term */
    const char *means;  /* explanation, in sentences */
} eb_term;

size_t eb_term_count(void);
const eb_term *eb_term_at(size_t index);

/* Finds a term by its name or other name, ignoring case, or by a unique prefix of its name. NULL: none. */
const eb_term *eb_term_find(const char *name);

/* Finds the term for a title. "kernels, median" gives "kernels" if the whole title is not a term. NULL: none. */
const eb_term *eb_term_of_title(const char *title);

bool eb_term_is_on(const eb_term *term, const char *panel);
