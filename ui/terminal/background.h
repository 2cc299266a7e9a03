/* background: whether the terminal's background is light or dark.
 *
 * The terminal is asked for its colour (OSC 11), then for its kind (DA1), which every terminal answers: an answer to
 * the second without one to the first means that there will be none. Whoever reads keys tells what has come. Without an
 * answer COLORFGBG decides, and without that the background is dark.
 */
#pragma once

#include "draw/colours.h"

/* Reads the terminal's answer ("11;rgb:ffff/ffff/ffff", without its beginning and end): DARK, LIGHT, or
 * AUTO where it does not. */
eb_theme eb_background_of_answer(const char *text);

/* The same of COLORFGBG's value ("0;15"; NULL: not set), the last number of which is one of 16 colours. */
eb_theme eb_background_of_colorfgbg(const char *value);

/* Whether a terminal of this kind (TERM; NULL: not set) is asked: not where colours are not shown, nor where a question
 * could be seen. */
bool eb_background_is_asked(const char *term, eb_scheme scheme);

/* Asks the terminal on the standard output. */
void eb_background_ask(void);
/* It was asked, at most so long ago, and did not answer yet. */
bool eb_background_awaited(double patience_s);

void eb_background_take_string(const char *text); /* a string has come: the colour, or another */
void eb_background_take_kind(void);               /* the answer to the second question has */

/* DARK or LIGHT, as far as it is known. */
eb_theme eb_background_theme(void);
