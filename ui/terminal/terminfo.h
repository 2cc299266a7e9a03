/* terminfo: whether the terminal can show a full screen, and the bytes that restore it. A file of its own, because
 * term.h defines common words as macros.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* Reads the description of the terminal that TERM names. EB_NO_DEVICE with the reason if that terminal cannot place its
 * cursor or clear its screen. leave: the bytes that end mouse, colours, keypad and full screen, and show the cursor. */
eb_code eb_terminfo_read(char *leave, size_t size, eb_status *status);

/* Turns the marks around pasted text on or off, where the terminal has them: EB_PASTE_BEGINS and EB_PASTE_ENDS. */
void eb_terminfo_mark_pastes(bool marked);
#define EB_PASTE_BEGINS "\033[200~"
#define EB_PASTE_ENDS "\033[201~"

/* Marks the beginning or the end of a frame, so that the terminal shows the frame whole. Writes nothing to a terminal
 * without such marks. */
void eb_terminfo_frame(bool begins);
