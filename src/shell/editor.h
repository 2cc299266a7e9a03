/* editor: the setup of readline that the plain prompt and the workbench share: word breaks, completion from the command
 * table, history, pastes.
 */
#pragma once

#include <stdbool.h>

#include "core/base/status.h"

/* Sets up readline; call once, before the first line. The caller handles signals and the window's size. A failure names
 * the person's file that could not be used (inputrc, history); the editor works without it. */
eb_code eb_editor_open(eb_status *status);
/* Writes the history and frees the candidates of completion. */
void eb_editor_close(void);

/* The one-line description of a candidate of the last completion; NULL: none. */
const char *eb_editor_about(const char *match);

/* Call before each rl_callback_read_char: ends the state of an unfinished paste. */
void eb_editor_key(void);

/* For rl_getc_function: returns the byte from next(), or EOF. readline cannot handle EOF inside a paste; there, EOF is
 * replaced by the bytes that end a paste. */
int eb_editor_byte(int (*next)(bool pasting));
