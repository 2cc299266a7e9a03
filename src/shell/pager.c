#include "shell/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "draw/console.h"
#include "shell/signals.h"

/* LOOK_MS: how often waitpid is called, because no event reports that the pager was stopped (Ctrl-Z). SHORT_MS: the
 * same while the pager is being ended, or where no pidfd reports its end. PATIENCE_S: time from SIGTERM to SIGKILL. */
enum { LOOK_MS = 250, SHORT_MS = 20 };
#define PATIENCE_S 0.3

extern char **environ;

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

/* Starts the pager with no signal blocked or ignored, as a shell would. */
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

/* A running pager. */
typedef struct paging {
    eb_shell *shell;
    pid_t pid;
    int to, process;  /* the pipe to its input, -1: closed; its pidfd, readable once it has ended, -1: not available */
    const char *text; /* not written yet */
    size_t left;      /* bytes of text */
    double killed_s;  /* when SIGTERM was sent; 0: never */
} paging;

static void close_input(paging *p)
{
    if (p->to >= 0)
        (void)close(p->to);
    p->to = -1;
}

/* Writes more text to the pager. A failure is no error, because the person may leave before the end. */
static void feed(paging *p)
{
    ssize_t put = p->to >= 0 && p->left > 0 ? write(p->to, p->text, p->left) : 0;
    if (put > 0) {
        p->text += put;
        p->left -= (size_t)put;
    }
    if (p->left == 0 || (put < 0 && errno != EINTR && errno != EAGAIN))
        close_input(p);
}

static void stop(paging *p)
{
    if (p->killed_s == 0) {
        p->killed_s = eb_now_s();
        (void)kill(p->pid, SIGTERM);
        (void)kill(p->pid, SIGCONT); /* a stopped process does not act on SIGTERM */
    } else if (eb_now_s() - p->killed_s > PATIENCE_S) {
        (void)kill(p->pid, SIGKILL);
    }
}

/* Handles our signals. A SIGINT from the keyboard is for the pager and ignored here. SIGTERM and SIGHUP go to *end_by,
 * to be raised again after the pager. */
static void hear(paging *p, int *end_by)
{
    bool typed;
    for (int number; p->shell->signal_fd >= 0 && (number = eb_signals_take(p->shell->signal_fd, &typed)) != 0;)
        if (number == SIGTERM || number == SIGHUP) {
            *end_by = number;
            stop(p);
        } else if (number == SIGINT && !typed) {
            p->shell->interrupted = true;
            stop(p);
        }
    if (p->killed_s > 0)
        stop(p);
}

/* True if the pager has ended. If Ctrl-Z stopped it, this process stops too, so that the shell gets the terminal; the
 * shell later continues both. */
static bool has_ended(const paging *p, int *state)
{
    pid_t ended = waitpid(p->pid, state, WNOHANG | WUNTRACED);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    if (ended > 0 && WIFSTOPPED(*state)) {
        (void)raise(SIGSTOP);
        return false;
    }
    return true;
}

static int attend(paging *p)
{
    int state = 0, end_by = 0;
    while (!has_ended(p, &state)) {
        struct pollfd polled[3] = {{.fd = p->shell->signal_fd, .events = POLLIN},
                                   {.fd = p->process, .events = POLLIN},
                                   {.fd = p->to, .events = POLLOUT}};
        (void)poll(polled, 3, p->process < 0 || p->killed_s > 0 ? SHORT_MS : LOOK_MS);
        feed(p);
        hear(p, &end_by);
    }
    if (end_by)
        (void)kill(getpid(), end_by);
    return state;
}

static int watch(eb_shell *shell, pid_t pid, int to, const char *text, size_t length)
{
    struct termios modes;
    const int terminal = fileno(shell->out);
    bool known = tcgetattr(terminal, &modes) == 0;
    paging p = {.shell = shell, .pid = pid, .to = to, .text = text, .left = length};
    p.process = (int)syscall(SYS_pidfd_open, pid, 0);
    (void)fcntl(to, F_SETFL, O_NONBLOCK);
    int state = attend(&p);
    close_input(&p);
    if (p.process >= 0)
        (void)close(p.process);
    if (p.killed_s > 0 && known)
        (void)tcsetattr(terminal, TCSADRAIN, &modes);
    return state;
}

bool eb_pager_show(eb_shell *shell, const char *text, size_t length)
{
    int ends[2];
    pid_t pid;
    if (!is_wanted(shell, text) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    bool started = start(ends[0], &pid);
    (void)close(ends[0]);
    if (!started) {
        (void)close(ends[1]);
        return false;
    }
    int state = watch(shell, pid, ends[1], text, length);
    return !(WIFEXITED(state) && WEXITSTATUS(state) == 127);
}
