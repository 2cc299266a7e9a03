/* format: what the file formats of save share. One file per format, FORMAT.c; save.c begins and ends the file.
 *
 * A format gets its rows in order and checked (first row, n, distances of the kind that was said). Arrays
 * whose place in the file depends on how many entries there will be go into parts: unnamed files beside the target.
 */
#pragma once

#include <stdio.h>

#include "core/data/labels.h"
#include "core/files/new_file.h"
#include "core/join/neighbours.h"

typedef struct eb_saver eb_saver; /* save.h */

typedef struct eb_save_format {
    const char *extension;
    bool needs_distances;
    bool tells;                                           /* has room for facts and labels */
    eb_code (*begin)(eb_saver *saver, eb_status *status); /* the first batch is there */
    /* Rows begin … end − 1 of the batch: a piece small enough that a cancel need not wait. */
    eb_code (*rows)(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status);
    eb_code (*end)(eb_saver *saver, eb_status *status);
} eb_save_format;

#define EB_SAVE_PARTS 5u
#define EB_SAVE_FACTS 20u

typedef struct eb_fact {
    const char *key;
    char *text; /* NULL: a number */
    double number;
} eb_fact;

struct eb_saver {
    const eb_save_format *format;
    char *path; /* as given: for messages */
    eb_new_file *target;
    FILE *file; /* the target's stream */
    FILE *part[EB_SAVE_PARTS];
    eb_fact fact[EB_SAVE_FACTS];
    size_t facts;
    const eb_labels *labels; /* NULL: none */
    eb_job *job;             /* NULL: nobody watches */
    size_t n, rows;          /* written so far: rows, and */
    uint64_t entries;
    eb_distances distances;
    bool begun;
    bool failed; /* nothing more is written */
};

extern const eb_save_format eb_save_npz, eb_save_ivecs, eb_save_csv, eb_save_h5, eb_save_hdf5, eb_save_range;

/* Gives a stream a large buffer. */
void eb_save_buffer(FILE *stream);

/* Opens part k. */
eb_code eb_save_open_part(eb_saver *saver, unsigned part, eb_status *status);

/* Writes to the file or a part; a failure is told with the path and the system's reason. */
eb_code eb_save_write(eb_saver *saver, FILE *to, const void *data, size_t bytes, eb_status *status);

/* The next bytes go to this offset. */
eb_code eb_save_seek(eb_saver *saver, FILE *in, uint64_t offset, eb_status *status);

/* Copies the whole of part k to where the file stands, and lets go of the part. */
eb_code eb_save_append_part(eb_saver *saver, unsigned part, eb_status *status);

/* Writes where each of the rows begin … end − 1 ends, counted from the file's first entry, as int64: an indptr array
 * but for its leading 0. */
eb_code eb_save_row_ends(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                         eb_status *status);

/* Writes the distances of the rows begin … end − 1, of the table's kind. */
eb_code eb_save_distances(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                          eb_status *status);

/* Writes each point's label as int32, and the names, each in so many bytes with NULs behind it. */
eb_code eb_save_label_numbers(eb_saver *saver, FILE *to, eb_status *status);
eb_code eb_save_label_names(eb_saver *saver, FILE *to, eb_status *status);

/* "PATH: cannot write: REASON" with EB_IO. */
eb_code eb_save_fail(const eb_saver *saver, int error, eb_status *status);
