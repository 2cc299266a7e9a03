#include "shell/shell.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>

#include "core/base/clock.h"
#include "shell/signals.h"

int eb_exit_status(eb_code code)
{
    switch (code) {
    case EB_OK: return 0;
    case EB_USAGE: return 2;
    case EB_NO_DEVICE:
    case EB_NO_ENGINE: return 3;
    case EB_CANCELLED: return 130;
    default: return 1;
    }
}

/* Stops the process, as the calling shell expects after Ctrl-Z; returns when continued. */
static void suspend(const eb_terminal *terminal)
{
    if (terminal)
        terminal->suspend();
    (void)raise(SIGSTOP);
    if (terminal)
        terminal->resume();
}

void eb_shell_heed_signals(eb_shell *shell, eb_job *job, eb_progress_line *line)
{
    if (shell->signal_fd < 0)
        return;
    for (int number; (number = eb_signals_take(shell->signal_fd, NULL)) != 0;) {
        if (number == SIGTSTP) {
            eb_progress_clear(line);
            suspend(shell->terminal);
            continue;
        }
        if (number == SIGWINCH) {
            if (shell->terminal)
                shell->terminal->resize();
            continue;
        }
        /* The terminal has echoed "^C"; the next output begins on a new line. */
        if (shell->progress && !shell->terminal && !line->drawn && number == SIGINT)
            (void)fputc('\n', shell->err);
        shell->interrupted = true;
        if (number != SIGINT) {
            shell->ended_by = number;
            shell->quitting = true;
        }
        if (job)
            eb_job_cancel(job);
    }
}

bool eb_shell_wait(eb_shell *shell, int fd, double seconds)
{
    eb_progress_line none = {0};
    double until = eb_now_s() + seconds;
    const eb_display *display = shell->display;
    int display_fd = display && display->input_fd != fd ? display->input_fd : -1;
    for (;;) {
        eb_shell_heed_signals(shell, NULL, &none);
        if (shell->interrupted)
            return false;
        double left_s = seconds < 0.0 ? -1.0 : fmax(0.0, until - eb_now_s());
        struct pollfd polled[3] = {{.fd = fd, .events = POLLIN},
                                   {.fd = shell->signal_fd, .events = POLLIN},
                                   {.fd = display_fd, .events = POLLIN}};
        int ready = poll(polled, 3, left_s < 0.0 ? -1 : (int)ceil(fmin(left_s, 3600.0) * 1e3));
        if (polled[1].revents != 0) /* signals come before input, which may have ended at the same moment */
            continue;
        if (display && polled[2].revents != 0)
            display->input(display->context);
        if (polled[0].revents != 0 || (ready < 0 && errno != EINTR))
            return true;
        if (ready == 0 && left_s <= 3600.0)
            return true;
    }
}

eb_code eb_shell_pause(eb_shell *shell, const char *sentence)
{
    eb_pace pace = shell->pause ? shell->pause(shell, sentence) : EB_PACE_NEXT;
    if (pace == EB_PACE_REST)
        shell->stepping = false;
    return pace == EB_PACE_STOP ? EB_CANCELLED : EB_OK;
}
