/* pager: shows a report that is longer than the terminal with `less`, or with $PAGER. An empty $PAGER turns it off. */
#pragma once

#include "shell/shell.h"

/* True if shell->pages is set and `out` is a terminal with at most as many rows as the text has lines. */
bool eb_pager_wanted(const eb_shell *shell, const char *text);

/* Shows the text and returns when the person leaves the pager. False: there is no pager, nothing was shown. */
bool eb_pager_show(eb_shell *shell, const char *text, size_t length);
