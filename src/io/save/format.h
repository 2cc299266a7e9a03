/* format: the interface of a file format of `save`, and helpers that the formats share. Each format has a file
 * FORMAT.c; save.c opens and completes the file.
 *
 * A format gets its rows in order and checked (first row, n, kind of distances). An array whose position depends on the
 * final number of entries goes to a part: an unnamed file beside the target.
 */
#pragma once

#include <stdio.h>

#include "core/data/labels.h"
#include "core/files/new_file.h"
#include "core/join/neighbours.h"
#include "io/save/facts.h"

typedef struct eb_saver eb_saver; /* save.h */

typedef struct eb_save_format {
    bool needs_distances;
    bool tells;                                           /* can store facts and labels */
    eb_code (*begin)(eb_saver *saver, eb_status *status); /* called with the first batch */
    /* Writes rows begin … end − 1 of the batch, few enough that a cancel is noticed soon. */
    eb_code (*rows)(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status);
    eb_code (*end)(eb_saver *saver, eb_status *status);
} eb_save_format;

#define EB_SAVE_PARTS 5u

struct eb_saver {
    const eb_save_format *format;
    char *path; /* as given: for messages */
    eb_new_file *target;
    FILE *file; /* the target's stream */
    FILE *part[EB_SAVE_PARTS];
    eb_facts facts;
    const eb_labels *labels; /* NULL: none */
    eb_job *job;             /* NULL: no progress, no cancelling */
    size_t n, rows;          /* n: rows of the table; rows: rows written */
    uint64_t entries;
    eb_distances distances;
    bool begun;
    bool failed; /* nothing more may be written */
};

extern const eb_save_format eb_save_npz, eb_save_ivecs, eb_save_csv, eb_save_hdf5, eb_save_range;

/* Finds which of the known endings the path has, ignoring upper and lower case. `known` lists the endings, ".npy .csv";
 * *index counts them from 0. EB_USAGE if the path has none of them. */
eb_code eb_save_find_ending(const char *path, const char *known, size_t *index, eb_status *status);

void eb_save_buffer(FILE *stream);

eb_code eb_save_open_part(eb_saver *saver, unsigned part, eb_status *status);

/* Writes to the file or to a part. The message of a failure has the path and the system's reason. */
eb_code eb_save_write(eb_saver *saver, FILE *to, const void *data, size_t bytes, eb_status *status);

eb_code eb_save_seek(eb_saver *saver, FILE *in, uint64_t offset, eb_status *status);

/* Appends all of part k to the file and closes the part. */
eb_code eb_save_append_part(eb_saver *saver, unsigned part, eb_status *status);

/* Writes the end of each of the rows begin … end − 1, counted in entries from the file's first one, as int64: an indptr
 * array without its leading 0. */
eb_code eb_save_row_ends(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                         eb_status *status);

/* Writes the distances of the rows begin … end − 1 in the table's type. */
eb_code eb_save_distances(eb_saver *saver, FILE *to, const eb_neighbours *batch, size_t begin, size_t end,
                          eb_status *status);

/* Write each point's label as int32, and the names padded with NULs to the longest one. */
eb_code eb_save_label_numbers(eb_saver *saver, FILE *to, eb_status *status);
eb_code eb_save_label_names(eb_saver *saver, FILE *to, eb_status *status);

/* Writes a .npy header of version 1.0: magic, length of the rest, a Python dictionary, then blanks and a newline. Its
 * size must be a multiple of 64; 128 holds every shape. */
#define EB_NPY_HEADER 128u
void eb_save_npy_header(char header[EB_NPY_HEADER], const char *type, const char *shape);

/* Fails with "PATH: cannot write: REASON" and EB_IO. */
eb_code eb_save_fail(const eb_saver *saver, int error, eb_status *status);
