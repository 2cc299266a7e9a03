/* utf8: text as a terminal shows it: how many columns it takes, where it may be broken, and what stands in for
 * characters that cannot be shown. Independent of the locale: utf8proc knows the characters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The character at text and its length in bytes, at least 1. A byte that is no UTF-8 gives U+FFFD. At the end: 0,
 * and *length 0. */
uint32_t eb_utf8_next(const char *text, size_t *length);

/* The bytes of a character (a valid one); how many there are. */
size_t eb_utf8_encode(uint32_t c, char out[4]);

/* Columns of a terminal: 0 for combining characters, 2 for East Asian wide ones and pictures. */
size_t eb_utf8_columns(const char *text, size_t length);
int eb_text_width(const char *text); /* of all of it */

/* A copy that is fit to be shown: control characters, which could steer a terminal, and bytes that are no UTF-8
 * become U+FFFD, line ends and tabs blanks; with ascii, letters and signs become ASCII ("ε" "eps", "×" "x"). NULL:
 * out of memory. */
char *eb_utf8_shown(const char *text, bool ascii);

/* A copy that is valid UTF-8, all else as it is: for JSON. NULL: out of memory. */
char *eb_utf8_valid(const char *text);

/* The same without what could steer a terminal; line ends and tabs stay: for files that may be looked at in one. */
char *eb_utf8_harmless(const char *text);

/* "epsbench: WHO: SENTENCE" and a line end, without WHO where it is NULL, harmless: a file's name may hold anything. */
void eb_complain(FILE *err, const char *who, const char *sentence);

/* The next line of at most `columns` (≥ 1) columns from *text: returns its length in bytes, puts *text behind it and
 * the blanks that follow. Breaks at blanks, inside a word only when the word alone is too long. */
size_t eb_utf8_line(const char **text, size_t columns);
