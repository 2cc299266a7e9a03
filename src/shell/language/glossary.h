/* glossary: what the words on screens mean: titles of columns and rows, verdicts, what notes speak of. `help TERM`,
 * the panels' help and the manual's GLOSSARY say it in the same sentence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* Topics of help that are lists. */
#define EB_TERMS "terms"
#define EB_ALL "all" /* commands */

typedef struct eb_term {
    const char *name;
    const char *also;   /* "a;b": other words for it, beside titles of fields (core/report/field_rows.h); NULL: none */
    const char *panels; /* "tune;compare": where it is on the screen */
    const char *means;  /* a sentence */
} eb_term;

size_t eb_term_count(void);
const eb_term *eb_term_at(size_t index);

/* By its name, whole, in any case, or a unique prefix; by another word for it only whole. NULL: none. */
const eb_term *eb_term_find(const char *name);

/* The one that explains a title: "kernels, median" is about kernels, where no term is called so. NULL: none. */
const eb_term *eb_term_of_title(const char *title);

bool eb_term_is_on(const eb_term *term, const char *panel);
