#include "shell/progress.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* 95 s → "1 min 35 s": seconds as people say them. */
static void say_duration(double seconds, char *buffer, size_t size)
{
    if (seconds >= 360000.0)
        (void)snprintf(buffer, size, "more than 99 h");
    else if (seconds >= 3600.0)
        (void)snprintf(buffer, size, "%d h %02d min", (int)(seconds / 3600.0), (int)fmod(seconds / 60.0, 60.0));
    else if (seconds >= 60.0)
        (void)snprintf(buffer, size, "%d min %02d s", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
    else
        (void)snprintf(buffer, size, "%.0f s", ceil(seconds));
}

char *eb_progress_text(const eb_progress *progress, unsigned width, char *buffer, size_t size)
{
    char elapsed[32], left[48];
    say_duration(floor(progress->elapsed_s), elapsed, sizeof elapsed);
    if (progress->total == 0) {
        (void)snprintf(buffer, size, "%s  %s", progress->phase, elapsed);
    } else {
        double fraction = fmin(1.0, (double)progress->done / (double)progress->total);
        /* Before a hundredth is done the estimate is mostly noise. */
        if (fraction < 0.01)
            (void)snprintf(left, sizeof left, "%s so far", elapsed);
        else
            say_duration(progress->phase_s * (1.0 - fraction) / fraction, left, sizeof left);
        (void)snprintf(buffer, size, "%s  %.0f %%  %s%s", progress->phase, floor(100.0 * fraction), left,
                       fraction < 0.01 ? "" : " left");
    }
    if (width > 0 && strlen(buffer) > width) {
        size_t cut = width;
        while (cut > 0 && ((unsigned char)buffer[cut] & 0xC0u) == 0x80u) /* not inside a UTF-8 character */
            cut--;
        buffer[cut] = '\0';
    }
    return buffer;
}

unsigned eb_terminal_width(FILE *stream)
{
    struct winsize window;
    int fd = fileno(stream);
    if (fd < 0 || !isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
}

void eb_progress_draw(eb_progress_line *line, const eb_progress *progress)
{
    if (!line->out || progress->elapsed_s < EB_PROGRESS_AFTER_S ||
        (line->drawn && progress->elapsed_s < line->drawn_at + 0.1))
        return;
    char text[256];
    unsigned width = eb_terminal_width(line->out);
    (void)eb_progress_text(progress, width > 1 ? width - 1 : 1, text, sizeof text);
    (void)fprintf(line->out, "\r%s\033[K", text);
    (void)fflush(line->out);
    line->drawn = true;
    line->drawn_at = progress->elapsed_s;
}

void eb_progress_clear(eb_progress_line *line)
{
    if (!line->drawn)
        return;
    (void)fputs("\r\033[K", line->out);
    (void)fflush(line->out);
    line->drawn = false;
}
