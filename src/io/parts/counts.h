/* counts: a count that is made in equal parts of its work, in a folder. Each part is added when it is counted, so the
 * same count goes on where it was interrupted. The folder's one file, count.json, says what is counted (table.h), the
 * number of parts, of each finished part its entries and its time, and what the parts were counted by: engines cut the
 * work as it suits the processor and its memory, and parts of different cuts do not make up the whole.
 */
#pragma once

#include "io/parts/table.h"

#define EB_COUNTS_MOST 100000u /* parts */
#define EB_COUNTED_BY 700u     /* bytes */

typedef struct eb_counted_part {
    bool is;
    uint64_t entries; /* as eb_implementation.count gives them */
    double seconds;
} eb_counted_part;

typedef struct eb_counts {
    char *path; /* of the file */
    eb_parts_table table;
    unsigned parts, done, there; /* there: those that the file had at opening */
    eb_counted_part *part;       /* [parts] */
    char by[EB_COUNTED_BY];      /* the processor, and how; of done parts */
} eb_counts;

/* Reads the folder's file, or begins a count and makes the folder. EB_EXISTS if it holds a table, or another count,
 * unless `replace`: the message names the first difference. EB_BAD_FORMAT for anything that this program does not
 * write. */
eb_code eb_counts_open(const char *folder, const eb_parts_table *table, unsigned parts, bool replace, eb_counts *out,
                       eb_status *status);

/* Adds a part and writes the file anew; it is complete at any time. by: the processor, and how it counted. EB_EXISTS,
 * and nothing is added, if the other parts were counted otherwise. */
eb_code eb_counts_add(eb_counts *counts, unsigned part, const eb_counted_part *counted, const char *by,
                      eb_status *status);

void eb_counts_close(eb_counts *counts); /* zeroed ones too */

/* What the finished parts say of all: */
typedef struct eb_counts_sum {
    uint64_t entries; /* of the finished parts */
    double expected;  /* entries of all parts, if the others are like these */
    double error;     /* its standard error, from the differences of the parts; NAN: fewer than two are finished */
    double seconds, expected_s;
} eb_counts_sum;
eb_counts_sum eb_counts_sum_of(const eb_counts *counts);

/* The number of the part to count as the k-th: finished parts are spread over the work at any time. */
unsigned eb_counts_order(unsigned parts, unsigned k);
