#include "shell/foreground/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw/console.h"
#include "shell/foreground/foreground.h"

/* less -RS shows colours and cuts long lines, which suits tables. `command -v` detects a missing pager (status 127)
 * before anything is shown. */
#define PAGER_SCRIPT "p=${PAGER-less -RS}; command -v ${p%% *} >/dev/null 2>&1 || exit 127; exec $p"

static bool turned_off(void)
{
    const char *chosen = getenv("PAGER");
    return chosen && *chosen == '\0';
}

static bool is_wanted(const eb_shell *shell, const char *text)
{
    struct winsize window;
    int fd = fileno(shell->out);
    if (turned_off() || eb_is_dumb(getenv("TERM")) || fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &window) != 0)
        return false;
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return window.ws_row > 0 && lines >= window.ws_row;
}

bool eb_pager_show(eb_shell *shell, const char *text, size_t length)
{
    const eb_foreground pager = {.script = PAGER_SCRIPT, .text = text, .length = length};
    int state;
    if (!is_wanted(shell, text) || !eb_foreground_run(shell, &pager, &state))
        return false;
    return !(WIFEXITED(state) && WEXITSTATUS(state) == EB_FOREGROUND_MISSING);
}
