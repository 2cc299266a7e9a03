/* background: whether the terminal's background is light or dark.
 *
 * The terminal is asked for its background colour (OSC 11) and then for its kind (DA1). Every terminal answers the
 * second question, so an answer to it alone means that the first one will not be answered. The reader of keys passes
 * answers on to this module. Without an answer the variable COLORFGBG decides; without that the background counts as
 * dark.
 */
#pragma once

#include "draw/colours.h"

/* The theme for the terminal's answer, "11;rgb:ffff/ffff/ffff" without introducer and terminator: DARK or LIGHT; AUTO
 * if the text is no such answer. */
eb_theme eb_background_of_answer(const char *text);

/* The theme for COLORFGBG's value ("0;15"; NULL: not set), whose last number is one of 16 colours; AUTO if unclear. */
eb_theme eb_background_of_colorfgbg(const char *value);

/* True if a terminal of this kind (TERM; NULL: not set) is asked. Terminals without colours are not asked, nor those
 * that would print the question. */
bool eb_background_is_asked(const char *term, eb_scheme scheme);

/* Asks the terminal on the standard output. */
void eb_background_ask(void);
/* True if the terminal was asked at most patience_s seconds ago and has not answered. */
bool eb_background_awaited(double patience_s);

void eb_background_take_string(const char *text); /* an OSC string has arrived: the colour, or another one */
void eb_background_take_kind(void);               /* the answer to the second question has arrived */

/* Returns DARK or LIGHT: the terminal's answer if one has arrived, else COLORFGBG's, else DARK. */
eb_theme eb_background_theme(void);
