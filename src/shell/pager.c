#include "shell/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell/signals.h"

extern char **environ;

/* Colours as they are; long lines are cut, as terminals' tables should be. */
#define PAGER_SCRIPT "p=${PAGER-less -RS}; command -v ${p%% *} >/dev/null 2>&1 || exit 127; exec $p"

static bool turned_off(void)
{
    const char *chosen = getenv("PAGER");
    return chosen && *chosen == '\0';
}

bool eb_pager_wanted(const eb_shell *shell, const char *text)
{
    struct winsize window;
    int fd = fileno(shell->out);
    if (!shell->pages || turned_off() || fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &window) != 0)
        return false;
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return window.ws_row > 0 && lines >= window.ws_row;
}

/* As a shell would start it: with no signal blocked or ignored. `command -v` keeps a missing one from being noticed
 * only once it was meant to show something. */
static bool start(int input, pid_t *pid)
{
    char shell[] = "sh", option[] = "-c", script[] = PAGER_SCRIPT;
    char *const arguments[] = {shell, option, script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual_ones;
    (void)sigemptyset(&none);
    (void)sigemptyset(&usual_ones);
    (void)sigaddset(&usual_ones, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawnattr_init(&attributes) == 0;
    if (started) {
        started = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0 &&
                  posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                  posix_spawnattr_setsigdefault(&attributes, &usual_ones) == 0 &&
                  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
                  posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ) == 0;
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* Ctrl-Z stops the pager; then we stop too, so that the shell above has the terminal, and continue together. */
static int wait_for(pid_t pid)
{
    int state = 0;
    for (;;) {
        pid_t ended = waitpid(pid, &state, WUNTRACED);
        if (ended < 0 && errno == EINTR)
            continue;
        if (ended < 0 || !WIFSTOPPED(state))
            return state;
        (void)raise(SIGSTOP);
    }
}

/* Keys that sent a signal were the pager's; a signal to end is heard by whoever waits next. */
static void forget_keys(const eb_shell *shell)
{
    for (int number; shell->signal_fd >= 0 && (number = eb_signals_take(shell->signal_fd)) != 0;)
        if (number == SIGTERM || number == SIGHUP) {
            (void)kill(getpid(), number);
            return;
        }
}

/* A person may leave before the end: what is not read any more is not an error. */
static void write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, text, length);
        if (put < 0 && errno != EINTR)
            return;
        text += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
}

bool eb_pager_show(eb_shell *shell, const char *text, size_t length)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    bool started = start(ends[0], &pid);
    (void)close(ends[0]);
    if (started)
        write_all(ends[1], text, length);
    (void)close(ends[1]);
    if (!started)
        return false;
    int state = wait_for(pid);
    forget_keys(shell);
    return !(WIFEXITED(state) && WEXITSTATUS(state) == 127);
}
