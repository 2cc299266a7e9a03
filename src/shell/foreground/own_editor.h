/* own_editor: opens a file in the person's editor, $VISUAL or else $EDITOR, which has the terminal until it ends. */
#pragma once

#include "shell/shell.h"

/* The editor's command; NULL: none is set. */
const char *eb_own_editor(void);

/* Returns when the person has left the editor. EB_NO_DEVICE if there is no terminal here; EB_NOT_FOUND if no editor is
 * set or it is missing; EB_CANCELLED if it ended with another status than 0. The message says where the file is, and
 * names the command `then`, which is to be typed after the editor. */
eb_code eb_own_editor_open(eb_shell *shell, const char *path, const char *then, eb_status *status);
