/* screen: shows a canvas on a terminal and reads keys from it. The only user of curses. There is one screen at a time.
 *
 * The terminal's former contents and modes are restored when the screen is closed or suspended, and when the program
 * crashes (crash.h).
 */
#pragma once

#include "draw/canvas.h"
#include "draw/colours.h"
#include "ui/terminal/keys.h"

/* Opens the screen on the standard input and output. EB_NO_DEVICE with the reason if they are no suitable terminal.
 * With EB_THEME_AUTO the terminal is asked for its background, and has 100 ms to answer. */
eb_code eb_screen_open(eb_theme theme, eb_status *status);
void eb_screen_close(void);

/* Sets the colours from the next eb_screen_show on. */
void eb_screen_theme(eb_theme theme);
/* True if the colours have changed since the last call, by the terminal's answer: the caller draws everything again. */
bool eb_screen_recoloured(void);

void eb_screen_size(int *columns, int *rows);
/* After SIGWINCH: asks the terminal for its size. */
void eb_screen_resize(void);

/* Shows the canvas, which has the screen's size, and the cursor at cell (x, y); x < 0 hides the cursor. */
void eb_screen_show(const eb_canvas *canvas, int x, int y);

/* The next key; false: none is there. Waits only after an Esc, up to 25 ms, for the rest of a key. */
bool eb_screen_key(eb_key *out);

/* True if the terminal is gone. */
bool eb_screen_gone(void);

/* Restores the terminal while the program is stopped, and sets the screen up again. */
void eb_screen_suspend(void);
void eb_screen_resume(void);
