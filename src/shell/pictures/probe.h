/* probe: asks the terminal how it shows pictures. */
#pragma once

#include "shell/shell.h"

enum { EB_ANSWER_MS = 200 }; /* the longest wait for an answer */

/* How this shell's terminal shows pictures, asked at the first call. Keys typed meanwhile are kept for the line editor.
 */
eb_graphics eb_graphics_of(eb_shell *shell);

/* Size of the terminal in dots and in characters; 0: unknown. */
typedef struct eb_terminal_size {
    unsigned width, height, columns, rows;
} eb_terminal_size;
eb_terminal_size eb_terminal_size_of(const eb_shell *shell);
