/* reading: how a file is to be read, where that is not as it stands. */
#ifndef EB_IO_READING_H
#define EB_IO_READING_H

#include <stdbool.h>

/* Whether a text begins with a line of names; guessed: it does when that has no number in it. */
typedef enum eb_header { EB_HEADER_GUESSED, EB_HEADER_YES, EB_HEADER_NO } eb_header;

/* What becomes of a row with a missing value. */
typedef enum eb_missing { EB_MISSING_REFUSED, EB_MISSING_DROPPED, EB_MISSING_MEAN } eb_missing;

/* What becomes of each coordinate: nothing; less its mean, over its deviation; from 0 to 1 (rescale.h). */
typedef enum eb_scale { EB_SCALE_NONE, EB_SCALE_STANDARD, EB_SCALE_MINMAX } eb_scale;

/* How a file is to be read, where that is not as it stands. All of it is part of what the dataset is called. */
typedef struct eb_reading {
    const char *format; /* "csv": as EB_FORMATS calls it; NULL: as its name and first bytes say */
    bool input_taken;   /* commands come from the standard input, so that no points can */
    eb_header header;
    const char *columns; /* of a table, which are coordinates (columns.h); NULL: all but the label */
    const char *label;   /* the column that says what points are called; NULL: none */
    eb_missing missing;
    eb_scale scale;
} eb_reading;

#endif
