/* pager: shows a report that is longer than the terminal with `less`, or with $PAGER. An empty $PAGER turns it off. */
#pragma once

#include "shell/shell.h"

/* Shows the text and returns when the person leaves the pager. False, with nothing shown: there is no pager, `out` is
 * no terminal, or the text has fewer lines than the terminal has rows. */
bool eb_pager_show(eb_shell *shell, const char *text, size_t length);
