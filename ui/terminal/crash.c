#include "ui/terminal/crash.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/state_path.h"

static char path[4096], about[256], running[512], restoring[512];
static struct termios modes_before;
static int terminal_fd = -1;
static volatile sig_atomic_t restore_wanted, drawer_held;
static pthread_t drawer; /* the thread that writes to the terminal; set while restore_wanted */
static pid_t armed_by;
static _Atomic pid_t teller; /* the first thread that crashed, which reports; 0: none */

static const struct named {
    int number;
    const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGQUIT, "SIGQUIT"}};

/* ---- in the handler: async-signal-safe calls only ---- */

/* Gives up on a terminal that accepts no output (Ctrl-S) after PATIENCE_MS. */
static void say(int fd, const char *text)
{
    enum { PATIENCE_MS = 200 };
    size_t left = strlen(text);
    while (left > 0) {
        struct pollfd polled = {.fd = fd, .events = POLLOUT};
        if (poll(&polled, 1, PATIENCE_MS) == 0)
            return;
        ssize_t written = write(fd, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= (size_t)written;
    }
}

/* Overwrites an earlier report. Fails if the name belongs to a link, a pipe, another user's file, or a file with a
 * second name. */
static int open_report(void)
{
    struct stat found;
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid() ||
                    found.st_nlink != 1 || ftruncate(fd, 0) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

static bool write_report(const char *name)
{
    void *frame[64];
    if (path[0])
        (void)eb_make_folders(path);
    int fd = path[0] ? open_report() : -1;
    if (fd < 0)
        return false;
    say(fd, about);
    say(fd, "\nended by ");
    say(fd, name);
    say(fd, "\ncommand: ");
    say(fd, running[0] ? running : "none");
    say(fd, "\n\n");
    backtrace_symbols_fd(frame, backtrace(frame, (int)(sizeof frame / sizeof frame[0])), fd);
    (void)close(fd);
    return true;
}

void eb_crash_give_back(void)
{
    if (!restore_wanted)
        return;
    say(terminal_fd, restoring);
    (void)tcsetattr(terminal_fd, TCSANOW, &modes_before);
}

/* Stops the drawing thread, which would otherwise go on drawing over the restored terminal. */
static void hold_drawer(void)
{
    enum { PATIENCE_MS = 100 };
    if (!restore_wanted || pthread_equal(drawer, pthread_self()) || pthread_kill(drawer, SIGUSR1) != 0)
        return;
    for (int waited = 0; !drawer_held && waited < PATIENCE_MS; waited++)
        (void)poll(NULL, 0, 1);
}

/* SIGUSR1's handler: keeps the drawing thread until the process ends. */
static void hold(int number)
{
    enum { PATIENCE_S = 10 };
    if (!teller) { /* another process sent the signal: apply its default action */
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        return;
    }
    drawer_held = 1;
    for (unsigned left = PATIENCE_S; left > 0;)
        left = sleep(left);
}

static void tell(int number)
{
    const char *name = "a signal";
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        if (signals[k].number == number)
            name = signals[k].name;
    hold_drawer();
    eb_crash_give_back();
    bool reported = write_report(name);
    say(STDERR_FILENO, "epsbench: ended by ");
    say(STDERR_FILENO, name);
    say(STDERR_FILENO, reported  ? "; the crash report is "
                       : path[0] ? "; no crash report could be written to "
                                 : "; no crash report could be written\n");
    if (path[0]) {
        say(STDERR_FILENO, path);
        say(STDERR_FILENO, "\n");
    }
}

/* The first thread that crashes reports, and its end ends the process. The others wait for that, but not for ever: the
 * first may be waiting for a lock of theirs. A crash within this handler ends the process without a report, and so does
 * a crash of a child process (src/io/subprocess/). */
static void crashed(int number)
{
    enum { PATIENCE_S = 10 };
    pid_t nobody = 0, self = gettid();
    if (getpid() == armed_by) {
        if (atomic_compare_exchange_strong(&teller, &nobody, self))
            tell(number);
        else if (nobody != self) /* the exchange has stored the first thread in nobody */
            for (unsigned left = PATIENCE_S; left > 0;)
                left = sleep(left);
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* ---- set-up ---- */

void eb_crash_arm(const char *version, const char *commit)
{
    static char stack[65536]; /* a stack that overflowed cannot hold the handler */
    void *frame[1];
    (void)backtrace(frame, 1); /* the first call loads libraries */
    if (!eb_state_path("crash.txt", path, sizeof path))
        path[0] = '\0';
    armed_by = getpid();
    (void)snprintf(about, sizeof about, "epsbench %s (%s)", version, commit);
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    (void)sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_NODEFER | SA_ONSTACK};
    (void)sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        (void)sigaction(signals[k].number, &action, NULL);
    action.sa_handler = hold;
    (void)sigaction(SIGUSR1, &action, NULL);
}

void eb_crash_terminal(int fd, const struct termios *modes, const char *bytes)
{
    restore_wanted = 0;
    if (!modes)
        return;
    terminal_fd = fd;
    drawer = pthread_self();
    modes_before = *modes;
    (void)snprintf(restoring, sizeof restoring, "%s", bytes);
    restore_wanted = 1;
}

void eb_crash_running(const char *command) { (void)snprintf(running, sizeof running, "%s", command); }
