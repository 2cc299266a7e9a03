#include "shell/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A blocked signal is queued even when it is ignored, so one that our parent had us ignore (nohup, a background job)
 * must not be blocked. */
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
    (void)sigaddset(&set, SIGWINCH); /* ignored by default, yet wanted */
    int failed = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (failed)
        return eb_fail(status, EB_IO, "cannot block signals: %s", strerror(failed));
    *fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd < 0)
        return eb_fail(status, EB_IO, "cannot make a signal descriptor: %s", strerror(errno));
    /* A reader that went away is found by the write that fails. */
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return eb_fail(status, EB_IO, "cannot ignore SIGPIPE: %s", strerror(errno));
    return EB_OK;
}

int eb_signals_take(int fd)
{
    struct signalfd_siginfo info;
    ssize_t got;
    do
        got = read(fd, &info, sizeof info);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
