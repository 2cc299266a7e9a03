#include "shell/foreground/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "shell/signals.h"

/* LOOK_MS: how often waitpid is called, because no event reports that the program was stopped (Ctrl-Z). SHORT_MS: the
 * same while the program is being ended, or where no pidfd reports its end. PATIENCE_S: time from SIGTERM to SIGKILL.
 */
enum { LOOK_MS = 250, SHORT_MS = 20 };
#define PATIENCE_S 0.3

extern char **environ;

/* Starts the program with no signal blocked or ignored, as a shell would. input −1: the terminal. */
static bool start(const eb_foreground *program, int input, pid_t *pid)
{
    /* posix_spawn changes no argument; its type is older than const */
    const char *const arguments[] = {"sh", "-c", program->script, "epsbench", program->argument, NULL};
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
        started = (input < 0 || posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) == 0) &&
                  posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                  posix_spawnattr_setsigdefault(&attributes, &usual_ones) == 0 &&
                  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
                  posix_spawn(pid, "/bin/sh", &actions, &attributes, (char *const *)arguments, environ) == 0;
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return started;
}

/* A running program. */
typedef struct running {
    eb_shell *shell;
    pid_t pid;
    int to, process;  /* the pipe to its input, -1: closed; its pidfd, readable once it has ended, -1: not available */
    const char *text; /* not written yet */
    size_t left;      /* bytes of text */
    double killed_s;  /* when SIGTERM was sent; 0: never */
} running;

static void close_input(running *p)
{
    if (p->to >= 0)
        (void)close(p->to);
    p->to = -1;
}

/* Writes more text to the program. A failure is no error, because the person may leave before the end. */
static void feed(running *p)
{
    ssize_t put = p->to >= 0 && p->left > 0 ? write(p->to, p->text, p->left) : 0;
    if (put > 0) {
        p->text += put;
        p->left -= (size_t)put;
    }
    if (p->left == 0 || (put < 0 && errno != EINTR && errno != EAGAIN))
        close_input(p);
}

static void stop(running *p)
{
    if (p->killed_s == 0) {
        p->killed_s = eb_now_s();
        (void)kill(p->pid, SIGTERM);
        (void)kill(p->pid, SIGCONT); /* a stopped process does not act on SIGTERM */
    } else if (eb_now_s() - p->killed_s > PATIENCE_S) {
        (void)kill(p->pid, SIGKILL);
    }
}

/* Handles our signals. A SIGINT from the keyboard is for the program and ignored here. SIGTERM and SIGHUP go to
 * *end_by, to be raised again after it. */
static void hear(running *p, int *end_by)
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

/* True if the program has ended. If Ctrl-Z stopped it, this process stops too, so that the shell gets the terminal; the
 * shell later continues both. */
static bool has_ended(const running *p, int *state)
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

static int attend(running *p)
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

/* Restores the terminal's modes if the program was killed, or was to have the terminal for itself. */
static int watch(eb_shell *shell, const eb_foreground *program, pid_t pid, int to)
{
    struct termios modes;
    const int terminal = fileno(shell->out);
    const bool known = tcgetattr(terminal, &modes) == 0;
    running p = {.shell = shell, .pid = pid, .to = to, .text = program->text, .left = program->length};
    p.process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (to >= 0)
        (void)fcntl(to, F_SETFL, O_NONBLOCK);
    const int state = attend(&p);
    close_input(&p);
    if (p.process >= 0)
        (void)close(p.process);
    if ((p.killed_s > 0 || !program->text) && known)
        (void)tcsetattr(terminal, TCSADRAIN, &modes);
    return state;
}

bool eb_foreground_run(eb_shell *shell, const eb_foreground *program, int *state)
{
    int ends[2] = {-1, -1};
    pid_t pid;
    if (program->text && pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const bool started = start(program, ends[0], &pid);
    if (ends[0] >= 0)
        (void)close(ends[0]);
    if (started)
        *state = watch(shell, program, pid, ends[1]);
    else if (ends[1] >= 0)
        (void)close(ends[1]);
    return started;
}
