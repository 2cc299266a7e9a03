/* repl: the plain prompt on a terminal: readline with history, completion, and a prompt that shows dataset and ε. */
#pragma once

#include "shell/dispatch.h"

/* Reads and runs lines until quit, Ctrl-D or a signal that ends the program. Ctrl-C at the prompt clears the line.
 * Not reentrant, because readline's state is global. */
void eb_repl(eb_shell *shell);

/* Writes the prompt, like "demo ε=1455.8606> ", into buffer and returns it. */
char *eb_prompt(const eb_session *session, bool unicode, char *buffer, size_t size);
