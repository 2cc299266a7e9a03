#include "shell/pictures/probe.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/clock.h"

static bool is_same_terminal(int input, int output)
{
    struct stat in, out;
    return isatty(input) && isatty(output) && fstat(input, &in) == 0 && fstat(output, &out) == 0 &&
           in.st_rdev == out.st_rdev;
}

/* A process in the background would be stopped when it changes the terminal's modes. */
static bool can_ask(const eb_shell *shell)
{
    const char *term = getenv("TERM");
    return !shell->display && !shell->console && term && term[0] != '\0' && strcmp(term, "dumb") != 0 &&
           is_same_terminal(STDIN_FILENO, fileno(shell->out)) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* tmux takes the question about kitty's graphics for a title, and hands none of them on; it may have sixel. */
static bool is_multiplexed(void)
{
    const char *term = getenv("TERM");
    return getenv("TMUX") != NULL || !term || strncmp(term, "tmux", 4) == 0 || strncmp(term, "screen", 6) == 0;
}

static bool is_readable(int ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, ms) == 1 && (input.revents & POLLIN);
}

/* Reads until the last answer has come or the time is over. */
static void read_answers(eb_answers *answers)
{
    const double until_s = eb_now_s() + EB_ANSWER_MS * 1e-3;
    while (answers->awaited && eb_now_s() < until_s) {
        unsigned char bytes[128];
        if (!is_readable((int)(fmax(until_s - eb_now_s(), 0) * 1e3) + 1))
            continue;
        const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        for (ssize_t k = 0; k < got; k++)
            eb_answers_take(answers, bytes[k]);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return;
    }
}

/* Asks in a mode in which answers are neither shown nor wait for Enter. False: keys wait to be read, or the modes
 * cannot be changed; nothing was asked. */
static bool ask(const eb_shell *shell, eb_answers *answers)
{
    struct termios usual, raw;
    if (tcgetattr(STDIN_FILENO, &usual) != 0)
        return false;
    raw = usual;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0)
        return false;
    const bool quiet = !is_readable(0);
    if (quiet) {
        answers->awaited = true;
        if (!is_multiplexed())
            (void)fputs(EB_KITTY_QUESTION, shell->out);
        (void)fputs(EB_ATTRIBUTES_QUESTION, shell->out);
        (void)fflush(shell->out);
        read_answers(answers);
    }
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &usual);
    return quiet;
}

/* What EPSBENCH_GRAPHICS says. */
static eb_graphics told(void)
{
    const char *name = getenv("EPSBENCH_GRAPHICS");
    if (!name || name[0] == '\0')
        return EB_GRAPHICS_UNKNOWN;
    return strcmp(name, "kitty") == 0   ? EB_GRAPHICS_KITTY
           : strcmp(name, "sixel") == 0 ? EB_GRAPHICS_SIXEL
                                        : EB_GRAPHICS_NONE;
}

eb_graphics eb_graphics_of(eb_shell *shell)
{
    eb_answers *answers = &shell->answers;
    if (shell->graphics == EB_GRAPHICS_UNKNOWN)
        shell->graphics = isatty(fileno(shell->out)) ? told() : EB_GRAPHICS_NONE;
    if (shell->graphics != EB_GRAPHICS_UNKNOWN)
        return shell->graphics;
    if (!can_ask(shell))
        return shell->graphics = EB_GRAPHICS_NONE;
    if (!ask(shell, answers))
        return EB_GRAPHICS_NONE; /* this time */
    return shell->graphics = answers->kitty ? EB_GRAPHICS_KITTY : answers->sixel ? EB_GRAPHICS_SIXEL : EB_GRAPHICS_NONE;
}

eb_terminal_size eb_terminal_size_of(const eb_shell *shell)
{
    struct winsize size = {0};
    if (ioctl(fileno(shell->out), TIOCGWINSZ, &size) != 0)
        return (eb_terminal_size){0};
    return (eb_terminal_size){size.ws_xpixel, size.ws_ypixel, size.ws_col, size.ws_row};
}
