/* editor: readline as both faces of the program use it, the plain prompt and the workbench: how words end, completion
 * from the command table, the history.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"

/* Once, before the first line: signals and the window's size are left to us. A failure says which file of the person's
 * could not be used; the editor works without it. */
eb_code eb_editor_open(eb_status *status);
/* Writes the history and lets go of what completion holds. */
void eb_editor_close(void);

/* A line on what completion offered last under that name; NULL: there is none. */
const char *eb_editor_about(const char *match);

/* To be told before each rl_callback_read_char. */
void eb_editor_key(void);

/* For rl_getc_function: the byte that next gives, EOF where there comes none. In the middle of a paste readline takes
 * that badly: it is given the paste's end then. */
int eb_editor_byte(int (*next)(bool pasting));
