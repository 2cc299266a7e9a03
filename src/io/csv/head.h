/* head: what the beginning of a table in a text tells: its columns, which of them are numbers, and what has to be asked
 * of them for it to load. A bounded number of bytes is read, of regular files only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

#define EB_CSV_HEAD ((size_t)64 << 10) /* bytes that are looked at, of a .gz inflated ones */

typedef struct eb_csv_head {
    size_t columns;
    char **name;  /* [columns]; NULL: they have none */
    bool *number; /* [columns]: it has numbers, and nothing else but gaps */
    size_t n, d;  /* rows, coordinates; n is 0 where the text goes on behind the head */
    /* Arguments that `load` needs, as the values of columns=, label= and missing=; "": nothing. */
    char coordinates[1024], label[64], missing[8];
} eb_csv_head;

/* EB_BAD_FORMAT where nothing that could be asked makes it load, as far as the head shows. */
eb_code eb_csv_head_read(const char *path, eb_csv_head *out, eb_status *status);
void eb_csv_head_free(eb_csv_head *head); /* frees what it holds */
