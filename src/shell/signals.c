#include "shell/signals.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* Adds a signal unless it is ignored. A blocked signal is queued even when ignored, so that a signal that the parent
 * set to be ignored (nohup, a background job) must not be blocked. */
static void add_unless_ignored(sigset_t *set, int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        (void)sigaddset(set, number);
}

eb_code eb_signals_open(int *fd, eb_status *status)
{
    sigset_t set;
    (void)sigemptyset(&set);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGTERM);
    add_unless_ignored(&set, SIGHUP);
    add_unless_ignored(&set, SIGTSTP);
    (void)sigaddset(&set, SIGWINCH); /* its default action is to be ignored, but it is needed here */
    int failed = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (failed)
        return eb_fail(status, EB_IO, "cannot block signals: %s", strerror(failed));
    *fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd < 0)
        return eb_fail(status, EB_IO, "cannot make a signal descriptor: %s", strerror(errno));
    /* A write to a pipe without a reader then fails with EPIPE. */
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return eb_fail(status, EB_IO, "cannot ignore SIGPIPE: %s", strerror(errno));
    return EB_OK;
}

static _Atomic bool came;

static bool asks_to_stop(int number) { return number == SIGINT || number == SIGTERM || number == SIGHUP; }

int eb_signals_take(int fd, bool *typed)
{
    struct signalfd_siginfo info;
    ssize_t got;
    do
        got = read(fd, &info, sizeof info);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof info)
        return 0;
    if (typed)
        *typed = info.ssi_code == SI_KERNEL;
    if (asks_to_stop((int)info.ssi_signo))
        atomic_store(&came, true);
    return (int)info.ssi_signo;
}

/* A pending signal that asks the program to stop; 0: none. */
static int pending(bool and_interrupt)
{
    sigset_t set;
    if (sigpending(&set) != 0)
        return 0;
    return sigismember(&set, SIGTERM) == 1                   ? SIGTERM
           : sigismember(&set, SIGHUP) == 1                  ? SIGHUP
           : and_interrupt && sigismember(&set, SIGINT) == 1 ? SIGINT
                                                             : 0;
}

bool eb_signals_came(void) { return atomic_load(&came) || pending(true) != 0; }

void eb_signals_forget(void) { atomic_store(&came, false); }

void eb_signals_end_by(int number)
{
    sigset_t set;
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)raise(number);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* True if a signal stays pending for 0.7 s. Checked twice, so that a process that was stopped meanwhile gets time. */
static bool nobody_takes(bool and_interrupt)
{
    enum { LOOKS = 2 };
    const struct timespec pause = {.tv_nsec = 350000000};
    for (int k = 0; k < LOOKS; k++) {
        (void)nanosleep(&pause, NULL);
        if (pending(and_interrupt) == 0)
            return false;
    }
    return true;
}

void eb_signals_guard(int fd, int ended, bool and_interrupt, void (*give_back)(void))
{
    for (;;) {
        struct pollfd polled[2] = {{.fd = ended, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            return;
        if (polled[0].revents != 0)
            return;
        int number = polled[1].revents != 0 && nobody_takes(and_interrupt) ? pending(and_interrupt) : 0;
        if (number == 0)
            continue;
        give_back();
        eb_signals_end_by(number);
    }
}
