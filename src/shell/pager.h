/* pager: a report longer than the terminal, through `less`, or what $PAGER names (empty: none), where it can be had. */
#pragma once

#include "shell/shell.h"

/* Whether a text of the prompt is to be paged: shell->pages, `out` is a terminal, and it has fewer rows than lines. */
bool eb_pager_wanted(const eb_shell *shell, const char *text);

/* Shows it and returns when the person leaves. False: there is no pager here, nothing was shown. */
bool eb_pager_show(eb_shell *shell, const char *text, size_t length);
