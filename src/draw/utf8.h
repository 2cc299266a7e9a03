/* utf8: measures text in terminal columns, breaks it into lines, and replaces characters that cannot be shown.
 * Independent of the locale: utf8proc knows the characters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The character at text and its length in bytes, at least 1. A byte that is not UTF-8 gives U+FFFD. At the end of the
 * text both are 0. */
uint32_t eb_utf8_next(const char *text, size_t *length);

/* Writes a valid character as UTF-8 and returns the number of bytes. */
size_t eb_utf8_encode(uint32_t c, char out[4]);

/* Terminal columns of text: 0 for combining characters, 2 for East Asian wide characters and pictures. */
size_t eb_utf8_columns(const char *text, size_t length);
int eb_text_width(const char *text); /* of the whole text */

/* The larger of `width` and the columns of the text. */
int eb_wider(int width, const char *text);

/* A copy that is safe to show: control characters, which could steer a terminal, and bytes that are not UTF-8 become
 * U+FFFD, line ends and tabs become blanks. With ascii, letters and signs become ASCII ("ε" "eps", "×" "x"). NULL: out
 * of memory. */
char *eb_utf8_shown(const char *text, bool ascii);

/* A copy that is valid UTF-8 and otherwise unchanged: for JSON. NULL: out of memory. */
char *eb_utf8_valid(const char *text);

/* eb_utf8_valid without control characters that could steer a terminal; line ends and tabs stay. For files that people
 * may print in a terminal. */
char *eb_utf8_harmless(const char *text);

/* True if the text contains the other, in any case of any script. */
bool eb_utf8_contains(const char *text, const char *other);
/* True if the texts are equal but for case. */
bool eb_utf8_alike(const char *text, const char *other);

/* Writes "epsbench: WHO: SENTENCE" and a line end, without WHO if it is NULL. Both are made safe to show, as a file's
 * name may hold any bytes. */
void eb_complain(FILE *err, const char *who, const char *sentence);

/* Takes the next line of at most `columns` (≥ 1) columns from *text. Returns its length in bytes and moves *text past
 * the line and the blanks after it. Lines break at blanks; a word is broken only if it is longer than a line. */
size_t eb_utf8_line(const char **text, size_t columns);
