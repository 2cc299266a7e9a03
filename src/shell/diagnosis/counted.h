/* counted: the counters of kernels that a GPU recorded, from tests/bench/counters_h200.tsv, which is installed with the
 * lessons. Its first line is "# GPU, toolkit, date, …"; then comes a line of column names, and a line for each run. */
#pragma once

#include "shell/diagnosis/metrics.h"

typedef struct eb_counted_row {
    char *spec; /* heap */
    size_t d;
    double clock_hz; /* of the SMs; NAN: unknown */
    eb_metrics metrics;
} eb_counted_row;

typedef struct eb_counted {
    char gpu[80], date[32];
    eb_counted_row *row;
    size_t rows;
} eb_counted;

enum { EB_COUNTED_N = 100000 }; /* points of all runs */

/* EB_NOT_FOUND if the program's file is missing; EB_USAGE with the line that is wrong. Free *out in any case. */
eb_code eb_counted_read(eb_counted *out, eb_status *status);
eb_code eb_counted_parse(const char *path, const char *text, eb_counted *out, eb_status *status);
void eb_counted_free(eb_counted *counted); /* frees the members */

/* NULL: no such run. */
const eb_counted_row *eb_counted_find(const eb_counted *counted, const char *spec, size_t d);
