/* formats: finds the reader for a file by its name's extension, checked against the first bytes, or by the first bytes
 * alone if the extension is unknown. */
#pragma once

#include "io/reader.h"

typedef struct eb_format {
    const char *extension; /* the end of names: ".fvecs" */
    const char *name;      /* "fvecs" */
    eb_reader *read;
    eb_reader *shape;  /* reads the shape from the beginning of a file (reader.h); NULL: impossible */
    unsigned has;      /* EB_IS_TEXT … */
    const char *about; /* "rows of FP32, each behind its dimension" */
} eb_format;

size_t eb_format_count(void);
const eb_format *eb_format_at(size_t index);

/* The format that bytes->how names, or else that of a file called bytes->name. *gzip: the bytes are compressed.
 * EB_BAD_FORMAT, listing the known formats, if neither the name nor the first bytes decide. */
eb_code eb_format_of(const eb_bytes *bytes, const eb_format **out, bool *gzip, eb_status *status);

/* Refuses uncompressed bytes that begin with the magic number of another format (.npy, .npz, Arrow, HDF5). */
eb_code eb_format_check_magic(const eb_format *format, const eb_bytes *bytes, eb_status *status);

/* The format for the end of a file's name; NULL: unknown. *gzip: the name ends in .gz. */
const eb_format *eb_format_of_name(const char *name, bool *gzip);

/* True for a folder, and for a file whose name shows a format that can be read here. */
bool eb_could_be_loaded(const char *path);

/* Checks that the library for the format is installed. The message names the library and how to install it. */
eb_code eb_format_check_library(const eb_format *format, eb_status *status);

/* Finds a format by its name or extension, "csv" or ".csv". EB_USAGE, listing the known ones, if there is none. */
eb_code eb_format_called(const char *name, const char *where, const eb_format **out, eb_status *status);

/* Finds a format by its extension; NULL: unknown. */
const eb_format *eb_format_named(const char *extension);

/* Most bytes to inflate, or to read from a pipe: seven eighths of the memory that is available now. */
size_t eb_inflating_limit(void);

/* Inflates a whole gzip file (several members allowed) into *out (free()), at most max_bytes. The inflated bytes are
 * checked against the format `inside` as they come (NULL: not checked). It stops at a beginning that the format
 * refuses, at a header that promises more than max_bytes or than the compressed bytes can hold, and at more bytes than
 * the header promises. */
eb_code eb_inflate(const eb_bytes *bytes, const eb_format *inside, size_t max_bytes, unsigned char **out,
                   size_t *out_size, eb_status *status);
