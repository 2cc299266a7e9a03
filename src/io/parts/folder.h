/* folder: the open folder of parts, shared by parts.c and part.c. Private to io/parts. */
#pragma once

#include "io/parts/record.h"

typedef struct eb_parts {
    char *path; /* as given: for messages */
    int lock;   /* the folder, locked */
    eb_parts_table table;
    eb_parts_how how;
    eb_part_record *part; /* [parts] finished, by number */
    size_t parts, there;
    bool complete;
} eb_parts;

/* True if all arrays of the part are there with their sizes. */
bool eb_parts_has_arrays(const char *folder, const eb_part_record *part);

/* Adds a finished part. */
eb_code eb_parts_add(eb_parts *parts, const eb_part_record *part, eb_status *status);
