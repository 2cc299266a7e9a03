/* head: reads the beginning of a text table to learn its columns, which of them hold numbers, and the choices with
 * which `load` reads it. Reads a bounded number of bytes, of files from regular ones only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "io/reader.h"

#define EB_CSV_HEAD ((size_t)64 << 10) /* bytes examined; of a .gz, inflated ones */

typedef struct eb_csv_head {
    size_t columns;
    char **name;    /* [columns]; NULL: no names */
    bool *number;   /* [columns]: true for columns of numbers, with or without gaps */
    bool *text;     /* [columns]: true for columns of text, and for numbers called id or the like among which is text */
    bool mixed;     /* a column of numbers with text among them is left out */
    size_t n, d;    /* rows, coordinates; n is 0 if the text is longer than the head */
    eb_reading how; /* what was asked for, and the choices that `load` needs beside it; may point into this struct */
    char coordinates[1024], label[64];
} eb_csv_head;

/* Finds choices with which the head loads. EB_BAD_FORMAT if there are none. */
eb_code eb_csv_head_read(const char *path, eb_csv_head *out, eb_status *status);

/* The same for bytes. The choices of bytes->how are kept, and others are found beside them. */
eb_code eb_csv_head_of(const eb_bytes *bytes, eb_csv_head *out);
void eb_csv_head_free(eb_csv_head *head); /* frees the members, not the struct */
