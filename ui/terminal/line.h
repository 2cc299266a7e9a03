/* line: the command line of the workbench: readline, fed with keys and drawn on a canvas. There is one at a time. */
#pragma once

#include "core/base/status.h"
#include "draw/canvas.h"
#include "ui/terminal/keys.h"

/* As eb_editor_open: on failure the status names a file that could not be used, and the line works without that file.
 */
eb_code eb_line_open(eb_status *status);
void eb_line_close(void);

/* Begins a line, empty unless text is given (NULL: none). */
void eb_line_begin(const char *prompt, const char *text);

/* Replaces the prompt of the line being typed. */
void eb_line_prompt(const char *prompt);

/* Handles a key. True if the key ended the line: *finished is the typed text (heap), or NULL for Ctrl-D on an empty
 * line; the caller must then begin another line. */
bool eb_line_key(eb_key key, char **finished);

/* Inserts pasted text at the cursor, unchanged. A newline separates two commands. */
void eb_line_insert(const char *text);

bool eb_line_empty(void); /* nothing is typed, and no search or unfinished key sequence is active */
void eb_line_clear(void);

/* Columns of prompt and text together. */
int eb_line_columns(void);
/* Draws prompt and text over the rows of the area; rows without room are left out, but never the cursor's. Returns the
 * cursor's cell. */
void eb_line_draw(eb_canvas *canvas, eb_rect area, int *cursor_x, int *cursor_y);

/* The candidates that completion has offered since the last call: "NAME  NAME…", or with descriptions "NAME\tLINE\n…".
 * On the heap; NULL: none. */
char *eb_line_offers(void);
