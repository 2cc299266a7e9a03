/* progress: one line about a running job, redrawn in place on a terminal. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/base/job.h"

#define EB_PROGRESS_AFTER_S 2.0

#define EB_WORTH_SAYING_S 60.0 /* a command that takes longer says so before it starts */

#define EB_WORTH_SAYING_BYTES ((uint64_t)1 << 30) /* likewise one that takes more memory, host and GPU together */

/* "1.42 GiB of memory, 2.01 GiB on the GPU"; "": not announced, or not worth saying. Returns buffer. */
char *eb_memory_words(const eb_progress *progress, char *buffer, size_t size);

/* "2 min 05 s": as people say it. Returns buffer. */
char *eb_duration_words(double seconds, char *buffer, size_t size);

/* How much is done: of the whole command where that is foreseen, else of its phase. NAN: not known. */
double eb_progress_share(const eb_progress *progress);

/* "engine 1 of 2, trial 4 of 200  43 %  12 s left" into buffer, at most `width` columns (0: no limit). What is left is
 * the whole command's where that is foreseen, else its phase's. */
char *eb_progress_text(const eb_progress *progress, unsigned width, char *buffer, size_t size);

typedef struct eb_progress_line {
    FILE *out; /* a terminal, or NULL: draws nothing */
    bool drawn;
    double drawn_at; /* elapsed_s of the last drawing */
} eb_progress_line;

/* Draws, once the job is EB_PROGRESS_AFTER_S old and at most 10 times a second. */
void eb_progress_draw(eb_progress_line *line, const eb_progress *progress);
void eb_progress_clear(eb_progress_line *line);

/* Columns of the terminal behind the stream; 0: not a terminal, or unknown. */
unsigned eb_terminal_width(FILE *stream);
