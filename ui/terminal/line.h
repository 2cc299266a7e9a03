/* line: the command line: readline, fed with keys and drawn on a canvas. One at a time.
 */
#pragma once

#include "core/base/status.h"
#include "draw/canvas.h"
#include "ui/terminal/keys.h"

/* As eb_editor_open: a failure says what could not be used, the line works without it. */
eb_code eb_line_open(eb_status *status);
void eb_line_close(void);

/* Begins a line, empty unless text is given (NULL: none). */
void eb_line_begin(const char *prompt, const char *text);

/* Another prompt for the line being typed. */
void eb_line_prompt(const char *prompt);

/* Takes a key. True when it ended the line: *finished is what was typed (heap), or NULL at Ctrl-D on an empty line;
 * another line must then be begun. */
bool eb_line_key(eb_key key, char **finished);

/* Puts text in at the cursor, as it is: what is pasted. A newline stands for the next command's beginning. */
void eb_line_insert(const char *text);

bool eb_line_empty(void); /* nothing typed, and no search or the like going on */
void eb_line_clear(void);

/* Columns that prompt and text take. */
int eb_line_columns(void);
/* Draws them over the rows of the area; what does not fit is cut so that the cursor stays to be seen. The cursor's
 * cell. */
void eb_line_draw(eb_canvas *canvas, eb_rect area, int *cursor_x, int *cursor_y);

/* The candidates that completion offers since the last call, with two blanks between, or each with a line on it,
 * "NAME\tLINE\n…"; heap, NULL: nothing. */
char *eb_line_offers(void);
