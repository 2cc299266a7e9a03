/* head: reads the beginning of a text table to learn its columns, which of them hold numbers, and the arguments that
 * `load` needs. Reads a bounded number of bytes, from regular files only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

#define EB_CSV_HEAD ((size_t)64 << 10) /* bytes examined; of a .gz, inflated ones */

typedef struct eb_csv_head {
    size_t columns;
    char **name;  /* [columns]; NULL: no names */
    bool *number; /* [columns]: true for columns of numbers, with or without gaps */
    size_t n, d;  /* rows, coordinates; n is 0 if the text is longer than the head */
    /* Arguments that `load` needs: the values of columns=, label= and missing=; "": not needed. */
    char coordinates[1024], label[64], missing[8];
} eb_csv_head;

/* EB_BAD_FORMAT if no arguments make the head load. */
eb_code eb_csv_head_read(const char *path, eb_csv_head *out, eb_status *status);
void eb_csv_head_free(eb_csv_head *head); /* frees the members, not the struct */
