#include "shell/foreground/own_editor.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/foreground/foreground.h"

/* $VISUAL may have arguments of its own. */
#define EDITOR_SCRIPT "e=${VISUAL:-$EDITOR}; command -v ${e%% *} >/dev/null 2>&1 || exit 127; exec $e \"$1\""

const char *eb_own_editor(void)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    return visual && *visual ? visual : editor && *editor ? editor : NULL;
}

/* A workbench without a terminal, which tests draw in memory, has no terminal to give. */
static bool has_terminal(const eb_shell *shell)
{
    return !shell->is_background && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
           (!shell->display || shell->terminal);
}

/* What remains to the person: the whole path, because the current folder need not be known. */
static eb_code refuse(const char *why, const char *path, const char *then, eb_code code, eb_status *status)
{
    char *whole = realpath(path, NULL);
    const eb_code failed = eb_fail(status, code, "%s: edit %s yourself, then `%s`", why, whole ? whole : path, then);
    free(whole);
    return failed;
}

static eb_code check_ended(int state, const char *path, const char *then, eb_status *status)
{
    char why[200];
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return EB_OK;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != EB_FOREGROUND_MISSING)
        return eb_fail(status, EB_CANCELLED, "the editor \"%.100s\" failed, so %s stays unchecked", eb_own_editor(),
                       path);
    (void)snprintf(why, sizeof why, "the editor \"%.100s\" is missing, which VISUAL or EDITOR names", eb_own_editor());
    return refuse(why, path, then, EB_NOT_FOUND, status);
}

eb_code eb_own_editor_open(eb_shell *shell, const char *path, const char *then, eb_status *status)
{
    const eb_foreground editor = {.script = EDITOR_SCRIPT, .argument = path};
    int state = 0;
    if (!has_terminal(shell))
        return refuse("there is no terminal here for an editor", path, then, EB_NO_DEVICE, status);
    if (!eb_own_editor())
        return refuse("no editor is set (EDITOR=nano epsbench sets one)", path, then, EB_NOT_FOUND, status);
    (void)fflush(shell->out);
    if (shell->terminal)
        shell->terminal->suspend();
    const bool started = eb_foreground_run(shell, &editor, &state);
    if (shell->terminal)
        shell->terminal->resume();
    return started ? check_ended(state, path, then, status)
                   : refuse("no process can be started for the editor", path, then, EB_IO, status);
}
