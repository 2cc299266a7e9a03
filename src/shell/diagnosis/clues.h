/* clues: which counters tell that a switch of a kernel is off, from the text src/lessons/switches.text, which describes
 * its form. */
#pragma once

#include <stddef.h>

#include "shell/diagnosis/metrics.h"

enum { EB_MOST_CLUES = 4, EB_MOST_TOLD = 16 };

typedef struct eb_clue {
    eb_metric metric;
    double factor; /* above 1: at least that many times the full kernel's; below 1: at most */
} eb_clue;

typedef struct eb_told_switch {
    char *name, *off; /* heap; off: why the clues hold */
    eb_clue clue[EB_MOST_CLUES];
    size_t clues;
} eb_told_switch;

typedef struct eb_clues {
    eb_told_switch told[EB_MOST_TOLD];
    size_t count;
} eb_clues;

/* EB_NOT_FOUND if the program's text is missing; EB_USAGE with the line that is wrong. Free *out in any case. */
eb_code eb_clues_read(eb_clues *out, eb_status *status);
eb_code eb_clues_parse(const char *path, const char *text, eb_clues *out, eb_status *status);
void eb_clues_free(eb_clues *clues); /* frees the members */

/* The first clue of the switch that holds for a kernel beside the full one; NULL: none. */
const eb_clue *eb_clue_that_holds(const eb_told_switch *told, const eb_metrics *kernel, const eb_metrics *full);
