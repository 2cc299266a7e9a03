/* request: what a command asks of a table in parts (parts.h). */
#pragma once

#include "shell/session.h"

/* How rows get into parts. EB_CUT_AUTO: by slabs if the points do not fit the memory limit and can be cut. */
typedef enum eb_parts_cut { EB_CUT_AUTO, EB_CUT_ROWS, EB_CUT_SLABS } eb_parts_cut;

typedef struct eb_parts_request {
    const char *path;
    const eb_setup *setup;
    double eps;
    eb_distances distances;
    const char *command;        /* as typed */
    const eb_neighbours *table; /* the whole table, if it is in memory; NULL: rows are joined for each part */
    uint64_t pairs;             /* |R| if known; 0: unknown */
    size_t parts;               /* 0: eight, or more of many points; of a count 100 */
    size_t most;                /* parts of a count to count now; 0: all */
    eb_parts_cut cut;
    bool replace;
} eb_parts_request;
