/* terminfo: whether the terminal can hold a full screen, and the bytes that give it back. Apart from screen.c, because
 * term.h makes macros of common words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* For the terminal that TERM names: EB_NO_DEVICE with the reason when it cannot place its cursor or clear its screen.
 * leave: bytes that end mouse, colours, keypad and full screen and show the cursor. */
eb_code eb_terminfo_read(char *leave, size_t size, eb_status *status);

/* Asks a terminal that can for what marks the ends of a paste, and takes that back. Bytes it sends then are
 * EB_PASTE_BEGINS and EB_PASTE_ENDS. */
void eb_terminfo_mark_pastes(bool marked);
#define EB_PASTE_BEGINS "\033[200~"
#define EB_PASTE_ENDS "\033[201~"

/* Before and behind what curses writes of a frame, so that the terminal shows it whole. Where the terminal is known to
 * have no use for it nothing is written. */
void eb_terminfo_frame(bool begins);
