/* repl: the line editor on a terminal: readline with history, completion, and a prompt that says where one is. */
#pragma once

#include "shell/dispatch.h"

/* Reads and runs lines until quit, Ctrl-D or a signal that ends the program. Ctrl-C at the prompt clears the line.
 * One at a time: readline's state is global. */
void eb_repl(eb_shell *shell);

/* "demo ε=1455.8606> " into buffer. */
char *eb_prompt(const eb_session *session, bool unicode, char *buffer, size_t size);
