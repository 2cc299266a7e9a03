/* show: shows a picture on the terminal: at the terminal's resolution if it answers that it can, else in characters. */
#pragma once

#include "shell/shell.h"

/* A terminal is asked once, and at most EB_ANSWER_MS; its late answers are taken out of what is typed (answers.h). It
 * is not asked if input or output is no terminal or not the same one, if TERM is dumb, a Linux console or not set, or
 * if EPSBENCH_GRAPHICS says kitty, sixel or none. */
eb_code eb_picture_show(eb_shell *shell, const eb_drawn *drawn, eb_status *status);
