/* progress: one line about a running job, redrawn in place on a terminal. */
#ifndef EB_SHELL_PROGRESS_H
#define EB_SHELL_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/job.h"

#define EB_PROGRESS_AFTER_S 2.0

/* "ref64 trial  43 %  12 s left" into buffer, at most `width` columns (0: no limit). */
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

#endif
