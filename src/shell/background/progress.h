/* progress: the progress of a running job as one line of text, redrawn in place on a terminal. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/base/job.h"

#define EB_PROGRESS_AFTER_S 2.0

#define EB_WORTH_SAYING_S 60.0 /* a longer command is announced before it starts */

#define EB_WORTH_SAYING_BYTES ((uint64_t)1 << 30) /* so is one that takes more memory, host and GPU together */

/* "1.42 GiB of memory, 2.01 GiB on the GPU"; "" if not announced or below EB_WORTH_SAYING_BYTES. Returns buffer. */
char *eb_memory_words(const eb_progress *progress, char *buffer, size_t size);

/* A duration in words, as "2 min 05 s". Returns buffer. */
char *eb_duration_words(double seconds, char *buffer, size_t size);

/* The finished share, 0–1: of the whole command if its time is foreseen, else of its phase. NAN: unknown. */
double eb_progress_share(const eb_progress *progress);

/* Writes "engine 1 of 2, trial 4 of 200  43 %  12 s left" into buffer, at most `width` bytes (0: no limit). The time
 * left is that of the whole command if it is foreseen, else of its phase. */
char *eb_progress_text(const eb_progress *progress, unsigned width, char *buffer, size_t size);

typedef struct eb_progress_line {
    FILE *out; /* a terminal; NULL: draw nothing */
    bool drawn;
    double drawn_at; /* elapsed_s of the last drawing */
} eb_progress_line;

/* Draws the line, at most 10 times a second, once the job has run for EB_PROGRESS_AFTER_S. */
void eb_progress_draw(eb_progress_line *line, const eb_progress *progress);
void eb_progress_clear(eb_progress_line *line);

/* Columns of the stream's terminal; 80 if unknown; 0: not a terminal. */
unsigned eb_terminal_width(FILE *stream);
