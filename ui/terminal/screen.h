/* screen: a canvas on a real terminal, and keys from it. The only user of curses. One screen at a time.
 *
 * What the person had on the terminal comes back when it is closed, suspended or when the program crashes (crash.h).
 */
#pragma once

#include "draw/canvas.h"
#include "draw/colours.h"
#include "ui/terminal/keys.h"

/* Starts on the standard input and output. EB_NO_DEVICE with the reason when they are no terminal that can do it. Where
 * the theme is to be found out, the terminal is asked, and has 100 ms to answer. */
eb_code eb_screen_open(eb_theme theme, eb_status *status);
void eb_screen_close(void);

/* Other colours from now on: the next eb_screen_show has them. */
void eb_screen_theme(eb_theme theme);
/* The terminal answered, and the colours have changed, since this was asked last: all is to be shown again. */
bool eb_screen_recoloured(void);

void eb_screen_size(int *columns, int *rows);
/* After SIGWINCH: asks the terminal for its size. */
void eb_screen_resize(void);

/* Shows the canvas, which has the screen's size, and the cursor at a cell; x < 0 hides it. */
void eb_screen_show(const eb_canvas *canvas, int x, int y);

/* The next key that has come; false: none. Does not wait, but for what may follow an Esc (25 ms). */
bool eb_screen_key(eb_key *out);

/* The terminal is not there any more. */
bool eb_screen_gone(void);

/* Gives the terminal back for as long as the program is stopped. */
void eb_screen_suspend(void);
void eb_screen_resume(void);
