#include "shell/background/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "draw/format.h"

char *eb_duration_words(double seconds, char *buffer, size_t size)
{
    if (seconds >= 360000.0)
        (void)snprintf(buffer, size, "more than 99 h");
    else if (seconds >= 3600.0)
        (void)snprintf(buffer, size, "%d h %02d min", (int)(seconds / 3600.0), (int)fmod(seconds / 60.0, 60.0));
    else if (seconds >= 60.0)
        (void)snprintf(buffer, size, "%d min %02d s", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
    else
        (void)snprintf(buffer, size, "%.0f s", ceil(seconds));
    return buffer;
}

static double phase_share(const eb_progress *progress)
{
    return progress->total > 0 ? fmin(1.0, (double)progress->done / (double)progress->total) : NAN;
}

double eb_progress_share(const eb_progress *progress)
{
    double all_s = progress->elapsed_s + progress->left_s;
    return progress->foreseen && all_s > 0 ? progress->elapsed_s / all_s : phase_share(progress);
}

/* Writes "engine 1 of 2, trial 4 of 200", followed by the phase if the innermost step is not counted. */
static void say_where(const eb_progress *progress, char *buffer, size_t size)
{
    size_t used = 0;
    bool innermost = false;
    buffer[0] = '\0';
    for (size_t k = 0; k < EB_STEPS && used < size; k++) {
        const eb_step *step = &progress->step[k];
        innermost = step->name && step->of > 1;
        if (innermost)
            (void)snprintf(buffer + used, size - used, "%s%s %u of %u", used ? ", " : "", step->name, step->at,
                           step->of);
        used = strlen(buffer);
    }
    if (!innermost && used < size)
        (void)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", progress->phase);
}

char *eb_progress_text(const eb_progress *progress, unsigned width, char *buffer, size_t size)
{
    char where[160], elapsed[32], left[32];
    double share = progress->aside ? NAN : eb_progress_share(progress), of_phase = phase_share(progress);
    if (progress->aside)
        (void)snprintf(where, sizeof where, "%s", progress->aside);
    else
        say_where(progress, where, sizeof where);
    (void)eb_duration_words(floor(progress->elapsed_s), elapsed, sizeof elapsed);
    /* Below 1 % an estimate of the time left is mostly noise. */
    if (isnan(share))
        (void)snprintf(buffer, size, "%s  %s", where, elapsed);
    else if (!progress->foreseen && share < 0.01)
        (void)snprintf(buffer, size, "%s  %.0f %%  %s so far", where, floor(100.0 * share), elapsed);
    else
        (void)snprintf(buffer, size, "%s  %.0f %%  %s left", where, floor(100.0 * share),
                       eb_duration_words(progress->foreseen ? progress->left_s
                                                            : progress->phase_s * (1.0 - of_phase) / of_phase,
                                         left, sizeof left));
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

char *eb_memory_words(const eb_progress *progress, char *buffer, size_t size)
{
    char host[32], gpu[32];
    const uint64_t bytes = progress->announced_bytes, on_gpu = progress->announced_gpu_bytes;
    buffer[0] = '\0';
    if (bytes + on_gpu < EB_WORTH_SAYING_BYTES)
        return buffer;
    (void)snprintf(buffer, size, "%s of memory%s%s%s", eb_format_value(host, sizeof host, eb_uint(bytes), EB_BYTES),
                   on_gpu ? ", " : "", on_gpu ? eb_format_value(gpu, sizeof gpu, eb_uint(on_gpu), EB_BYTES) : "",
                   on_gpu ? " on the GPU" : "");
    return buffer;
}
